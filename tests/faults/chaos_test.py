"""Chaos test: every fault of a plugin, in random order, while users work."""

import collections
import contextlib
import json
import pathlib
import re
import sqlite3
import traceback
import unittest

from bad_versions import ID
from chaos import ChaosRun
from disk import Disk
from faults_case import integrity, rows
from sampling import FULL, chance, repeat
from steady_users import KeptUser, NotesUser, Weather
from versions_case import VersionsTest

# How often each kind of change comes. Each fault comes once, with DEV_FULL=1 twice.
TIMES = {"install": 20, "upgrade": 20, "downgrade": 20, "rollback": 20, "remove": 10, "purge": 10} if FULL else {
    "install": 2, "upgrade": 5, "downgrade": 2, "rollback": 4, "remove": 2, "purge": 1}
LINE = re.compile(r"^\S+ +\w+ +(.*?) plugin=faulty-versions\b(.*)$")
LOGGED = ("a plugin was installed", "a plugin was rolled back", "a plugin was removed", "a change of a plugin failed", "plugin quarantined",
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
        """Returns the process id of the host, or None while there is none."""
        children = pathlib.Path(f"/proc/{self.server.process.pid}/task/{self.server.process.pid}/children").read_text().split()
        return int(children[0]) if children else None

    def test_keeps_acknowledged_writes_and_other_plugins(self):
        """fault: 20 installs, upgrades, downgrades, rollbacks and removals, versions that abort, exit, fail, or are killed while they
        migrate, a full disk, tampered and hostile packages, under load
        | every acknowledged write exists, except those undone by a rollback or a purge; no request of other plugins fails, but on
        connections that the host had when it went down, and writes on the full disk
        | each change with who and what in the audit log, each fault with plugin, version and reason in the log and the list"""
        order = chance("chaos")
        run = ChaosRun(self, order)
        events = [*collections.Counter(TIMES).elements(), *ChaosRun.FAULTS * (2 if FULL else 1)]
        order.shuffle(events)
        print(f"        {len(events)} events", flush=True)
        for user in (*self.notes, *self.keepers):
            user.start()
        try:
            for event in events:
                run.do(event)
        except Exception:
            raise AssertionError("\n".join([repeat(), *run.done, traceback.format_exc()])) from None
        finally:
            for user in (*self.notes, *self.keepers):
                user.stop()
        run.check()
        users = (*self.notes, *self.keepers)
        print(f"        {sum(user.response_count for user in users)} requests, {sum(user.cut for user in users)} cut off with the host; "
              f"{sum(len(user.acknowledged) for user in users)} writes acknowledged, {sum(len(user.refused) for user in users)} refused",
              flush=True)
        self.assertEqual([], [complaint for user in users for complaint in user.complaints][:10], repeat())
        self.assertTrue(all(len(user.acknowledged) > 20 for user in users), "no user worked")
        self.check_notes()
        self.check_story(run)
        self.check_audit(run)
        found, listed = run.left()
        self.assertEqual(found, listed, "unlisted or missing files")
        self.assertEqual([], self.host_rows("SELECT * FROM plugins_changes"))
        self.assertFalse(list(self.root.glob("**/evil.txt")), "unpacked outside")
        self.assertEqual(b"ready\n", self.ada.get("/readyz").body)
        # And once more from what is on disk.
        self.assertEqual(0, self.server.stop())
        self.server.start()
        self.ada.close()
        run.check()
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

    def check_story(self, run):
        """Checks that the log has each event, in order, with its version."""
        logged = []
        for line in self.server.log(None).splitlines():
            if WENT_DOWN in line:
                logged.append((WENT_DOWN, ""))
            elif REFUSED in line:
                logged.append((REFUSED, re.search(r" code=(\S+)", line)[1]))
                self.assertRegex(line, r" reason=.* by=\S+")
            elif (match := LINE.match(line)) and match[1] in LOGGED:
                version = re.search(r"\b(?:version|to|data)=(\S+)", match[2])
                logged.append((match[1], version[1] if version else ""))
                if match[1] == "a plugin was installed":
                    self.assertRegex(match[2], r"\bby=\S+")
                if match[1] in LOGGED[3:]:
                    self.assertIn("reason=", match[2])
        expected = collections.Counter(run.story)
        self.assertEqual({}, {**(expected - collections.Counter(logged))}, "not logged")
        self.assertEqual({}, {**(collections.Counter(one for one in logged if one not in run.perhaps) - expected)}, "logged and not done")

    def check_audit(self, run):
        """Checks the actor and the action of each audit entry, in order."""
        [(ada,)] = self.host_rows("SELECT id FROM identity_users WHERE login = 'ada'")
        found = []
        for actor, action, details in self.host_rows(
                f"SELECT actor, action, details FROM identity_audit WHERE object = '{ID}' ORDER BY id"):
            self.assertEqual(ada, actor, action)
            logged = json.loads(details or "{}")
            found.append((action, logged.get("version", logged.get("data", ""))))
        self.assertEqual(run.audit, found)


if __name__ == "__main__":
    unittest.main()
