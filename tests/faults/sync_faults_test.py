"""A sync that fails: writes to that file are refused until it is opened again. All other files stay writable."""

import errno

from disk import ALWAYS, SYNC
from faults_case import FaultsTest

LARGE = "large " * 40_000


class Syncs(FaultsTest):
    def assert_writing_has_stopped(self, earlier):
        """Checks that writes are refused, reads continue, the admin is notified, and the other plugin is not affected."""
        self.assert_problem(self.write_note()[1], 503, "data.storage_failed")
        self.assertEqual(200, self.response("GET", f"/notes/{earlier}").status)
        self.assertEqual(201, self.sign_guest_book().status)
        plugin = self.wait_for_reason("notes", "data.storage_failed")
        self.assertEqual("active", plugin["state"])
        self.assertEqual(str(self.data / "notes.db"), plugin["reason"]["file"])
        self.assertIn("enable the plugin again", plugin["reason"]["message"])
        self.assertEqual("ready\ndegraded\nnotes active data.storage_failed\n", self.client().get("/readyz").body.decode())
        self.assertIn('tenon_plugins_trouble{plugin="notes",code="data.storage_failed"} 1', self.client().get("/metrics").body.decode())
        self.assert_logged("code=data.storage_failed")
        # A disk that lied once is not believed again because the next call works.
        self.disk.heal()
        self.assert_problem(self.write_note()[1], 503, "data.storage_failed")
        self.assertEqual("data.storage_failed", self.plugin("notes")["reason"]["code"])

    def test_of_a_commit_ends_writing_until_restart(self):
        """fault: a sync of a commit fails
        | that plugin only reads, until its file is opened again
        | 503 `data.storage_failed`; the reason of the plugin in the list"""
        for kill in (False, True):
            earlier, _ = self.write_note("before")
            self.disk.fail("notes.db-wal", SYNC, errno.EIO, times=ALWAYS)
            self.assert_writing_has_stopped(earlier)
            self.again(kill)
            later, response = self.write_note("after")
            self.assertEqual(201, response.status)
            self.assertIsNone(self.plugin("notes")["reason"])
            with self.copied() as folder:
                self.check_files(folder, [earlier, later])

    def test_of_a_commit_ends_writing_until_enabled(self):
        earlier, _ = self.write_note("before")
        self.disk.fail("notes.db-wal", SYNC, errno.EIO)
        self.assert_writing_has_stopped(earlier)
        generation = self.plugin("notes")["generation"]
        self.disk.fail("notes.db-wal", SYNC, errno.EIO, times=ALWAYS)
        refused = self.ada.post("/api/core/plugins/notes/enable", {})
        self.assertEqual("data.io", refused.json()["code"], "what cannot be synced is not opened")
        self.assertEqual("failed", self.plugin("notes")["state"])
        self.disk.heal()
        enabled = self.ada.post("/api/core/plugins/notes/enable", {})
        self.assertEqual((200, "active", None), (enabled.status, enabled.json()["state"], enabled.json()["reason"]))
        self.assertLess(generation, enabled.json()["generation"])
        later, response = self.write_note("after")
        self.assertEqual(201, response.status)
        with self.copied() as folder:
            self.check_files(folder, [earlier, later])

    def test_while_the_log_is_copied_ends_writing_too(self):
        acknowledged = []
        self.disk.fail("notes.db", SYNC, errno.EIO, times=ALWAYS)
        for _ in range(300):
            note, response = self.write_note(LARGE)
            if response.status != 201:
                break
            acknowledged.append(note)
        self.assert_problem(response, 503, "data.storage_failed")
        self.assert_writing_has_stopped(acknowledged[0])
        self.again(kill=True)
        with self.copied() as folder:
            self.check_files(folder, acknowledged, [note])

    def test_of_the_hosts_database_ends_the_process(self):
        """fault: a sync of the host's own database fails
        | the server ends with code 1; the next start has all that was acknowledged
        | the log, with the file"""
        earlier, _ = self.write_note("before")
        self.disk.fail("tenon.db-wal", SYNC, errno.EIO, times=ALWAYS)
        user = {"login": "mira", "name": "Mira", "role": "member", "password": "correct horse battery"}
        response = self.ada.post("/api/core/users", user)
        self.assert_problem(response, 503, "data.storage_failed")
        self.assertEqual(1, self.server.process.wait(60))
        self.assert_logged("the host's database cannot be trusted any more, stopping")
        self.assert_logged(str(self.data / "tenon.db"))
        self.disk.heal()
        self.server.start()
        self.ada.close()
        self.assertEqual(200, self.response("GET", f"/notes/{earlier}").status)
        self.client("ada")
        with self.copied() as folder:
            self.check_files(folder, [earlier])


if __name__ == "__main__":
    import unittest
    unittest.main()
