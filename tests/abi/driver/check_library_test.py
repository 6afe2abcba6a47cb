"""Checks linked libraries as tenon_add_plugin() does: check_library.cmake of the SDK, on libraries of the zoo."""

import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integration"))

import tenon  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
READERS = [program for program in ("readelf", "llvm-readelf") if shutil.which(program)]


class CheckLibrary(unittest.TestCase):
    def check(self, name, reader):
        """Returns the exit status and the messages."""
        [library] = (tenon.BUILD / "tests/plugins/zoo" / name).rglob("*.so")
        done = subprocess.run(["cmake", f"-DLIBRARY={library}", f"-DREADELF={reader}", "-P", ROOT / "sdk/cmake/check_library.cmake"],
                              capture_output=True, text=True, check=False)
        return done.returncode, " ".join(done.stderr.split())

    def test_accepts_sound_library(self):
        for reader in READERS:
            self.assertEqual(self.check("blank", reader), (0, ""))

    def test_names_faults(self):
        for name, status, message in (("missing_symbol", 1, "tenon_plugin_entry_v1 is missing"),
                                      ("exports_more", 1, "a plugin must export only tenon_plugin_entry_v1"),
                                      ("unique_symbol", 1, "prevents unloading of the library"),
                                      ("tls_destructor", 0, "a thread_local with a destructor")):
            for reader in READERS:
                with self.subTest(name=name, reader=reader):
                    code, messages = self.check(name, reader)
                    self.assertEqual((code, message in messages), (status, True), messages)

    def test_reports_a_file_that_cannot_be_read(self):
        done = subprocess.run(["cmake", "-DLIBRARY=/nowhere.so", "-DREADELF=readelf", "-P", ROOT / "sdk/cmake/check_library.cmake"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, "No such file" in done.stderr), (1, True), done.stderr)
