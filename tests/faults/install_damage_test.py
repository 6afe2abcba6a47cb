"""Plugins that were installed, when somebody took files away behind the server's back, or an earlier change was broken off."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import unittest

from calls import KILLED, Calls, may_trace
from plugin_changes import CHANGES, GONE, NEW, OLD, Place, State, Stock

INSTALL, UPGRADE, ROLLBACK, KEEP, PURGE = CHANGES[:5]


class InstallDamage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stock = Stock()

    def place(self, data, is_started=True):
        place = Place(self.stock, data)
        self.addCleanup(place.remove)
        return place.start() if is_started else place

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.json()["code"]), (status, code), answer)
        return answer.json()["detail"]

    def done(self, place, change, expected):
        answer = place.change(change)
        self.assertIn(answer.status, (200, 204), answer)
        self.assertEqual(expected, place.state())
        place.check_rest()

    def alone(self, place, change):
        return subprocess.run(place.command(change), capture_output=True, text=True, timeout=60, check=False)

    def folder(self, place, version):
        [folder] = (place.data / "plugins/multi-version").glob(version + "-*")
        return folder

    def half(self, folder):
        """What is left of a folder when half of it was deleted."""
        (folder / "plugin.json").unlink()
        shutil.rmtree(folder / "lib")

    def test_a_folder_that_was_half_deleted_fails_its_plugin_alone_and_can_be_replaced(self):
        """fault: half of the folder of an installed version is deleted
        | its plugin is not loaded; another version takes its place
        | `plugins.manifest_invalid` or `plugins.files_modified` with the file"""
        place = self.place("old", False)
        self.half(self.folder(place, "1.0.0"))
        place.start()
        plugin = place.ada.get("/api/core/plugins/multi-version").json()
        self.assertEqual(("failed", "plugins.manifest_invalid"), (plugin["state"], plugin["reason"]["code"]), plugin)
        self.assertEqual("active", place.ada.get("/api/core/plugins/notes").json()["state"])
        # The same version says how; another one takes its place, and what is broken is not gone back to.
        self.assertIn("Remove the plugin", self.refused(place.change(INSTALL), 409, "plugins.files_modified"))
        self.done(place, UPGRADE, UPGRADE.after)
        self.refused(place.change(ROLLBACK), 409, "plugins.files_modified")
        self.assertEqual(UPGRADE.after, place.state())

    def test_a_folder_that_was_half_deleted_under_a_plugin_that_runs(self):
        place = self.place("new")
        self.half(self.folder(place, "1.0.0"))
        self.refused(place.change(ROLLBACK), 409, "plugins.files_modified")
        self.assertEqual(NEW, place.state())
        self.half(self.folder(place, "1.1.0"))
        self.assertEqual(b"1.1.0", place.ada.get("/api/multi-version/version").body)
        self.done(place, KEEP, KEEP.after)
        self.done(place, UPGRADE, State("1.1.0", NEW.titles))

    def test_a_snapshot_that_is_gone_is_said_before_anything_is_changed(self):
        """fault: the data that a rollback needs are gone
        | refused before anything is changed
        | `plugins.snapshot_missing` with the version and the file"""
        place = self.place("new")
        [snapshot] = (place.data / "plugins/multi-version/snapshots").iterdir()
        snapshot.unlink()
        self.assertIn("1.0.0", self.refused(place.change(ROLLBACK), 409, "plugins.snapshot_missing"))
        self.assertEqual(NEW, place.state())
        place.server.stop()
        done = self.alone(place, ROLLBACK)
        self.assertEqual(1, done.returncode, done)
        self.assertIn("cannot be restored", done.stderr)
        place.close()
        place.start()
        self.assertEqual(NEW, place.state())
        self.assertEqual([], place.rows("SELECT * FROM plugins_changes"))
        self.done(place, UPGRADE, State("1.1.0", NEW.titles, "1.1.0"))

    @contextlib.contextmanager
    def read_only(self, folder):
        """As for whoever is not root; for root a mount does it."""
        def mount(*arguments):
            done = subprocess.run(["mount", *arguments, folder], capture_output=True, text=True, check=False)
            if done.returncode:
                self.skipTest(f"root that may not mount: {done.stderr}")
        if os.geteuid() != 0:
            folder.chmod(0o555)
            try:
                yield
            finally:
                folder.chmod(0o755)
            return
        mount("--bind", folder)
        try:
            mount("-o", "remount,bind,ro")
            yield
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)

    def test_a_folder_of_plugins_that_cannot_be_written(self):
        """fault: the folder with the plugins cannot be written
        | what runs goes on; an upgrade is refused, a removal done
        | `plugins.package_write_failed` with what the system said"""
        place = self.place("old", False)
        with self.read_only(place.data / "plugins"):
            place.start()
            self.assertEqual(OLD, place.state())
            detail = self.refused(place.change(UPGRADE), 503, "plugins.package_write_failed")
            self.assertRegex(detail, "Read-only|Permission")
            self.assertEqual(OLD, place.state())
            place.check_rest()
            place.server.stop()
            self.assertEqual(1, self.alone(place, UPGRADE).returncode)
            # To be removed needs no room there; what is left goes later.
            place.close()
            place.start()
            self.assertEqual(204, place.change(KEEP).status)
            self.assertEqual(State(), place.state())
            self.assertTrue(place.left())
            place.close()
        place.start()
        place.check_rest()
        self.done(place, INSTALL, State("1.0.0", ("one",)))

    def broken_off(self, place, change, met):
        """Without a server: killed before the first call that is `met`."""
        trial = self.place(change.data, False)
        calls = Calls(trial.data)
        self.addCleanup(calls.close)
        calls.arm()
        self.assertEqual(0, subprocess.run([*calls.prefix, *trial.command(change)], capture_output=True, check=False).returncode)
        at = 1 + next(index for index, call in enumerate(calls.seen()) if call == met)
        own = Calls(place.data)
        self.addCleanup(own.close)
        own.arm(at)
        done = subprocess.run([*own.prefix, *place.command(change)], capture_output=True, text=True, check=False)
        self.assertEqual(KILLED, done.returncode, done)

    def test_a_change_that_was_broken_off_is_ended_before_the_next_one(self):
        if reason := may_trace():
            self.skipTest(reason)
        for met in (("link", "/multi-version.db-restore"), ("rename", "/multi-version.db-restore")):
            for change, expected in ((UPGRADE, State("1.1.0", ("one",), "1.0.0")), (PURGE, GONE), (KEEP, State())):
                with self.subTest(change.name, met=met):
                    place = self.place("new", False)
                    self.broken_off(place, ROLLBACK, met)
                    self.assertEqual(1, len(place.rows("SELECT * FROM plugins_changes")))
                    done = self.alone(place, change)
                    self.assertEqual(0, done.returncode, done)
                    place.start()
                    self.assertEqual(expected, place.state())
                    place.check_rest()
                    if change is KEEP:
                        self.done(place, INSTALL, State("1.0.0", ("one",)))

    def test_a_change_that_cannot_be_ended_fails_its_plugin_alone_until_it_is_purged(self):
        """fault: a change was broken off, and its snapshot is gone
        | its plugin alone does not begin, until it is removed with its data
        | `plugins.operation_pending`; why is in the log"""
        if reason := may_trace():
            self.skipTest(reason)
        place = self.place("new", False)
        self.broken_off(place, ROLLBACK, ("link", "/multi-version.db-restore"))
        [snapshot] = (place.data / "plugins/multi-version/snapshots").iterdir()
        snapshot.unlink()
        for change in (UPGRADE, KEEP):
            place.start()
            plugin = place.ada.get("/api/core/plugins/multi-version").json()
            self.assertEqual(("failed", "plugins.operation_pending"), (plugin["state"], plugin["reason"]["code"]), plugin)
            self.assertEqual("active", place.ada.get("/api/core/plugins/notes").json()["state"])
            self.assertIn("there is no such file", place.server.log())
            self.refused(place.change(change), 409, "data.snapshot_refused")
            place.close()
        place.start()
        self.done(place, PURGE, GONE)
        self.done(place, INSTALL, INSTALL.after)

    def test_what_is_still_to_be_purged_is_purged_before_it_is_installed_again(self):
        place = self.place("new", False)
        self.assertEqual(0, self.alone(place, PURGE).returncode)
        done = self.alone(place, INSTALL)
        self.assertEqual(1, done.returncode, done)
        self.assertIn("Start it once", done.stderr)
        place.start()
        self.assertEqual(GONE, place.state())
        self.done(place, INSTALL, State("1.0.0"))

    def test_nothing_begins_on_data_whose_change_is_not_ended(self):
        place = self.place("old")
        self.assertEqual(200, place.ada.post("/api/core/plugins/multi-version/disable", {}).status)
        with contextlib.closing(sqlite3.connect(place.data / "tenon.db", timeout=60)) as database, database:
            database.execute("INSERT INTO plugins_changes VALUES('multi-version', 'restore', '', 1)")
        self.refused(place.ada.post("/api/core/plugins/multi-version/enable", {}), 409, "plugins.operation_pending")
        self.assertEqual("failed", place.ada.get("/api/core/plugins/multi-version").json()["state"])
        place.close()
        place.start()
        self.assertEqual(OLD, place.state())
        place.check_rest()


if __name__ == "__main__":
    unittest.main()
