"""A damaged page in one file: that plugin is taken out of service and says why, the others serve on."""

import contextlib
import sqlite3
import struct

from faults_case import PLUGINS, FaultsTest, tenon
from sampling import chance, repeat


def leaves(file, kind="table"):
    """Offsets of the pages of a database that are leaves of tables, or of indexes that repeat what a table has, and hold rows; and the page size."""
    with contextlib.closing(sqlite3.connect(f"file:{file}?immutable=1", uri=True)) as database:
        page_size = database.execute("PRAGMA page_size").fetchone()[0]
        # A table without rowids looks like an index, but no other table has its rows: nothing detects other bytes in it.
        found = database.execute("SELECT (pageno - 1) * pgsize FROM dbstat JOIN sqlite_schema s USING (name) WHERE pagetype = 'leaf' AND s.type = ?1"
                                 " AND (s.type = 'index' OR s.sql NOT LIKE '%WITHOUT ROWID%') AND ncell > 0 AND pageno > 1", (kind,)).fetchall()
    return [offset for offset, in found], page_size


def pages_in_log(log, page_size):
    """Returns the numbers of the pages that a WAL contains."""
    data = log.read_bytes()
    return {struct.unpack(">I", data[at:at + 4])[0] for at in range(32, len(data), 24 + page_size)}


def flip(file, at, size):
    """Changes bytes of the file."""
    with open(file, "r+b") as opened:
        opened.seek(at)
        old = opened.read(size)
        opened.seek(at)
        opened.write(bytes(byte ^ 0x5A for byte in old))


class Damage(FaultsTest):
    def setUp(self):
        super().setUp()
        self.notes = [self.write_note(f"note {number} " * 400)[0] for number in range(300)]
        self.assertEqual(201, self.sign_guest_book().status)

    def tearDown(self):
        """The next test begins without the damaged file."""
        if self.server.process.poll() is None:
            self.server.stop()
        for file in self.data.glob("notes.db*"):
            file.unlink()

    def assert_only_notes_are_out(self):
        plugin = self.wait_for_reason("notes", "data.corrupt")
        self.assertEqual("failed", plugin["state"])
        self.assertEqual(str(self.data / "notes.db"), plugin["reason"]["file"])
        self.assertIn("backup", plugin["reason"]["message"])
        self.assert_problem(self.ada.get("/api/notes/notes"), 404, "plugins.not_active")
        self.assertEqual(201, self.sign_guest_book().status)
        self.assertEqual(("active", None), (self.plugin("my-plugin")["state"], self.plugin("my-plugin")["reason"]))
        self.assertEqual("ready\ndegraded\nnotes failed data.corrupt\n", self.client().get("/readyz").body.decode())
        self.assert_logged("data.corrupt")
        self.assertEqual("data.corrupt", self.ada.post("/api/core/plugins/notes/enable", {}).json()["code"], "it stays out")
        self.assertEqual("failed", self.plugin("notes")["state"])

    def test_found_when_the_server_starts(self):
        """fault: flipped bytes in a page of a plugin's database, found by a start
        | that plugin alone is out; the file from a backup heals it
        | `failed` with `data.corrupt` in the list and the log"""
        self.server.stop()
        file = self.data / "notes.db"
        sound = file.read_bytes()
        pages = chance("damaged pages")
        tables, _ = leaves(file)
        indexes, _ = leaves(file, "index")
        # A table: the header of a leaf. An index: an entry, because SQLite does not read the free bytes of a page.
        index = pages.choice(indexes)
        for at in (pages.choice(tables) + 8, pages.choice(tables), index + struct.unpack_from(">H", sound, index + 8)[0]):
            with self.subTest(repeat(), at=at):
                flip(file, at, 16)
                self.server.start()
                self.ada = self.client("ada")
                try:
                    self.assert_only_notes_are_out()
                finally:
                    self.server.stop()
                    file.write_bytes(sound)
        self.server.start()
        self.ada = self.client("ada")
        self.assertEqual("active", self.plugin("notes")["state"], "a backup heals it")
        self.assertEqual(200, self.response("GET", f"/notes/{self.notes[0]}").status)

    def test_found_before_the_plugin_serves_after_a_kill(self):
        self.server.restart()
        self.ada = self.client("ada")
        self.assertEqual("active", self.plugin("notes")["state"])
        file = self.data / "notes.db"
        self.assertEqual(201, self.write_note()[1].status)
        self.server.kill()
        found, page_size = leaves(file)
        logged = pages_in_log(self.data / "notes.db-wal", page_size)
        self.assertTrue(logged, "the log was not left")
        flip(file, next(at for at in reversed(found) if at // page_size + 1 not in logged), 16)
        said = len(self.server.log_path.read_text())
        self.server.start()
        self.ada = self.client("ada")
        self.assertEqual("failed", self.plugin("notes")["state"])
        self.assert_only_notes_are_out()
        self.assertNotRegex(self.server.log_path.read_text()[said:], "plugin active.*notes")

    def test_a_file_that_is_no_database_any_more(self):
        for size in (100, 16):
            self.server.stop()
            flip(self.data / "notes.db", 0, size)
            self.server.start()
            self.ada = self.client("ada")
            self.assert_only_notes_are_out()
            flip(self.data / "notes.db", 0, size)

    def test_found_by_a_statement_while_people_work(self):
        """fault: the same, found by a statement while people work
        | that plugin alone is taken out of service
        | 503 `data.corrupt`, then `failed` in the list"""
        self.server.restart()
        self.ada = self.client("ada")
        file = self.data / "notes.db"
        found, page_size = leaves(file)
        self.assertGreater(len(found), 300)
        for at in found:
            flip(file, at, 16)
        codes = set()
        for note in self.notes:
            response = self.response("GET", f"/notes/{note}")
            if response.status != 200:
                codes.add((response.status, response.json()["code"]))
        self.assertIn((503, "data.corrupt"), codes)
        self.assertLessEqual(codes, {(503, "data.corrupt"), (503, "plugins.draining"), (404, "plugins.not_active"),
                                     (503, "data.closed")})
        self.assert_only_notes_are_out()

    def test_of_the_hosts_database_refuses_to_start(self):
        """fault: flipped bytes in the host's own database | the server does not start | the log names the file"""
        self.server.stop()
        file = self.data / "tenon.db"
        sound = file.read_bytes()
        _, page_size = leaves(file)
        # The header of the file, and that of its second page.
        for at, size in ((0, 100), (page_size, 8)):
            flip(file, at, size)
            for command in (("serve", "--listen", "127.0.0.1:0", "--plugins", PLUGINS[0]), ("user", "list")):
                done = tenon.tenon(command[0], *command[1:], "--data", self.data)
                self.assertEqual(1, done.returncode, done)
                self.assertIn(str(file), done.stderr)
                self.assertIn("damaged", done.stderr)
                self.assertIn("backup", done.stderr)
                self.assertNotIn("ready", done.stdout)
            file.write_bytes(sound)
        self.server.start()


if __name__ == "__main__":
    import unittest
    unittest.main()
