"""Installed plugins whose files were deleted, or whose last change was interrupted."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import unittest

from calls import KILLED, Calls, may_trace
from plugin_changes import CHANGES, GONE, NEW, OLD, Site, State, Stock

INSTALL, UPGRADE, ROLLBACK, KEEP, PURGE = CHANGES[:5]


class InstallDamage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stock = Stock()

    def site(self, data, is_started=True):
        site = Site(self.stock, data)
        self.addCleanup(site.remove)
        return site.start() if is_started else site

    def refused(self, response, status, code):
        self.assertEqual((response.status, response.json()["code"]), (status, code), response)
        return response.json()["detail"]

    def done(self, site, change, expected):
        response = site.change(change)
        self.assertIn(response.status, (200, 204), response)
        self.assertEqual(expected, site.state())
        site.check_rest()

    def alone(self, site, change):
        return subprocess.run(site.command(change), capture_output=True, text=True, timeout=60, check=False)

    def folder(self, site, version):
        [folder] = (site.data / "plugins/multi-version").glob(version + "-*")
        return folder

    def half(self, folder):
        """Deletes half of a folder."""
        (folder / "plugin.json").unlink()
        shutil.rmtree(folder / "lib")

    def test_replaces_half_deleted_version(self):
        """fault: half of the folder of an installed version is deleted
        | its plugin is not loaded; another version takes its place
        | `plugins.manifest_invalid` or `plugins.files_modified` with the file"""
        site = self.site("old", False)
        self.half(self.folder(site, "1.0.0"))
        site.start()
        plugin = site.ada.get("/api/core/plugins/multi-version").json()
        self.assertEqual(("failed", "plugins.manifest_invalid"), (plugin["state"], plugin["reason"]["code"]), plugin)
        self.assertEqual("active", site.ada.get("/api/core/plugins/notes").json()["state"])
        # The error of the same version says how; another version replaces it, and a rollback to the broken one is rejected.
        self.assertIn("Remove the plugin", self.refused(site.change(INSTALL), 409, "plugins.files_modified"))
        self.done(site, UPGRADE, UPGRADE.after)
        self.refused(site.change(ROLLBACK), 409, "plugins.files_modified")
        self.assertEqual(UPGRADE.after, site.state())

    def test_keeps_running_from_half_deleted_folder(self):
        site = self.site("new")
        self.half(self.folder(site, "1.0.0"))
        self.refused(site.change(ROLLBACK), 409, "plugins.files_modified")
        self.assertEqual(NEW, site.state())
        self.half(self.folder(site, "1.1.0"))
        self.assertEqual(b"1.1.0", site.ada.get("/api/multi-version/version").body)
        self.done(site, KEEP, KEEP.after)
        self.done(site, UPGRADE, State("1.1.0", NEW.titles))

    def test_reports_missing_snapshot_before_any_change(self):
        """fault: the data that a rollback needs are gone
        | refused before anything is changed
        | `plugins.snapshot_missing` with the version and the file"""
        site = self.site("new")
        [snapshot] = (site.data / "plugins/multi-version/snapshots").iterdir()
        snapshot.unlink()
        self.assertIn("1.0.0", self.refused(site.change(ROLLBACK), 409, "plugins.snapshot_missing"))
        self.assertEqual(NEW, site.state())
        site.server.stop()
        done = self.alone(site, ROLLBACK)
        self.assertEqual(1, done.returncode, done)
        self.assertIn("cannot be restored", done.stderr)
        site.close()
        site.start()
        self.assertEqual(NEW, site.state())
        self.assertEqual([], site.rows("SELECT * FROM plugins_changes"))
        self.done(site, UPGRADE, State("1.1.0", NEW.titles, "1.1.0"))

    @contextlib.contextmanager
    def read_only(self, folder):
        """Makes a folder read only: by its mode, or by a mount if the user is root."""
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

    def test_reports_read_only_folder_of_plugins(self):
        """fault: the folder with the plugins cannot be written
        | the running version continues; an upgrade is refused, a removal succeeds
        | `plugins.package_write_failed` with what the system said"""
        site = self.site("old", False)
        with self.read_only(site.data / "plugins"):
            site.start()
            self.assertEqual(OLD, site.state())
            detail = self.refused(site.change(UPGRADE), 503, "plugins.package_write_failed")
            self.assertRegex(detail, "Read-only|Permission")
            self.assertEqual(OLD, site.state())
            site.check_rest()
            site.server.stop()
            self.assertEqual(1, self.alone(site, UPGRADE).returncode)
            # A removal needs no space there. The remaining files are deleted later.
            site.close()
            site.start()
            self.assertEqual(204, site.change(KEEP).status)
            self.assertEqual(State(), site.state())
            self.assertTrue(site.left())
            site.close()
        site.start()
        site.check_rest()
        self.done(site, INSTALL, State("1.0.0", ("one",)))

    def broken_off(self, site, change, last):
        """Runs a change without a server, and kills it before the first call that is `last`."""
        trial = self.site(change.data, False)
        calls = Calls(trial.data)
        self.addCleanup(calls.close)
        calls.arm()
        self.assertEqual(0, subprocess.run([*calls.prefix, *trial.command(change)], capture_output=True, check=False).returncode)
        at = 1 + next(index for index, call in enumerate(calls.seen()) if call == last)
        own = Calls(site.data)
        self.addCleanup(own.close)
        own.arm(at)
        done = subprocess.run([*own.prefix, *site.command(change)], capture_output=True, text=True, check=False)
        self.assertEqual(KILLED, done.returncode, done)

    def test_ends_interrupted_change_before_next_one(self):
        if reason := may_trace():
            self.skipTest(reason)
        for last in (("link", "/multi-version.db-restore"), ("rename", "/multi-version.db-restore")):
            for change, expected in ((UPGRADE, State("1.1.0", ("one",), "1.0.0")), (PURGE, GONE), (KEEP, State())):
                with self.subTest(change.name, last=last):
                    site = self.site("new", False)
                    self.broken_off(site, ROLLBACK, last)
                    self.assertEqual(1, len(site.rows("SELECT * FROM plugins_changes")))
                    done = self.alone(site, change)
                    self.assertEqual(0, done.returncode, done)
                    site.start()
                    self.assertEqual(expected, site.state())
                    site.check_rest()
                    if change is KEEP:
                        self.done(site, INSTALL, State("1.0.0", ("one",)))

    def test_requires_purge_if_change_cannot_end(self):
        """fault: a change was broken off, and its snapshot is gone
        | its plugin alone does not begin, until it is removed with its data
        | `plugins.operation_pending`; why is in the log"""
        if reason := may_trace():
            self.skipTest(reason)
        site = self.site("new", False)
        self.broken_off(site, ROLLBACK, ("link", "/multi-version.db-restore"))
        [snapshot] = (site.data / "plugins/multi-version/snapshots").iterdir()
        snapshot.unlink()
        for change in (UPGRADE, KEEP):
            site.start()
            plugin = site.ada.get("/api/core/plugins/multi-version").json()
            self.assertEqual(("failed", "plugins.operation_pending"), (plugin["state"], plugin["reason"]["code"]), plugin)
            self.assertEqual("active", site.ada.get("/api/core/plugins/notes").json()["state"])
            self.assertIn("there is no such file", site.server.log())
            self.refused(site.change(change), 409, "data.snapshot_refused")
            site.close()
        site.start()
        self.done(site, PURGE, GONE)
        self.done(site, INSTALL, INSTALL.after)

    def test_purges_before_installing_again(self):
        site = self.site("new", False)
        self.assertEqual(0, self.alone(site, PURGE).returncode)
        done = self.alone(site, INSTALL)
        self.assertEqual(1, done.returncode, done)
        self.assertIn("Start it once", done.stderr)
        site.start()
        self.assertEqual(GONE, site.state())
        self.done(site, INSTALL, State("1.0.0"))

    def test_does_not_start_plugin_with_pending_change(self):
        site = self.site("old")
        self.assertEqual(200, site.ada.post("/api/core/plugins/multi-version/disable", {}).status)
        with contextlib.closing(sqlite3.connect(site.data / "tenon.db", timeout=60)) as database, database:
            database.execute("INSERT INTO plugins_changes VALUES('multi-version', 'restore', '', 1)")
        self.refused(site.ada.post("/api/core/plugins/multi-version/enable", {}), 409, "plugins.operation_pending")
        self.assertEqual("failed", site.ada.get("/api/core/plugins/multi-version").json()["state"])
        site.close()
        site.start()
        self.assertEqual(OLD, site.state())
        site.check_rest()


if __name__ == "__main__":
    unittest.main()
