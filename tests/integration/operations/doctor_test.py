"""tenon doctor on installations that are sound, and on ones that were really damaged. It never changes anything."""

import contextlib
import hashlib
import json
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest

from tenon import BINARY, Client, Server, tenon

OTHER_UID = 65534


def doctor(data, *arguments, **options):
    """Exit code, and the report."""
    done = subprocess.run([str(BINARY), "doctor", "--data", str(data), "--json", *arguments],
                          text=True, capture_output=True, timeout=120, **options)
    assert done.stdout.startswith("{"), done
    return done.returncode, json.loads(done.stdout)


def findings(report, severity=None):
    return {finding["code"]: finding for check in report["checks"] for finding in check["findings"]
            if severity in (None, finding["severity"])}


def state(folder, with_content):
    """Every file with its owner, mode and content; shared memory without it, for readers mark themselves there."""
    found = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        is_read = with_content and path.is_file() and not path.name.endswith("-shm")
        content = hashlib.sha256(path.read_bytes()).hexdigest() if is_read else ""
        found[str(path)] = (facts.st_mode, facts.st_uid, content)
    return found


class Doctor(unittest.TestCase):
    def setUp(self):
        self.data = pathlib.Path(tempfile.mkdtemp(prefix="tenon-doctor-"))
        self.addCleanup(shutil.rmtree, self.data, ignore_errors=True)

    def installation(self, *arguments, **options):
        """A data directory that a server with an admin and some notes has used, and the server, which still runs."""
        server = Server(*arguments, data=self.data, **options).start()
        self.addCleanup(server.close)
        client = Client(server)
        response = client.post("/api/core/setup", {"token": server.setup_link_token(), "login": "ada", "name": "Ada",
                                                 "password": "correct horse battery"})
        assert response.status == 201, response
        for number in range(40):
            assert client.post("/api/notes/notes", {"title": f"{number}", "text": "words " * 2000}).status == 201
        return server

    def expect(self, code, *arguments, severity="error", **options):
        """The one finding with that code; the exit code agrees."""
        exit_code, report = doctor(self.data, *arguments, **options)
        self.assertIn(code, findings(report, severity), report)
        self.assertEqual(0 if report["healthy"] else 1, exit_code)
        self.assertEqual(not findings(report, "error"), report["healthy"])
        found = findings(report)[code]
        for part in ("where", "what", "todo"):
            self.assertTrue(found[part], found)
        return found


class Sound(Doctor):
    def test_finds_and_changes_nothing_online_offline_after_kill(self):
        server = self.installation()
        for run in ("running", "killed", "stopped"):
            if run == "killed":
                server.kill()
            if run == "stopped":
                server.start()
                server.stop()
            for more in ((), ("--full",)):
                with self.subTest(run=run, more=more):
                    # A server that runs may write meanwhile.
                    before = state(self.data, run != "running")
                    code, report = doctor(self.data, *more)
                    self.assertEqual((0, {}), (code, findings(report, "error")))
                    self.assertEqual(before, state(self.data, run != "running"))
                    self.assertEqual("integrity.unfinished_log" in findings(report), run == "killed")
        server.start()
        self.assertEqual(200, Client(server).get("/readyz").status, "the server starts after the doctor")

    def test_reports_every_check(self):
        _, report = doctor(self.data)
        self.assertEqual(["configuration", "data", "databases", "blobs", "leftovers", "plugins", "proxies and host names", "clock",
                          "certificates", "limits", "libraries"], [check["check"] for check in report["checks"]])
        said = {check["check"]: check["summary"] for check in report["checks"]}
        self.assertIn("not configured", said["certificates"])
        self.assertRegex(said["libraries"], r"SQLite 3\.[\d.]+ \((its WAL-reset bug is fixed|Tenon guards checkpoints against its WAL-reset bug)\)")

    def test_prints_readable_report(self):
        done = tenon("doctor", "--data", self.data / "missing")
        self.assertEqual(1, done.returncode)
        self.assertIn("data.missing", done.stdout)
        self.assertIn("-> Name it with --data", done.stdout)
        self.assertIn("not healthy: 1 errors", done.stdout)
        self.assertFalse((self.data / "missing").exists())

    def test_reports_usage_for_wrong_command_line(self):
        for arguments in (("--no-such-option",), ("word",)):
            self.assertEqual(2, tenon("doctor", "--data", self.data, *arguments).returncode)


class Integrity(Doctor):
    def test_finds_damaged_page_online_and_offline(self):
        server = self.installation()
        server.stop()
        file = self.data / "notes.db"
        content = bytearray(file.read_bytes())
        self.assertGreater(len(content), 64 * 4096)
        for page in range(8, len(content) // 4096):
            content[page * 4096:page * 4096 + 16] = os.urandom(16)
        file.write_bytes(content)
        found = self.expect("integrity.damaged")
        self.assertEqual(str(file), found["where"])
        self.assertIn("backup", found["todo"])
        self.assertEqual(bytes(content), file.read_bytes())
        server.start()
        self.assertEqual(str(file), self.expect("integrity.damaged")["where"])
        self.assertEqual(200, Client(server).get("/readyz").status, "the others serve on")

    def test_finds_file_that_is_no_database(self):
        (self.data / "notes.db").write_bytes(b"this is text" * 1000)
        self.data.chmod(0o700)
        self.assertIn("not a database", self.expect("integrity.damaged")["what"])

    def test_finds_dangling_reference_in_full_check_only(self):
        with contextlib.closing(sqlite3.connect(self.data / "notes.db")) as database:
            database.executescript("CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(a REFERENCES a(id));"
                                   "INSERT INTO b VALUES (7);")
        self.assertEqual({}, findings(doctor(self.data)[1], "error"))
        self.assertIn("row of b refers to nothing in a", self.expect("integrity.damaged", "--full")["what"])

    def test_reports_wal_without_database(self):
        (self.data / "notes.db-wal").write_bytes(b"x")
        self.expect("leftovers.lone_log", severity="warning")


class Directory(Doctor):
    def test_reports_directory_readable_by_others(self):
        self.data.chmod(0o755)
        found = self.expect("data.open_to_others")
        self.assertEqual(f"chmod 0700 {self.data}", found["todo"])
        self.data.chmod(0o700)
        self.assertNotIn("data.open_to_others", findings(doctor(self.data)[1]))
        self.data.chmod(0o750)
        self.expect("data.open_to_group", severity="warning")

    @unittest.skipUnless(os.geteuid() == 0, "needs root to give files away")
    def test_reports_file_owned_by_root(self):
        sqlite3.connect(self.data / "tenon.db").close()
        sqlite3.connect(self.data / "notes.db").close()
        os.chown(self.data, OTHER_UID, OTHER_UID)
        os.chown(self.data / "tenon.db", OTHER_UID, OTHER_UID)
        found = self.expect("data.foreign_owner")
        self.assertEqual(str(self.data / "notes.db"), found["where"])
        self.assertTrue(found["todo"].startswith("chown "))
        os.chown(self.data / "notes.db", OTHER_UID, OTHER_UID)
        self.assertNotIn("data.foreign_owner", findings(doctor(self.data)[1]))

    @unittest.skipUnless(os.geteuid() == 0, "needs root to run as another user")
    def test_reports_unreadable_files_to_other_user(self):
        try:
            subprocess.run([str(BINARY), "version"], user=OTHER_UID, check=True, capture_output=True)
        except OSError:
            self.skipTest("an unprivileged user cannot reach the binary")
        self.data.chmod(0o700)
        self.expect("data.not_owner", user=OTHER_UID)
        self.expect("data.unreadable", user=OTHER_UID)

    def test_reports_full_disk(self):
        mount = ["mount", "-t", "tmpfs", "-o", "size=2m,nr_inodes=400,mode=0700", "none", str(self.data)]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
            self.skipTest("tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(self.data)], check=True)
        with contextlib.suppress(OSError), open(self.data / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(65536))
        found = self.expect("data.disk_full")
        self.assertIn("0 bytes of 2.0 MiB left", found["what"])
        with contextlib.suppress(OSError):
            for number in range(1000):
                (self.data / f"f{number}").touch()
        self.expect("data.no_inodes")


class Configuration(Doctor):
    def test_names_unknown_keys_and_wrong_values(self):
        (self.data / "tenon.conf").write_text("htp.queue = 3\nlisten = nowhere\n")
        code, report = doctor(self.data)
        self.assertEqual(1, code)
        said = [finding["what"] for check in report["checks"] for finding in check["findings"]
                if finding["code"] == "configuration.invalid"]
        self.assertEqual(2, len(said))
        self.assertTrue(any('did you mean "http.queue"' in what for what in said), said)
        self.assertTrue(any('"nowhere"' in what for what in said), said)
        code, report = doctor(self.data, env={**os.environ, "TENON_LOGG": "text"})
        self.assertIn("flags and environment", [finding["where"] for check in report["checks"] for finding in check["findings"]])
        self.assertIn("data", [check["check"] for check in report["checks"]], "the rest is looked at all the same")

    def test_warns_of_contradicting_values(self):
        for line, where in (("http.share_queue = 5000", "http.share_queue"), ("session.idle = 300d", "session.idle"),
                            ("trace.sample = 0.5", "trace.sample"), ("slow.request = 50m", "slow.request"),
                            ("plugins.drain = 40s", "plugins.drain")):
            with self.subTest(line=line):
                (self.data / "tenon.conf").write_text(line + "\n")
                self.assertEqual(where, self.expect("configuration.contradiction", severity="warning")["where"])
        (self.data / "tenon.conf").write_text("listen = 0.0.0.0:8080\n")
        self.expect("configuration.open_without_tls", severity="warning")


class Plugins(Doctor):
    def broken(self):
        plugins = self.data / "more-plugins"
        (plugins / "broken").mkdir(parents=True)
        (plugins / "broken" / "plugin.json").write_text('{"id": "broken"}')
        return plugins

    def test_reports_failed_start_with_reason(self):
        plugins = self.broken()
        found = self.expect("plugins.failed", "--plugins", str(plugins))
        self.assertEqual("broken", found["where"])
        self.assertIn("plugins.manifest_invalid", found["what"])
        server = Server(data=self.data, plugins=plugins).start()
        self.addCleanup(server.close)
        failed = self.expect("plugins.failed")
        self.assertEqual("broken", failed["where"])
        self.assertEqual(0, tenon("plugin", "disable", "broken", "--data", self.data).returncode)
        self.assertNotIn("plugins.failed", findings(doctor(self.data)[1]))

    def test_notes_database_without_plugin(self):
        sqlite3.connect(self.data / "gone.db").close()
        self.expect("plugins.orphan_database", severity="note")


class TheMachine(Doctor):
    def test_reports_clock_earlier_than_recorded_time(self):
        server = self.installation()
        server.stop()
        self.assertNotIn("clock.went_back", findings(doctor(self.data)[1]))
        tomorrow = int(time.time() + 86_400) * 1000
        with contextlib.closing(sqlite3.connect(self.data / "tenon.db")) as database:
            database.execute("UPDATE identity_audit SET time_ms = ?", (tomorrow,))
            database.commit()
        self.assertEqual(str(self.data / "tenon.db"), self.expect("clock.went_back")["where"])

    def test_reports_low_descriptor_limits(self):
        def few(number):
            return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))
        found = self.expect("limits.open_files", severity="warning", preexec_fn=few(256))
        self.assertIn("256 open files of this process", found["what"])
        self.expect("limits.open_files", severity="error", preexec_fn=few(60))
        enough = findings(doctor(self.data, "--http-connections", "100")[1])
        self.assertNotIn("limits.open_files", enough)
        server = Server(data=self.data).start()
        self.addCleanup(server.close)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (300, 300))
        self.assertIn("300 open files of the server", self.expect("limits.open_files", severity="warning")["what"])


if __name__ == "__main__":
    unittest.main()
