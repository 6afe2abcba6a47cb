"""Plugins in Rust with the installed program and SDK: the template, what is missing, and a plugin that uses most functions of the crate."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

from prefix import ROOT, install, is_sanitized, run

EXERCISE = ROOT / "tests/package/rust_exercise"


@unittest.skipIf(is_sanitized(), "their libraries are built without the sanitizer")
class Rust(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-rust-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        cls.prefix = cls.root / "prefix"
        install(cls.prefix, "host", "sdk")
        cls.environment = {"PATH": f"{cls.prefix / 'bin'}:{os.environ['PATH']}", "CMAKE_GENERATOR": "Ninja"}

    def must_run(self, *command, cwd=None):
        code, output = run(*command, environment=self.environment, cwd=cwd or self.root)
        self.assertEqual(code, 0, output)
        return output

    def new(self, name):
        self.must_run("tenon", "plugin", "new", name, "--template", "rust")
        return self.root / name

    def test_template_builds_and_passes(self):
        folder = self.new("my-rust")
        for file in folder.rglob("*"):
            if file.is_file():
                self.assertNotRegex(file.read_text(), "(?i)my.?plugin(?!_test)", file)
        self.assertNotIn("warning", self.must_run("tenon", "plugin", "build", folder).lower())
        report = json.loads(self.must_run("tenon", "plugin", "check", folder / "dist/my-rust", "--json"))
        self.assertEqual((report["errors"], report["warnings"], report["grade"]), ([], [], "silver"))
        self.must_run("tenon", "plugin", "pack", folder / "dist/my-rust")
        self.must_run("tenon", "plugin", "test", folder)

    def test_exercise_works(self):
        folder = self.new("exercise")
        for file in ("plugin.json", "tables.json"):
            shutil.copy(EXERCISE / file, folder)
        shutil.copy(EXERCISE / "exercise.rs", folder / "src")
        shutil.copy(EXERCISE / "checks.py", folder / "tests/exercise_test.py")
        self.must_run("tenon", "plugin", "test", folder)

    def cargo(self, *arguments, **variables):
        """Runs cargo in a copy of the installed crate."""
        crate = self.root / "crate"
        if not crate.exists():
            shutil.copytree(self.prefix / "share/tenon/sdk/rust", crate)
        return run("cargo", *arguments, "--quiet", "--offline", environment={**self.environment, **variables}, cwd=crate)

    def test_crate_passes_its_own_tests(self):
        code, output = self.cargo("test")
        self.assertEqual(code, 0, output)

    def test_missing_cargo_names_the_packages(self):
        folder = self.new("no-cargo")
        build = folder / "CMakeLists.txt"
        build.write_text(build.read_text().replace("tenon_add_plugin(", """\
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
tenon_add_plugin(""", 1))
        code, output = run("tenon", "plugin", "build", folder, environment=self.environment, cwd=self.root)
        self.assertEqual(code, 1, output)
        self.assertIn("apt-get install cargo rustc", output)

    def test_panic_must_not_abort(self):
        code, output = self.cargo("check", CARGO_PROFILE_DEV_PANIC="abort")
        self.assertEqual(code, 101, output)
        self.assertIn("A panic would end the server", output)


if __name__ == "__main__":
    unittest.main()
