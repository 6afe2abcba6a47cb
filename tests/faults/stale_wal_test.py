"""A WAL next to a database file that it does not belong to. SQLite cannot detect this, and would apply the WAL to the file."""

import pathlib
import shutil
import tempfile
import uuid

from bad_versions import ID, Versions
from faults_case import FaultsTest, integrity, plugin_arguments, rows, tenon

LARGE = "large " * 2_000


class StaleWal(FaultsTest):
    """A server for each test, whose WAL remains after a kill."""

    def setUp(self):
        super().setUp()
        self.earlier = [self.write_note(f"{number} {LARGE}")[0] for number in range(20)]

    def tearDown(self):
        """The next test begins without these files."""
        if self.server.process.poll() is None:
            self.server.stop()
        for file in self.data.glob("notes.db*"):
            file.unlink()

    def notes(self):
        return {note for note, in rows(self.data / "notes.db", "SELECT id FROM notes")}

    def backup(self, name):
        """Returns a copy of the file after a clean shutdown."""
        self.server.stop()
        copy = self.data.parent / f"{self.data.name}-{name}"
        shutil.copy(self.data / name, copy)
        self.addCleanup(copy.unlink)
        self.server.start()
        self.ada.close()
        return copy

    def leave_wal(self, name, write):
        """Writes rows, most of them into the file, the last ones into the WAL that a kill leaves."""
        write(200)
        self.server.stop()
        self.server.start()
        self.ada.close()
        write(40)
        self.server.kill()
        self.assertGreater((self.data / f"{name}-wal").stat().st_size, 0, "the kill left no WAL")

    def write_notes(self, count):
        for _ in range(count):
            self.assertEqual(201, self.write_note(LARGE)[1].status)

    def put_in_place(self, copy, name, keeps_inode):
        if not keeps_inode:
            (self.data / name).unlink()
        shutil.copy(copy, self.data / name)

    def test_rejects_stale_wal_of_plugin(self):
        """fault: a plugin's file is replaced by a backup, and the WAL of the previous file stays next to it
        | only that plugin fails, and neither file is changed: without the WAL the backup is intact; others are not affected
        | `failed` with `data.corrupt` in the list, `/readyz` and the log: put the backup there without the -wal and -shm files"""
        copy = self.backup("notes.db")
        signed = 1
        self.assertEqual(201, self.sign_guest_book().status)
        for keeps_inode in (False, True):
            with self.subTest(keeps_inode=keeps_inode):
                self.leave_wal("notes.db", self.write_notes)
                self.put_in_place(copy, "notes.db", keeps_inode)
                log = (self.data / "notes.db-wal").read_bytes()
                self.server.start()
                self.ada.close()
                plugin = self.wait_for_reason("notes", "data.corrupt")
                self.assertEqual("failed", plugin["state"])
                self.assertEqual(str(self.data / "notes.db"), plugin["reason"]["file"])
                self.assertIn("remove the -wal and -shm files next to it", plugin["reason"]["message"])
                self.assertEqual("ready\ndegraded\nnotes failed data.corrupt\n", self.client().get("/readyz").body.decode())
                self.assert_logged("data.corrupt")
                signed += 1
                self.assertEqual(201, self.sign_guest_book().status)
                self.assertEqual([signed], [guest["entries"] for guest in self.ada.get("/api/my-plugin/guests").json()])
                self.assertEqual("data.corrupt", self.ada.post("/api/core/plugins/notes/enable", {}).json()["code"], "it stays out")
                self.assertEqual(copy.read_bytes(), (self.data / "notes.db").read_bytes())
                self.assertEqual(log, (self.data / "notes.db-wal").read_bytes())
                # The steps that the message names.
                self.server.stop()
                for end in ("-wal", "-shm"):
                    (self.data / f"notes.db{end}").unlink(missing_ok=True)
                self.server.start()
                self.ada.close()
                self.assertEqual(("active", None), (self.plugin("notes")["state"], self.plugin("notes")["reason"]))
                self.assertEqual(set(self.earlier), self.notes())
                self.assertEqual(200, self.response("GET", f"/notes/{self.earlier[0]}").status)

    def test_rejects_stale_wal_of_host(self):
        """fault: the host's own file is replaced by a backup, and the WAL of the previous file stays next to it
        | the server does not start, and neither file is changed: without the WAL the backup is intact
        | stderr names the file: put the backup there without the -wal and -shm files"""
        copy = self.backup("tenon.db")

        def write(count):
            for _ in range(count):
                group = {"name": f"group {self.groups}", "description": "words " * 80}
                self.groups += 1
                self.assertEqual(201, self.ada.post("/api/core/groups", group).status)
        self.groups = 0
        self.leave_wal("tenon.db", write)
        self.put_in_place(copy, "tenon.db", keeps_inode=True)
        log = (self.data / "tenon.db-wal").read_bytes()
        for command in (("serve", "--listen", "127.0.0.1:0", *plugin_arguments()), ("user", "list")):
            done = tenon.tenon(*command, "--data", self.data)
            self.assertEqual(1, done.returncode, done)
            self.assertIn(str(self.data / "tenon.db"), done.stderr)
            self.assertIn("remove the -wal and -shm files", done.stderr)
            self.assertNotIn("ready", done.stdout)
        self.assertEqual(copy.read_bytes(), (self.data / "tenon.db").read_bytes())
        self.assertEqual(log, (self.data / "tenon.db-wal").read_bytes())
        for end in ("-wal", "-shm"):
            (self.data / f"tenon.db{end}").unlink(missing_ok=True)
        self.server.start()
        self.ada = self.client("ada")
        self.assertEqual([], self.ada.get("/api/core/groups").json()["items"])
        self.assertEqual(200, self.response("GET", f"/notes/{self.earlier[0]}").status)

    def test_discards_wal_when_rollback_restores_data(self):
        """fault: kill -9 of the host while a new version writes, and a rollback without a server: the WAL of the new data still exists
        | the data are those of the previous version, without any row of the WAL; others are not affected
        | the output of the command: the current version, and the one before"""
        root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-stale-wal-"))
        self.addCleanup(shutil.rmtree, root, ignore_errors=True)
        packages = Versions(root)
        self.assertEqual(201, self.ada.post("/api/core/keys", {"key": (root / "ada.pub").read_text(), "name": "Ada"}).status)
        kept = {}
        for version in ("1.0.0", "1.1.0"):
            response = self.ada.post("/api/core/plugins", packages.package(version), headers={"Content-Type": "application/octet-stream"})
            self.assertEqual((200, "active"), (response.status, response.json().get("state")), response)
            kept[version] = [str(uuid.uuid4()) for _ in range(20)]
            for row in kept[version]:
                self.assertEqual(200, self.ada.post(f"/api/{ID}/keep", {"id": row}).status)
        self.server.kill()
        self.assertGreater((self.data / f"{ID}.db-wal").stat().st_size, 0, "the kill left no WAL")
        done = tenon.tenon("plugin", "rollback", ID, "--data", self.data, *plugin_arguments())
        self.assertEqual(0, done.returncode, done)
        self.assertIn("1.0.0", done.stdout)
        self.server.start()
        self.ada.close()
        plugin = self.plugin(ID)
        self.assertEqual(("1.0.0", "active", None), (plugin["version"], plugin["state"], plugin["reason"]), plugin)
        self.assertEqual(200, self.response("GET", f"/notes/{self.earlier[0]}").status)
        self.assertEqual(b"ready\n", self.client().get("/readyz").body)
        self.server.stop()
        self.assertEqual(sorted(kept["1.0.0"]), sorted(row for row, in rows(self.data / f"{ID}.db", "SELECT id FROM kept")))
        for file in (f"{ID}.db", "notes.db"):
            self.assertEqual([("ok",)], integrity(self.data / file), file)


if __name__ == "__main__":
    import unittest
    unittest.main()
