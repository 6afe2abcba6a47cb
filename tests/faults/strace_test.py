"""Faults of write and sync, injected from outside by strace: the system calls fail in the kernel."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from faults_case import FaultsTest
from sampling import FULL

# strace counts the calls of each thread by itself; sequential requests are mostly served by the same thread.
WRITES = (*range(1, 61),) if FULL else (1, 2, 7, 20)


def may_trace():
    if not shutil.which("strace"):
        return "strace is not installed"
    tried = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, text=True)
    return "" if tried.returncode == 0 else f"strace may not trace: {tried.stderr.strip()}"


class Strace(FaultsTest):
    @classmethod
    def setUpClass(cls):
        if reason := may_trace():
            raise unittest.SkipTest(reason)
        super().setUpClass()

    @classmethod
    def make_server(cls):
        server = super().make_server()
        server.environment.pop("LD_PRELOAD")
        return server

    def inject(self, call, error, when, file):
        """Attaches strace to the running server. It writes to `trace`, which is complete when it has ended."""
        self.trace = pathlib.Path(tempfile.mkstemp(prefix="tenon-strace-")[1])
        self.addCleanup(self.trace.unlink)
        tracer = subprocess.Popen(
            ["strace", "-f", "-p", str(self.server.process.pid), "-P", str(self.data / file), "-o", str(self.trace),
             "-e", "trace=pwrite64,write,fdatasync,fsync", "-e", f"inject={call}:error={error}:when={when}"],
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(tracer.stderr.close)
        for line in tracer.stderr:
            if "attached" in line:
                break
        tasks = pathlib.Path(f"/proc/{self.server.process.pid}/task")
        deadline = time.monotonic() + 60
        while any(f"TracerPid:\t{tracer.pid}" not in (task / "status").read_text() for task in tasks.iterdir()):
            self.assertLess(time.monotonic(), deadline, "strace does not attach")
            time.sleep(0.01)
        return tracer

    def release(self, tracer):
        """Ends the trace. Returns how many calls failed."""
        tracer.terminate()
        tracer.wait(60)
        return self.trace.read_text(errors="replace").count("(INJECTED)")

    def test_reports_failed_write_and_loses_nothing_else(self):
        acknowledged, refused, hits = [], [], 0
        for error, responses in (("ENOSPC", {(507, "data.disk_full"), (503, "data.group_rolled_back")}),
                               ("EIO", {(503, "data.io"), (503, "data.group_rolled_back")})):
            for when in WRITES:
                tracer = self.inject("pwrite64", error, when, "notes.db-wal")
                failures = []
                for _ in range(4):
                    note, response = self.write_note()
                    (acknowledged if response.status == 201 else refused).append(note)
                    if response.status != 201:
                        failures.append((response.status, response.json()["code"]))
                self.assertEqual(201, self.sign_guest_book().status)
                injected = self.release(tracer)
                self.assertLessEqual(set(failures), responses)
                self.assertEqual(bool(injected), bool(failures), f"{injected} injected, reported {failures}")
                hits += bool(injected)
        self.assertGreaterEqual(hits, 4)
        self.again(kill=True)
        with self.copied() as folder:
            self.check_files(folder, acknowledged, refused)

    def test_stops_writing_after_failed_sync(self):
        for call in ("fdatasync", "fsync"):
            earlier, _ = self.write_note("before")
            tracer = self.inject(call, "EIO", "1+", "notes.db-wal")
            responses = [self.write_note()[1] for _ in range(3)]
            if not self.release(tracer):
                self.assertEqual([201] * 3, [response.status for response in responses])
                continue  # the engine uses the other one
            self.assert_problem(responses[-1], 503, "data.storage_failed")
            self.assertEqual(201, self.sign_guest_book().status)
            self.wait_for_reason("notes", "data.storage_failed")
            self.again(kill=True)
            later, response = self.write_note("after")
            self.assertEqual(201, response.status)
            with self.copied() as folder:
                self.check_files(folder, [earlier, later])
            return
        self.fail("no sync was seen")


if __name__ == "__main__":
    unittest.main()
