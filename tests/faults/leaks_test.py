"""Repeated changes leak nothing, neither in the process nor on the disk."""

import collections
import os
import pathlib
import re
import unittest

from bad_versions import ID
from faults_case import rows, tenon
from sampling import FULL
from steady_users import NotesUser, Weather
from versions_case import VersionsTest

TIMES = 50 if FULL else 12
# Parts of names that vary: versions, generations, hashes of content.
VARIES = re.compile(r"[0-9a-f]{64}-\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d\.\d\.\d(-[0-9a-f]+)?|\[\d+\]")
# Threads that work, and connections that read, become more under load. A change that leaks one would leak as many as there are
# changes.
POOLED = 8


class Leaks(VersionsTest):
    """A server with notes, a user of them, and a plugin that is changed."""

    def setUp(self):
        super().setUp()
        self.serve("--log-access", "false")
        self.install("1.0.0")
        self.user = NotesUser(self.server, Weather(), self.ada.cookies)
        self.user.start()
        self.addCleanup(self.user.stop)

    def in_process(self):
        """How many descriptors, threads and mapped files of each kind the process has, and the names below run/."""
        process = pathlib.Path(f"/proc/{self.server.process.pid}")
        found = collections.Counter()
        for kind, folder in (("descriptor", "fd"), ("thread", "task")):
            for entry in (process / folder).iterdir():
                try:
                    name = os.readlink(entry) if kind == "descriptor" else (entry / "comm").read_text().strip()
                except FileNotFoundError:  # gone meanwhile
                    continue
                found[kind, VARIES.sub("*", name)] += 1
        mapped = {line.split(maxsplit=5)[5] for line in (process / "maps").read_text().splitlines() if line.count("/")}
        found.update(("mapped", VARIES.sub("*", path)) for path in mapped)
        return found

    def on_disk(self):
        """How many files and folders of each kind the data directory has."""
        data = self.server.data
        return collections.Counter(("file", VARIES.sub("*", str(path.relative_to(data)))) for path in data.rglob("*"))

    def assert_no_more(self, before):
        """Checks that there are no more than before. Waits for work that a change leaves to other threads."""
        def more():
            return {kind: (before[kind], count) for kind, count in (self.in_process() + self.on_disk()).items()
                    if count > before[kind] + (POOLED if kind[0] in ("thread", "descriptor") else 0)}
        tenon.within(lambda: not more(), 60)
        self.assertEqual({}, more(), "kind: before, now")

    def repeat(self, change):
        """Repeats a change TIMES, after three runs that create everything that is created once."""
        for time in range(3):
            change(time)
        peak = collections.Counter()
        # Threads and descriptors of the users vary.
        for _ in range(20):
            peak |= self.in_process() + self.on_disk()
            self.keep_on()
        worked = len(self.user.acknowledged)
        for time in range(3, 3 + TIMES):
            change(time)
        self.assertGreater(len(self.user.acknowledged), worked, "no user worked meanwhile")
        self.assert_no_more(peak)
        self.assert_all_is_there()

    def keep_on(self):
        self.keep(self.ada.get(f"/api/core/plugins/{ID}").json()["version"])

    def assert_all_is_there(self):
        plugin = self.ada.get(f"/api/core/plugins/{ID}").json()
        self.assertEqual(("active", None, 0), (plugin["state"], plugin["reason"], plugin["resident"]), plugin)
        self.assertIn(f'tenon_plugins_resident{{plugin="{ID}"}} 0', self.ada.get("/metrics").body.decode())
        self.assertEqual(b"ready\n", self.ada.get("/readyz").body)
        self.user.stop()
        self.assertEqual([], self.user.complaints[:10])
        self.assertEqual(0, self.server.stop())
        self.assert_kept()
        notes = {note for note, in rows(self.server.data / "notes.db", "SELECT id FROM notes")}
        self.assertEqual(set(), set(self.user.acknowledged) - notes, "acknowledged and lost")

    def test_disabling_and_enabling(self):
        """fault: a plugin is disabled and enabled again and again
        | no more threads, descriptors, mapped libraries and files than after the third time; others are served
        | `resident` 0 in the list and in `/metrics`"""
        def change(_):
            for what, state in (("disable", "disabled"), ("enable", "active")):
                self.assertEqual(state, self.ada.post(f"/api/core/plugins/{ID}/{what}", {}).json()["state"])
            self.keep("1.0.0")
        self.repeat(change)

    def test_upgrading(self):
        """fault: a plugin is upgraded again and again
        | no more threads, descriptors, mapped libraries and files than after the third time: one version is kept in addition to the current one;
        others are served, and each row of each version is there
        | `resident` 0 in the list and in `/metrics`"""
        def change(time):
            self.install(f"{1 + (time + 1) // 10}.{(time + 1) % 10}.0")
        self.repeat(change)

    def test_versions_that_fail(self):
        """fault: one version of a plugin after the other fails in its constructor or in start, after a change of its data
        | no more threads, descriptors, mapped libraries and files than after the third one; the previous version continues with its data
        | each response and the log: `plugins.create_failed`, `plugins.start_failed` with the plugin's message"""
        def change(time):
            code, behavior = (("plugins.create_failed", 8), ("plugins.start_failed", 9))[time % 2]
            response = self.send(self.packages.package(f"1.1.{behavior}"))
            self.assertEqual((409, code), (response.status, response.json()["code"]), response)
            self.keep("1.0.0")
        self.repeat(change)
        refusals = [line for line in self.server.log(None).splitlines() if "a change of a plugin failed" in line]
        self.assertEqual(TIMES + 3, len(refusals))


if __name__ == "__main__":
    unittest.main()
