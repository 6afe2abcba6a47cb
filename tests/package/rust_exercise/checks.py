"""Tests of the exercise: the crate tenon in a real host."""

import pathlib
import unittest

from tenon_testing import PluginTest


class Exercise(PluginTest):
    def get(self, path, **options):
        return self.ada.get(f"/api/exercise/{path}", **options)

    def post(self, path, body=None):
        return self.ada.post(f"/api/exercise/{path}", body)

    def titles(self):
        return [item["title"] for item in self.get("items").json()]

    def wait_for_log(self, *words):
        def is_logged():
            return any(all(word in line for word in words) for line in self.server.log().splitlines())

        self.wait_until(is_logged, f"the log has {words}")

    def test_reads_requests(self):
        seen = self.get("echo/a%20b/c/d?q=two+words", headers={"X-Test": "é"}).json()
        self.assertEqual(
            {"greeting": "Hello", "name": "a b", "rest": "c/d", "query": "two words", "login": "ada", "admin": True, "may": True,
             "unknown": True, "plugin": "exercise", "path": "/api/exercise/echo/a b/c/d"},
            {name: value for name, value in seen.items() if name != "header"})
        seen = self.anonymous().get("/api/exercise/echo/a/b").json()
        self.assertEqual((None, None, False), (seen["login"], seen["header"], seen["may"]))
        self.assertEqual(401, self.anonymous().get("/api/exercise/items").status)

    def test_limits_bodies(self):
        response = self.post("bytes", b"12345678")
        self.assertEqual((b"8", "short"), (response.body, response.headers["x-length"]))
        self.assertEqual(413, self.post("bytes", b"123456789").status)

    def test_commits_and_rolls_back(self):
        self.assertEqual(201, self.post("items", {"title": "a", "weight": 2}).status)
        self.assertIn({"title": "a", "weight": 2, "done": False}, self.get("items").json())
        self.assert_refused(self.post("items", {"title": "a"}), 409, "data.unique")
        problem = self.assert_refused(self.post("items", {}), 422, "exercise.no_title")
        self.assertEqual("title", problem["errors"][0]["field"])
        before = self.titles()
        self.assert_refused(self.post("items/refused", {"title": "b"}), 409, "exercise.refused")
        self.assertEqual(500, self.post("items/panics", {"title": "b"}).status)
        self.assertEqual(before, self.titles())
        self.assertEqual(204, self.ada.delete("/api/exercise/items/a").status)
        self.assert_refused(self.ada.delete("/api/exercise/items/a"), 404, "exercise.unknown")

    def test_publishes_events_with_the_commit(self):
        with self.ada.events("exercise.news") as news:
            self.assert_refused(self.post("items/refused", {"title": "lost"}), 409, "exercise.refused")
            self.assertEqual(201, self.post("items", {"title": "sent"}).status)
            self.assertEqual("sent", news.next("exercise.news")["data"]["title"])

    def test_reads_rows_in_batches(self):
        self.assertEqual({"sum": 3000 * 3001 // 2, "first": 1, "text": True, "none": None, "engine": "Sqlite"}, self.get("rows").json())

    def test_panic_is_a_500_and_logged(self):
        response = self.get("panics?what=luck")
        self.assertEqual(500, response.status, response)
        self.assertNotIn(b"luck", response.body)
        self.wait_for_log("a handler panicked", "no such luck at ", "exercise.rs:")
        self.assertEqual(500, self.get("panics/again").status)
        self.assertEqual(200, self.get("state").status)

    def test_hides_errors_of_the_host(self):
        self.assert_refused(self.get("wrong/sql"), 500, "plugin.failed")
        self.wait_for_log("a handler failed", "nothing")
        self.assertEqual(500, self.get("wrong").status)
        self.wait_for_log("sending a response failed")

    def test_runs_jobs(self):
        def ended(what):
            return self.wait_for_job(self.post("jobs", {"do": what}).json()["job"])

        self.assertEqual("done", ended("work")["state"])
        failed = ended("fail")
        self.assertEqual(("failed", 1, True), (failed["state"], failed["attempts"], "This cannot work." in failed["error"]))
        failed = ended("panic")
        self.assertEqual(("failed", 2, True), (failed["state"], failed["attempts"], "in job 2" in failed["error"]), failed)

    def test_watches_settings(self):
        self.change_settings(greeting="Good day")
        self.assertEqual("Good day", self.get("echo/a/b").json()["greeting"])
        self.assertEqual({"rounds": 1, "changes": 1}, self.get("state").json())
        self.change_settings(greeting=None)


class Unloading(PluginTest):
    # The process of the server is then the one that loads libraries.
    arguments = ("--no-supervisor",)

    def libraries(self):
        maps = pathlib.Path(f"/proc/{self.server.process.pid}/maps").read_text().splitlines()
        return {line.split(maxsplit=5)[5] for line in maps if "/exercise" in line and ".so" in line}

    def test_old_library_is_unmapped(self):
        first = self.libraries()
        self.assertEqual(1, len(first))
        for _ in range(3):
            self.assertEqual(1, self.ada.get("/api/exercise/locals").json()["there"])
            self.ada.get("/api/exercise/panics")
            response = self.ada.post("/api/core/plugins/exercise/reload", {})
            self.assertEqual((200, "active", 0), (response.status, response.json()["state"], response.json()["resident"]), response)
        self.assertEqual(1, len(self.libraries()), self.libraries())
        self.assertNotEqual(first, self.libraries())
        self.ada.get("/api/exercise/locals")
        response = self.ada.post("/api/core/plugins/exercise/disable", {})
        self.assertEqual(("disabled", 0), (response.json()["state"], response.json()["resident"]), response)
        self.assertEqual(set(), self.libraries())
        # Threads that used thread-local values of the library end now.
        self.server.process.terminate()
        self.assertEqual(0, self.server.process.wait(30), self.server.log())


if __name__ == "__main__":
    unittest.main()
