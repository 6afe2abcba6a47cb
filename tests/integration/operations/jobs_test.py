"""Jobs of plugins in the real server: run, tried again, cancelled, stopped with their plugin, and there after it was killed."""

import json
import time

from tenon import BOTH_IN_FULL, BUILD, Client, TenonTest, core_rows

# Generous: nothing here measures speed.
TIMEOUT_SECONDS = 60


class Jobs(TenonTest):
    engines = BOTH_IN_FULL
    arguments = ("--plugins", str(BUILD / "tests/plugins/zoo/runs_jobs"), "--jobs-lease", "2s", "--plugins-drain", "2s",
                 "--jobs-threads", "4")
    url = "/api/runs-jobs"

    def setUp(self):
        self.sign_in()

    def sign_in(self):
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)

    def enqueue(self, kind, payload="null", **options):
        query = "&".join(f"{name}={value}" for name, value in options.items())
        response = self.ada.post(f"{self.url}/jobs/{kind}?{query}", payload.encode())
        self.assertEqual(response.status, 201, response)
        return response.json()

    def order(self, kind, payload="null", **options):
        return self.enqueue(kind, payload, **options)["id"]

    def job(self, job):
        response = self.ada.get(f"{self.url}/jobs/{job}")
        self.assertEqual(response.status, 200, response)
        return response.json()

    def wait_for(self, job, *states, attempts=0):
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while (now := self.job(job))["state"] not in states or now["attempts"] < attempts:
            self.assertLess(time.monotonic(), deadline, now)
            time.sleep(0.02)
        return now

    def change(self, what):
        response = self.ada.post(f"/api/core/plugins/runs-jobs/{what}")
        self.assertEqual(response.status, 200, response)
        return response.json()


class Handlers(Jobs):
    def test_runs_job_and_reports_progress(self):
        now = self.wait_for(self.order("count", "5"), "done")
        self.assertEqual((now["attempts"], now["done"], now["total"], now["text"], now["error"]), (1, 5, 5, "step 5", ""))

    def test_retries_throwing_handler_up_to_max_attempts(self):
        now = self.wait_for(self.order("throws", attempts=3), "failed")
        self.assertEqual((now["attempts"], now["error"]), (3, "thrown in attempt 3"))
        self.assertEqual(self.wait_for(self.order("throws-once"), "done")["attempts"], 2)
        self.assert_logged("thrown in attempt 1")

    def test_does_not_retry_permanent_failure(self):
        for kind, payload, error in (("fails", "null", "hopeless"), ("count", '"many"', "The payload has the wrong format")):
            now = self.wait_for(self.order(kind, payload), "failed")
            self.assertEqual(now["attempts"], 1)
            self.assertIn(error, now["error"])

    def test_queues_one_job_per_key(self):
        first = self.enqueue("tomorrow", key="k")
        self.assertEqual((first["is_new"], self.enqueue("tomorrow", key="k")), (True, {"id": first["id"], "is_new": False}))
        self.assertEqual(self.job(first["id"])["state"], "waiting")
        self.assertEqual(self.ada.delete(f"{self.url}/jobs/{first['id']}").json()["state"], "cancelled")
        self.assertTrue(self.enqueue("tomorrow", key="k")["is_new"])

    def test_rejects_kind_without_handler(self):
        refused = self.ada.post(f"{self.url}/jobs/unknown", b"1")
        self.assert_problem(refused, 422, "jobs.no_handler")
        self.assertIn('"unknown"', refused.json()["detail"])
        listed = self.ada.get("/api/core/jobs?plugin=runs-jobs&limit=200").json()["items"]
        self.assertNotIn("unknown", [job["kind"] for job in listed])

    def test_reports_invalid_jobs(self):
        for kind, payload in (("A", "1"), ("count", "{"), ("count", "1,2")):
            self.assert_problem(self.ada.post(f"{self.url}/jobs/{kind}", payload.encode()), 422, "jobs.invalid")
        self.assert_problem(self.ada.post(f"{self.url}/jobs/count", b"1" * (256 * 1024 + 1)), 413, "jobs.too_large")
        self.assert_problem(self.ada.delete(f"{self.url}/jobs/none"), 404, "jobs.unknown")
        done = self.order("count", "1")
        self.wait_for(done, "done")
        self.assert_problem(self.ada.delete(f"{self.url}/jobs/{done}"), 409, "jobs.finished")

    def test_asks_running_job_to_stop(self):
        job = self.order("waits")
        self.wait_for(job, "running")
        self.assertEqual(self.ada.delete(f"{self.url}/jobs/{job}").status, 200)
        self.wait_for(job, "cancelled")


class Plugins(Jobs):
    def test_stops_with_plugin_without_losing_attempt(self):
        job = self.order("waits")
        self.wait_for(job, "running")
        item = self.change("disable")
        self.assertEqual((item["state"], item["resident"]), ("disabled", 0), item)
        self.change("enable")
        self.assertEqual(self.wait_for(job, "running")["attempts"], 1)
        self.ada.delete(f"{self.url}/jobs/{job}")
        self.wait_for(job, "cancelled")

    def test_lets_job_end_while_plugin_stops(self):
        job = self.order("deaf")
        self.wait_for(job, "running")
        item = self.change("disable")
        self.assertEqual((item["state"], item["resident"]), ("disabled", 0), item)
        self.change("enable")
        self.assertEqual(self.wait_for(job, "done")["attempts"], 1)


class Stuck(Jobs):
    def test_abandons_and_reruns_job_past_deadline(self):
        job = self.order("stuck")
        self.wait_for(job, "running")
        item = self.change("disable")
        self.assertEqual(item["resident"], 1, item)
        self.assert_logged("did not come back")
        self.change("enable")
        # The thread that it has for ever is replaced.
        for _ in range(4):
            self.wait_for(self.order("count", "1"), "done")
        self.wait_for(job, "running", attempts=2)
        self.ada.get(f"{self.url}/free")
        self.assertEqual(self.wait_for(job, "done")["attempts"], 2)


class Killed(Jobs):
    def test_keeps_acknowledged_jobs_and_reruns_running_ones(self):
        running = self.order("stuck")
        self.wait_for(running, "running")
        jobs = [self.order("tomorrow", json.dumps({"n": n})) for n in range(20)]
        counts = [self.order("count", str(n)) for n in range(1, 6)]
        self.server.kill()
        self.server.start()
        self.sign_in()
        self.assertEqual({self.job(job)["state"] for job in jobs}, {"waiting"})
        for count, job in enumerate(counts, 1):
            self.assertEqual(self.wait_for(job, "done")["done"], count)
        self.wait_for(running, "running", attempts=2)
        self.assert_logged("the runner of a job was lost")
        self.ada.get(f"{self.url}/free")
        self.assertEqual(self.wait_for(running, "done")["attempts"], 2)

    def test_catches_up_on_missed_scheduled_run(self):
        self.server.kill()
        changed = core_rows(self.server, "UPDATE jobs_schedules SET next_ms = next_ms - 86400000 WHERE plugin = 'runs-jobs' "
                                         "AND name = 'minutely' RETURNING name")
        self.assertEqual(changed, [["minutely"]])
        self.server.start()
        self.sign_in()
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self.ada.get(f"{self.url}/counted").json()["ticks"] == 0:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)


class Console(Jobs):
    def listed(self, query=""):
        response = self.ada.get(f"/api/core/jobs?plugin=runs-jobs&{query}")
        self.assertEqual(response.status, 200, response)
        return response.json()

    def test_lists_jobs_by_state_in_pages(self):
        orders = [self.order("tomorrow", json.dumps({"n": n})) for n in range(5)]
        self.addCleanup(lambda: [self.ada.post(f"/api/core/jobs/{job}/cancel") for job in orders])
        found, cursor = [], ""
        while cursor is not None:
            page = self.listed(f"state=waiting&limit=2&cursor={cursor}")
            self.assertLessEqual(len(page["items"]), 2)
            found += page["items"]
            cursor = page["next"]
        self.assertEqual([item["id"] for item in found], orders[::-1])
        self.assertEqual({item["plugin"] for item in found}, {"runs-jobs"})
        self.assertNotIn("payload", found[0])
        one = self.ada.get(f"/api/core/jobs/{orders[3]}").json()
        self.assertEqual((one["payload"], one["state"], one["kind"], one["finished"]), ({"n": 3}, "waiting", "tomorrow", None))
        self.assertEqual(self.ada.get("/api/core/jobs?plugin=none").json(), {"items": [], "next": None})

    def test_audits_cancel_and_retry(self):
        job = self.order("tomorrow")
        path = f"/api/core/jobs/{job}"
        self.assertEqual(self.ada.post(f"{path}/cancel").json()["state"], "cancelled")
        self.assert_problem(self.ada.post(f"{path}/cancel"), 409, "jobs.finished")
        self.assertEqual(self.ada.post(f"{path}/retry").json()["state"], "waiting")
        self.wait_for(job, "waiting", attempts=1)
        self.assert_problem(self.ada.post(f"{path}/retry"), 409, "jobs.not_retryable")
        self.assertEqual(self.ada.post(f"{path}/cancel").json()["state"], "cancelled")
        failed = self.order("fails")
        self.wait_for(failed, "failed")
        again = self.ada.post(f"/api/core/jobs/{failed}/retry").json()
        self.assertEqual((again["state"], again["attempts"]), ("waiting", 0))
        self.wait_for(failed, "failed", attempts=1)
        rows = core_rows(self.server, f"SELECT action, details FROM identity_audit WHERE object = '{job}' ORDER BY id")
        self.assertEqual([action for action, _ in rows], ["jobs.cancelled", "jobs.retried", "jobs.cancelled"])
        self.assertEqual(json.loads(rows[0][1]), {"plugin": "runs-jobs", "kind": "tomorrow"})

    def test_reports_invalid_queries(self):
        for query in ("state=lost", "limit=0", "limit=201", "limit=x"):
            self.assert_problem(self.ada.get(f"/api/core/jobs?{query}"), 422, "jobs.invalid")
        self.assert_problem(self.ada.get("/api/core/jobs/none"), 404, "jobs.unknown")
        for what in ("cancel", "retry"):
            self.assert_problem(self.ada.post(f"/api/core/jobs/none/{what}"), 404, "jobs.unknown")

    def test_shows_jobs_to_admins_only(self):
        job = self.order("tomorrow")
        self.add_member("ben")
        for client, status in ((self.client("ben"), 403), (self.client(), 401)):
            for method, path in (("GET", ""), ("GET", f"/{job}"), ("POST", f"/{job}/cancel"), ("POST", f"/{job}/retry")):
                self.assertEqual(client.request(method, f"/api/core/jobs{path}").status, status, path)
        self.assertEqual(self.ada.post(f"/api/core/jobs/{job}/cancel").status, 200)

    def test_sends_job_events_to_admins_only(self):
        self.add_member("cleo")
        with self.ada.events("core.jobs") as admin_events, self.client("cleo").events("core.jobs,core.plugins") as member_events:
            job = self.order("count", "3")
            states = []
            while not states or states[-1] != "done":
                data = admin_events.next("core.jobs")["data"]
                if data["id"] == job:
                    states.append(data["state"])
            self.assertEqual(states[0], "running")
            self.assertEqual((data["plugin"], data["kind"], data["progress"]),
                             ("runs-jobs", "count", {"done": 3, "total": 3, "text": "step 3"}))
            self.change("disable")
            self.change("enable")
            names = []
            while "core.plugins" not in names:
                names.append(member_events.next()["event"])
            self.assertNotIn("core.jobs", names)

    def test_exports_job_metrics(self):
        self.wait_for(self.order("count", "1"), "done")
        text = self.client().get("/metrics").body.decode()
        self.assertRegex(text, r'tenon_jobs_runs_total\{[^}]*plugin="runs-jobs"[^}]*\} [1-9]')
        self.assertRegex(text, r'tenon_jobs_kept\{[^}]*state="done"[^}]*\} [1-9]')
