"""The base of fault tests: a server on a disk that fails on demand, with the plugins notes and my-plugin (a guest book)."""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))

import tenon  # noqa: E402
from disk import Disk  # noqa: E402
from notes_case import NotesTest  # noqa: E402

PLUGINS = (tenon.BUILD / "lib/tenon/plugins", tenon.BUILD / "tests/plugins/faults")
FILES = ("tenon.db", "notes.db", "my-plugin.db")


def plugin_arguments():
    return [argument for folder in PLUGINS for argument in ("--plugins", folder)]


def rows(database, sql):
    """Returns the rows of a query on a file that no server has open. None if the file or the table is missing."""
    if not database.exists():
        return None
    with contextlib.closing(sqlite3.connect(database)) as connection:
        try:
            return connection.execute(sql).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return None
            raise


def integrity(database):
    return rows(database, "PRAGMA integrity_check")


class FaultsTest(NotesTest):
    """One server for each class, on `disk`. No acknowledged write is lost, whatever the disk does."""

    record, more_arguments = None, ("--log-access", "false")

    @classmethod
    def setUpClass(cls):
        cls.data = pathlib.Path(tempfile.mkdtemp(prefix="tenon-faults-"))
        cls.disk = Disk(cls.data, cls.record)
        try:
            cls.server = cls.make_server()
            cls.server.start()
            cls.set_up_admin()
        except BaseException:
            with contextlib.suppress(AssertionError, AttributeError):
                cls.server.close()
            cls.disk.close()
            shutil.rmtree(cls.data, ignore_errors=True)
            raise

    @classmethod
    def make_server(cls):
        return tenon.Server(*plugin_arguments(), *cls.more_arguments, data=cls.data, environment=cls.disk.environment)

    @classmethod
    def tearDownClass(cls):
        try:
            cls.server.close()
        finally:
            cls.disk.close()
            shutil.rmtree(cls.data, ignore_errors=True)

    def setUp(self):
        self.disk.heal()
        if self.server.process.poll() is not None:
            self.server.start()
        super().setUp()

    def again(self, kill=False):
        """Ends the server, or kills it, and starts it again on the same data."""
        self.disk.heal()
        self.server.kill() if kill else self.server.stop()
        self.server.start()
        self.ada.close()

    def write_note(self, text="x", client=None):
        """Creates a note. Returns its id and the response."""
        note = str(uuid.uuid4())
        return note, self.response("POST", "/notes", {"id": note, "title": "A note", "text": text}, client)

    def sign_guest_book(self, text="Hello"):
        return self.ada.post("/api/my-plugin/guests", {"text": text})

    def plugin(self, name):
        """Returns the plugin as the admin sees it."""
        return self.ada.get(f"/api/core/plugins/{name}").json()

    def wait_for(self, condition, what):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"{what}\n{self.server.log()}")
            time.sleep(0.02)

    def wait_for_reason(self, name, code):
        self.wait_for(lambda: (self.plugin(name)["reason"] or {}).get("code") == code, f"{name} has no reason {code}")
        return self.plugin(name)

    def wait_for_health(self, name):
        """Writes until the admin sees no trouble any more."""
        def is_well():
            self.assertEqual(201, (self.write_note()[1] if name == "notes" else self.sign_guest_book()).status)
            return self.plugin(name)["reason"] is None
        self.wait_for(is_well, f"{name} does not heal")

    @contextlib.contextmanager
    def copied(self):
        """Copies the data as a kill at this moment would leave them. No client may write meanwhile."""
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
            for file in self.data.glob("*.db*"):
                if not file.name.endswith("-shm"):
                    shutil.copy(file, folder)
            yield pathlib.Path(folder)

    def check_files(self, folder, acknowledged, refused=()):
        """Checks that the files are sound, with every acknowledged note and no refused one."""
        for name in FILES:
            self.assertEqual([("ok",)], integrity(folder / name), name)
        there = {note for (note,) in rows(folder / "notes.db", "SELECT id FROM notes")}
        self.assertEqual(set(), set(acknowledged) - there, "acknowledged and lost")
        self.assertEqual(set(), set(refused) & there, "refused and there")
