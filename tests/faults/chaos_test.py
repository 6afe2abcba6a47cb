"""A bad week: everything that may go wrong with a plugin, one after the other, while people work."""

import collections
import contextlib
import json
import pathlib
import re
import sqlite3
import traceback
import unittest

from bad_versions import ID
from chaos import Week
from disk import Disk
from faults_case import integrity, rows
from sampling import FULL, chance, repeat
from steady_users import KeptUser, NotesUser, Weather
from versions_case import VersionsTest

# Of each kind of change; each fault comes once, in the long week twice.
TIMES = {"install": 20, "upgrade": 20, "downgrade": 20, "rollback": 20, "remove": 10, "purge": 10} if FULL else {
    "install": 2, "upgrade": 5, "downgrade": 2, "rollback": 4, "remove": 2, "purge": 1}
LINE = re.compile(r"^\S+ +\w+ +(.*?) plugin=faulty-versions\b(.*)$")
TOLD = ("a plugin was installed", "a plugin was rolled back", "a plugin was removed", "a change of a plugin failed", "plugin quarantined",
        "a version of a plugin crashed the server")
REFUSED = "a package was refused"
WENT_DOWN = "the host went down and was started again"


class Chaos(VersionsTest):
    def setUp(self):
        super().setUp()
        self.data = self.root / "data"
        self.data.mkdir()
        self.disk = Disk(self.data)
        self.addCleanup(self.disk.close)
        self.serve("--log-access", "false", environment=self.disk.environment, supervised=True)
        self.weather = Weather()
        self.weather.no_plugin.begin()
        self.notes = [NotesUser(self.server, self.weather, self.ada.cookies) for _ in range(2)]
        self.keepers = [KeptUser(self.server, self.weather) for _ in range(2)]

    def host(self):
        """The process id of the host; nothing while there is none."""
        children = pathlib.Path(f"/proc/{self.server.process.pid}/task/{self.server.process.pid}/children").read_text().split()
        return int(children[0]) if children else None

    def test_all_that_was_acknowledged_is_there_and_nobody_else_noticed(self):
        """fault: 20 installs, upgrades, downgrades, rollbacks and removals, versions that abort, exit, fail, or are killed while they
        migrate, a full disk, tampered and hostile packages, under load
        | every acknowledged write is there but those behind a rollback or a purge; no request of other plugins fails, but on
        connections that the host had when it went down, and writes on the full disk
        | each change with who and what in the audit log, each fault with plugin, version and reason in the log and the list"""
        order = chance("bad week")
        week = Week(self, order)
        events = [*collections.Counter(TIMES).elements(), *Week.FAULTS * (2 if FULL else 1)]
        order.shuffle(events)
        print(f"        {len(events)} events", flush=True)
        for user in (*self.notes, *self.keepers):
            user.start()
        try:
            for event in events:
                week.do(event)
        except Exception:
            raise AssertionError("\n".join([repeat(), *week.done, traceback.format_exc()])) from None
        finally:
            for user in (*self.notes, *self.keepers):
                user.stop()
        week.check()
        users = (*self.notes, *self.keepers)
        print(f"        {sum(user.answered for user in users)} requests, {sum(user.cut for user in users)} cut off with the host; "
              f"{sum(len(user.acknowledged) for user in users)} writes acknowledged, {sum(len(user.refused) for user in users)} refused",
              flush=True)
        self.assertEqual([], [complaint for user in users for complaint in user.complaints][:10], repeat())
        self.assertTrue(all(len(user.acknowledged) > 20 for user in users), "nobody worked")
        self.check_notes()
        self.check_story(week)
        self.check_audit(week)
        found, listed = week.left()
        self.assertEqual(found, listed, "files that nobody lists, or that are gone")
        self.assertEqual([], self.host_rows("SELECT * FROM plugins_changes"))
        self.assertFalse(list(self.root.glob("**/evil.txt")), "unpacked outside")
        self.assertEqual(b"ready\n", self.ada.get("/readyz").body)
        # And once more from what is on disk.
        self.assertEqual(0, self.server.stop())
        self.server.start()
        self.ada.close()
        week.check()
        self.assertEqual(0, self.server.stop())
        for file in ("tenon.db", "notes.db"):
            self.assertEqual([("ok",)], integrity(self.data / file), file)

    def host_rows(self, sql):
        with contextlib.closing(sqlite3.connect(self.data / "tenon.db", timeout=60)) as database:
            return database.execute(sql).fetchall()

    def check_notes(self):
        there = dict(rows(self.data / "notes.db", "SELECT id, text FROM notes"))
        for user in self.notes:
            self.assertEqual({}, {note: text for note, text in user.acknowledged.items() if there.get(note) != text})
            self.assertEqual(set(), user.refused & set(there))

    def check_story(self, week):
        """The log tells each event, in order, with its version."""
        told = []
        for line in self.server.log(None).splitlines():
            if WENT_DOWN in line:
                told.append((WENT_DOWN, ""))
            elif REFUSED in line:
                told.append((REFUSED, re.search(r" code=(\S+)", line)[1]))
                self.assertRegex(line, r" reason=.* by=\S+")
            elif (match := LINE.match(line)) and match[1] in TOLD:
                version = re.search(r"\b(?:version|to|data)=(\S+)", match[2])
                told.append((match[1], version[1] if version else ""))
                if match[1] == "a plugin was installed":
                    self.assertRegex(match[2], r"\bby=\S+")
                if match[1] in TOLD[3:]:
                    self.assertIn("reason=", match[2])
        expected = collections.Counter(week.story)
        self.assertEqual({}, {**(expected - collections.Counter(told))}, "not told")
        self.assertEqual({}, {**(collections.Counter(one for one in told if one not in week.perhaps) - expected)}, "told and not done")

    def check_audit(self, week):
        """Who did what, in order."""
        [(ada,)] = self.host_rows("SELECT id FROM identity_users WHERE login = 'ada'")
        found = []
        for actor, action, details in self.host_rows(
                f"SELECT actor, action, details FROM identity_audit WHERE object = '{ID}' ORDER BY id"):
            self.assertEqual(ada, actor, action)
            told = json.loads(details or "{}")
            found.append((action, told.get("version", told.get("data", ""))))
        self.assertEqual(week.audit, found)


if __name__ == "__main__":
    unittest.main()
