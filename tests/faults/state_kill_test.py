"""kill -9 at each call by which disabling and enabling a plugin change files: it is wholly the one or wholly the other."""

import contextlib
import http.client
import itertools

from disk import CREATE, DIE, RENAME, SYNC, TRUNCATE, UNLINK, WRITE
from faults_case import FaultsTest

CHANGES = WRITE | SYNC | TRUNCATE | CREATE | UNLINK | RENAME


class StateKill(FaultsTest):
    def change(self, what, at):
        """Kills the change before the call of that number. Returns (status or None, whether it was killed)."""
        self.disk.fail("", CHANGES, DIE, skip=at)
        status = None
        with contextlib.suppress(OSError, http.client.HTTPException):
            status = self.ada.post(f"/api/core/plugins/my-plugin/{what}", {}).status
        was_killed = status is None or self.server.process.poll() is not None
        self.disk.heal()
        if was_killed:
            self.assertEqual(-9, self.server.process.wait(60))
        return status, was_killed

    def sweep(self, what, state, back, was):
        """Kills the change at each call, from the state `was`, to which `back` leads. Returns the number of calls."""
        for at in itertools.count():
            note, response = self.write_note("before")
            self.assertEqual(201, response.status)
            self.notes.append(note)
            status, was_killed = self.change(what, at)
            if was_killed:
                self.server.start()
                self.ada.close()
            plugin = self.plugin("my-plugin")
            self.assertIn((plugin["state"], plugin["enabled"], plugin["reason"]),
                          {("active", True, None), ("disabled", False, None)}, f"{what}, call {at}")
            if status is not None:
                self.assertEqual((200, state), (status, plugin["state"]), "a change with a response is done")
            guests = self.ada.get("/api/my-plugin/guests")
            self.assertEqual(200 if plugin["state"] == "active" else 404, guests.status)
            if plugin["state"] == "active":
                self.assertEqual([self.signed], [guest["entries"] for guest in guests.json()])
            self.assertEqual(200, self.response("GET", f"/notes/{note}").status, "acknowledged and lost")
            self.assertEqual(b"ready\n", self.client().get("/readyz").body)
            if not was_killed:
                return at
            if plugin["state"] != was:
                self.assertEqual(was, self.ada.post(f"/api/core/plugins/my-plugin/{back}", {}).json()["state"])

    def test_leaves_plugin_active_or_disabled(self):
        """fault: kill -9 at any call by which disabling or enabling a plugin changes files
        | it is active or disabled, with its data; a change with a response is done; others are not affected
        | its state in the list: the one before or the one that was asked for, without a reason"""
        self.notes, self.signed = [], 1
        self.assertEqual(201, self.sign_guest_book().status)
        count = self.sweep("disable", "disabled", "enable", "active")
        self.assertGreater(count, 2, "nothing was killed")
        count = self.sweep("enable", "active", "disable", "disabled")
        self.assertGreater(count, 2, "nothing was killed")
        self.assertNotIn("quarantined", self.server.log(None))
        with self.copied() as folder:
            self.check_files(folder, self.notes)


if __name__ == "__main__":
    import unittest
    unittest.main()
