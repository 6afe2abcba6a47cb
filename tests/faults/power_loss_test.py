"""Power loss at any moment of a busy server's life: what was acknowledged before is there, and every file is sound.

The server runs on a disk that records each change. Afterwards many moments are chosen; for each, the changes before it
are replayed, of what was not synced by then a random part is lost, and what is left is opened.
"""

import errno
import os
import pathlib
import tempfile
import threading
import unittest
import uuid

from disk import DIE, SYNC, WRITE, changes
from faults_case import FILES, FaultsTest, integrity, plugin_arguments, rows, tenon
from disk_model import DiskModel
from sampling import FULL, chance, repeat

WRITERS = 16
ROUNDS = 6 if FULL else 3
NOTES_A_ROUND = 250
CUTS = 2000 if FULL else 120
STARTS = 20 if FULL else 3
SHARED_MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None


class Writer(threading.Thread):
    """Writes one thing after the other until `is_stopping`. Remembers the position in the record at which each was acknowledged."""

    def __init__(self, test, number):
        super().__init__(daemon=True)
        self.test, self.chance, self.client = test, chance(f"power loss, writer {number}"), test.another_window()
        self.kept, self.refused, self.is_stopping = [], [], False

    def run(self):
        while not self.is_stopping:
            kind = self.chance.choice(("note", "note", "note", "change", "guest"))
            try:
                known = [what for _, table, what, version in self.kept if table == "note" and version == 1]
                self.write(kind, self.chance.choice(known) if known else None)
            except (OSError, tenon.http.client.HTTPException):
                return  # killed

    def write(self, kind, known):
        text = f"{uuid.uuid4()} " * self.chance.choice((2, 20, 400))
        if kind == "guest":
            text = f"{uuid.uuid4()}"
            response = self.client.post("/api/my-plugin/guests", {"text": text})
            done = ("guest", text, 1)
        elif kind == "change" and known:
            response = self.test.response("PATCH", f"/notes/{known}", {"text": text}, self.client, If_Match='"1"')
            if response.status == 412:
                return
            done = ("note", known, 2)
        else:
            note = str(uuid.uuid4())
            response = self.test.response("POST", "/notes", {"id": note, "title": "A note", "text": text}, self.client)
            done = ("note", note, 1)
        if response.status in (200, 201):
            self.kept.append((self.test.disk.position(), *done))
        else:
            self.refused.append(response)


class PowerLoss(FaultsTest):
    @classmethod
    def setUpClass(cls):
        cls.record = pathlib.Path(tempfile.mkstemp(prefix="tenon-record-")[1])
        try:
            super().setUpClass()
        except BaseException:
            cls.record.unlink()
            raise

    @classmethod
    def tearDownClass(cls):
        try:
            super().tearDownClass()
        finally:
            cls.record.unlink()

    def work(self, fault):
        """People write; what goes wrong meanwhile is chosen by the round."""
        writers = [Writer(self, number) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        count = lambda: sum(len(writer.kept) for writer in writers)
        self.wait_for(lambda: count() >= NOTES_A_ROUND, "the writers do not come forward")
        if fault == "sync fails":
            self.disk.fail("notes.db-wal", SYNC, errno.EIO)
            self.wait_for_reason("notes", "data.storage_failed")
            self.assertEqual(200, self.ada.post("/api/core/plugins/notes/enable", {}).status)
        elif fault == "writes fail":
            self.disk.fail("notes.db-wal", WRITE, errno.EIO, skip=20, times=30)
            self.wait_for(lambda: self.disk.failed, "no write failed")
            self.disk.heal()
        goal = count() + NOTES_A_ROUND
        self.wait_for(lambda: count() >= goal, "the writers do not come forward again")
        if fault == "kill":
            self.disk.fail("notes.db-wal", WRITE, DIE, skip=self.chance.randrange(50))
            self.server.process.wait(60)
        for writer in writers:
            writer.is_stopping = True
        for writer in writers:
            writer.join(60)
            self.assertFalse(writer.is_alive())
            allowed = {"data.io", "data.storage_failed", "data.group_rolled_back", "plugins.draining", "plugins.not_active", "data.closed"}
            self.assertLessEqual({response.json()["code"] for response in writer.refused}, allowed if "fail" in fault else set())
        if fault == "kill":
            self.disk.heal()
            self.server.start()
            self.ada.close()
        return [each for writer in writers for each in writer.kept]

    def test_at_any_moment(self):
        """fault: a loss of power at any moment, with what was not synced lost in random sectors and names
        | every acknowledged write is there, every file is sound
        | nothing: the next start takes the logs over"""
        self.chance = chance("power loss")
        acknowledged = [(self.disk.position(), "user", "ada", 1)]
        for number in range(ROUNDS):
            acknowledged += self.work(("kill", "sync fails", "writes fail")[number % 3])
            user = {"login": f"user{number}", "name": "Mira", "role": "member", "password": tenon.PASSWORD}
            self.assertEqual(201, self.ada.post("/api/core/users", user).status)
            acknowledged.append((self.disk.position(), "user", user["login"], 1))
            self.again()
        self.server.stop()
        self.replay(sorted(acknowledged))

    def replay(self, acknowledged):
        kinds = [kind for _, kind, *_ in changes(self.record)]
        boundaries = [index for index, kind in enumerate(kinds) if kind != WRITE]
        moments = {self.chance.choice(boundaries) - self.chance.randrange(2) for _ in range(CUTS // 2)}
        while len(moments) < CUTS:
            moments.add(self.chance.randrange(len(kinds)))
        starts = set(self.chance.sample(sorted(moments)[len(moments) // 4:], STARTS))
        disk_model, lost_something = DiskModel(self.chance), 0
        for index, (position, *change) in enumerate(changes(self.record)):
            disk_model.apply(*change)
            if index in moments:
                lost_something += any(file.pending for file in disk_model.names.values())
                with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as folder, self.subTest(repeat(), moment=index):
                    disk_model.lose_power(pathlib.Path(folder))
                    before = [each for each in acknowledged if each[0] <= position]
                    if index in starts:
                        self.check_by_a_server(folder, before)
                    self.check(pathlib.Path(folder), before)
        self.assertGreater(lost_something, CUTS // 4, "too little was on its way")

    def check(self, folder, acknowledged):
        """Sound files with all of this in them."""
        there = {
            "user": {login: 1 for (login,) in rows(folder / "tenon.db", "SELECT login FROM identity_users") or ()},
            "note": dict(rows(folder / "notes.db", "SELECT id, version FROM notes") or ()),
            "guest": {text: 1 for (text,) in rows(folder / "my-plugin.db", "SELECT text FROM entries") or ()},
        }
        for name in FILES:
            self.assertIn(integrity(folder / name), ([("ok",)], None), name)
        for position, table, what, version in acknowledged:
            self.assertGreaterEqual(there[table].get(what, 0), version, f"{table} {what} was acknowledged at {position}")

    def check_by_a_server(self, folder, acknowledged):
        server = tenon.Server(*plugin_arguments(), data=folder)
        try:
            server.start()
            client = tenon.Client(server).sign_in("ada")
            self.assertEqual({"active"}, {item["state"] for item in client.get("/api/core/plugins").json()["items"]})
            for _, table, what, version in acknowledged[-100:]:
                if table == "note":
                    response = client.get(f"/api/notes/notes/{what}")
                    self.assertEqual(200, response.status, response)
                    self.assertGreaterEqual(response.json()["version"], version)
            client.close()
        finally:
            server.close()


if __name__ == "__main__":
    unittest.main()
