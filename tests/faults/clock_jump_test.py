"""A wall clock that jumps, forward and back, while plugins are changed, jobs run and users work. The other clocks are not changed."""

import json
import time
import unittest

from bad_versions import ID
from clock import DAY, Clock
from faults_case import integrity, rows, tenon
from steady_users import NotesUser, Weather
from versions_case import VersionsTest

ZOO = tenon.BUILD / "tests/plugins/zoo"
JOBS = "/api/runs-jobs"


class ClockJumps(VersionsTest):
    """A server by a clock of the test's, with notes, a plugin that runs jobs, and packages of one that is changed."""

    def setUp(self):
        super().setUp()
        self.clock = Clock()
        self.addCleanup(self.clock.close)
        self.serve("--plugins", ZOO / "runs_jobs", "--jobs-lease", "2s", "--jobs-threads", "4", environment=self.clock.environment)

    def start_again(self, kill=False):
        self.server.kill() if kill else self.server.stop()
        self.server.start()
        self.ada.close()

    def logged(self, *words):
        found = tenon.eventually(lambda: [line for line in self.server.log(None).splitlines() if all(word in line for word in words)])
        return found[-1]

    def doctor(self):
        """Codes of what it finds, with the texts."""
        done = tenon.tenon("doctor", "--data", self.server.data, "--json", environment=self.clock.environment)
        return {finding["code"]: finding for check in json.loads(done.stdout)["checks"] for finding in check["findings"]}

    # Plugins

    def change_a_plugin(self, version):
        """Installed or upgraded, disabled, enabled, rolled back and upgraded again."""
        for again in (False, True):
            response = self.install(version)
            before = response.json()["previous"]
            for what, state in (("disable", "disabled"), ("enable", "active")):
                self.assertEqual(state, self.ada.post(f"/api/core/plugins/{ID}/{what}", {}).json()["state"])
            if again or not before:
                break
            response = self.ada.post(f"/api/core/plugins/{ID}/rollback", {})
            self.assertEqual((200, before), (response.status, response.json().get("version")), response)
            self.kept.pop()  # with the data that the version before had

    def test_plugins_are_changed_meanwhile(self):
        """fault: the wall clock jumps by two days, forward and back, while plugins are installed, upgraded, rolled back and disabled
        | all changes succeed, every acknowledged write exists, sessions continue; also after a start with a clock that was set back
        | `tenon doctor`: `clock.went_back`, with both times and where the later one is stored"""
        user = NotesUser(self.server, Weather(), self.ada.cookies)
        user.start()
        self.addCleanup(user.stop)
        for number, ahead in enumerate((0, 2, -2, 0, 4, 0, -1)):
            self.clock.set(ahead * DAY)
            self.change_a_plugin(f"1.{number}.0")
            self.assertEqual(b"ready\n", self.ada.get("/readyz").body)
        user.stop()
        self.assertEqual([], user.complaints[:10])
        self.assertGreater(len(user.acknowledged), 20, "no user worked")
        found = self.doctor()["clock.went_back"]
        self.assertIn("tenon.db", found["where"])
        for kill in (False, True):
            self.start_again(kill)
            plugin = self.ada.get(f"/api/core/plugins/{ID}").json()
            self.assertEqual(("1.6.0", "active", None, "1.5.0"),
                             (plugin["version"], plugin["state"], plugin["reason"], plugin["previous"]), plugin)
            self.keep("1.6.0")
        self.assertEqual(0, self.server.stop())
        self.assert_kept()
        notes = {note for note, in rows(self.server.data / "notes.db", "SELECT id FROM notes")}
        self.assertEqual(set(), set(user.acknowledged) - notes, "acknowledged and lost")
        for file in ("tenon.db", "notes.db", f"{ID}.db"):
            self.assertEqual([("ok",)], integrity(self.server.data / file), file)

    def test_ends_sessions_and_allows_sign_in(self):
        """fault: the wall clock jumps ahead by two months, and back
        | sessions end, as they would at that time; users can sign in again, at either time
        | `tenon doctor`: `clock.went_back`, and that sessions last too long"""
        note = self.ada.post("/api/notes/notes", {"title": "It stays", "text": ""}).json()["id"]
        self.clock.set(60 * DAY)
        self.assertEqual(401, self.ada.get(f"/api/notes/notes/{note}").status)
        self.ada.sign_in("ada")
        self.assertEqual(200, self.ada.get(f"/api/notes/notes/{note}").status)
        self.clock.set(0)
        self.assertEqual(200, self.ada.get(f"/api/notes/notes/{note}").status)
        other = tenon.Client(self.server)
        self.addCleanup(other.close)
        self.assertEqual(401, other.post("/api/core/session", {"login": "ada", "password": "not this one"}).status)
        other.sign_in("ada")
        self.assertEqual(200, other.get(f"/api/notes/notes/{note}").status)
        self.assertIn("sessions last too long", self.doctor()["clock.went_back"]["what"])
        self.assertEqual(b"ready\n", self.ada.get("/readyz").body)

    # Jobs

    def order(self, kind, payload="null"):
        response = self.ada.post(f"{JOBS}/jobs/{kind}", payload.encode())
        self.assertEqual(201, response.status, response)
        return response.json()["id"]

    def job(self, job):
        return self.ada.get(f"{JOBS}/jobs/{job}").json()

    def wait_for(self, job, state, attempts=0):
        def is_there():
            now = self.job(job)
            return now if now["state"] == state and now["attempts"] >= attempts else None
        return tenon.eventually(is_there)

    def beats(self):
        """Waits for heartbeats: each begins with a look at what is due, and at leases that have expired."""
        def lease():
            return tenon.core_rows(self.server, "SELECT max(lease_until_ms) FROM jobs_jobs WHERE state = 'running'")
        for _ in range(3):
            before = lease()
            tenon.eventually(lambda: lease() != before)

    def before_a_minute(self):
        """Two seconds before a full minute of today, when the schedule is due."""
        self.clock.set(58 - time.time() % 60)

    def ticks(self):
        return self.ada.get(f"{JOBS}/counted").json()["ticks"]

    def assert_others_serve(self):
        self.assertEqual(200, self.ada.get("/api/notes/notes?limit=1").status)
        self.assertEqual(b"ready\n", self.signed_out_client().get("/readyz").body)

    def signed_out_client(self):
        client = tenon.Client(self.server)
        self.addCleanup(client.close)
        return client

    def test_a_job_that_runs_keeps_its_lease(self):
        """fault: the wall clock jumps by two days, forward and back, while a job runs
        | it continues, once: no lease expires while its runner lives
        | nothing is reported"""
        job = self.order("waits")
        self.wait_for(job, "running")
        for ahead in (2, -2, 0):
            self.clock.set(ahead * DAY)
            self.beats()
            now = self.job(job)
            self.assertEqual(("running", 1), (now["state"], now["attempts"]), ahead)
            self.wait_for(self.order("count", "3"), "done")
            self.assert_others_serve()
        self.assertEqual(200, self.ada.delete(f"{JOBS}/jobs/{job}").status)
        self.assertEqual(1, self.wait_for(job, "cancelled")["attempts"])
        self.assertNotIn("the runner of a job was lost", self.server.log(None))

    def test_what_was_due_stays_due(self):
        """fault: the wall clock is set back by two days while jobs wait and schedules are due
        | what was due runs, and a schedule goes by the new time
        | the log: from when to when it went"""
        self.clock.set(2 * DAY)
        held = [self.order("waits") for _ in range(2)]
        for job in held:
            self.wait_for(job, "running")
        due = self.order("count", "3")
        self.beats()
        self.before_a_minute()
        for job in held:
            self.ada.delete(f"{JOBS}/jobs/{job}")
        self.assertEqual(1, self.wait_for(due, "done")["attempts"])
        self.before_a_minute()
        before = self.ticks()
        tenon.eventually(lambda: self.ticks() > before, 90)
        self.logged("warning", "the clock went back")
        self.assert_others_serve()

    def test_what_ran_when_the_host_died_runs_again(self):
        """fault: kill -9, and the next start with a clock that was set back by two days
        | jobs that ran and that waited run
        | the log: from when to when it went, and each runner that was lost"""
        self.clock.set(2 * DAY)
        running = [self.order("stuck") for _ in range(2)]
        for job in running:
            self.wait_for(job, "running")
        due = self.order("count", "3")
        self.server.kill()
        self.clock.set(0)
        self.server.start()
        self.ada.close()
        for job in running:
            self.wait_for(job, "running", attempts=2)
        self.ada.get(f"{JOBS}/free")
        for job in running:
            self.assertEqual(2, self.wait_for(job, "done")["attempts"])
        self.assertEqual(1, self.wait_for(due, "done")["attempts"])
        self.logged("the clock went back")
        self.logged("the runner of a job was lost", running[0])
        self.assert_others_serve()


if __name__ == "__main__":
    unittest.main()
