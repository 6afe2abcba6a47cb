"""Runs every build of the exercise in the real server: the same requests return the same bytes, enabled and disabled."""

import http.client
import os
import pathlib
import platform
import sys
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/integration"))

import tenon  # noqa: E402

BUILT = tenon.BUILD / "tests/plugins/exercise"
GOLDEN = sorted(folder for folder in (ROOT / "tests/abi/golden").glob("[0-9]*") if folder.is_dir())
if platform.machine() != "x86_64":
    GOLDEN = []
# Code that ThreadSanitizer did not compile synchronizes in ways that it cannot see.
if str(tenon.BUILD).endswith("tsan"):
    GOLDEN = []


def fnv1a(data):
    value = 2166136261
    for byte in data:
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


class Exercise(tenon.TenonTest):
    arguments = [word for folder in [BUILT, *GOLDEN] for word in ("--plugins", str(folder))]
    arguments += ["--outgoing-networks", "127.0.0.1"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tenon.wait_for_migrations(cls.server)
        cls.ids = sorted(path.parent.name for folder in [BUILT, *GOLDEN] for path in folder.glob("*/plugin.json"))
        cls.older = {plugin for plugin in cls.ids if plugin.startswith("golden-0-9-")}
        cls.without_services = {plugin for plugin in cls.ids if plugin.startswith(("golden-0-9-", "golden-0-10-"))}
        cls.without_client = {plugin for plugin in cls.ids if plugin.startswith(("golden-0-9-", "golden-0-10-", "golden-0-11-", "golden-0-12-"))}
        if str(tenon.BUILD).endswith("tsan"):
            cls.ids.remove("built-by-clang")

    def each(self):
        """Yields (id, URL) of every exercise. The URL in a failed assertion names the exercise."""
        for plugin in self.ids:
            yield plugin, f"/api/{plugin}"

    def each_of_today(self):
        """Yields (id, URL) of every exercise that uses the data platform, which 0.9 did not have."""
        return ((plugin, url) for plugin, url in self.each() if plugin not in self.older)

    def later(self, path):
        """Sends a request on a connection and a thread of its own. Returns a function that waits for the response."""
        responses = []
        thread = threading.Thread(target=lambda: responses.append(tenon.Client(self.server).get(path)))
        thread.start()

        def finish():
            thread.join(tenon.RESPONSE_SECONDS)
            self.assertTrue(responses, f"no response to {path}")
            return responses[0]
        return finish

    def wake(self, client, url, count):
        """Wakes waiting requests until `count` were woken; how many a round finds depends on when they arrived."""
        woken = []

        def all_are_awake():
            woken.append(client.get(f"{url}/wake").json()["woken"])
            return sum(woken) >= count
        tenon.eventually(all_are_awake)
        self.assertEqual(sum(woken), count)

    def test_activates_every_exercise(self):
        listed = {item["id"]: item for item in self.client("ada").get("/api/core/plugins").json()["items"]}
        for plugin, _ in self.each():
            self.assertEqual(listed[plugin]["state"], "active", listed[plugin])
            # Tables and uploads add routes of their own.
            routes = 14 if plugin in self.older else 50 - (plugin in self.without_services) - (plugin in self.without_client)
            self.assertEqual((listed[plugin]["routes"], listed[plugin]["version"]), (routes, "1.0.0"))

    def test_responds_at_once(self):
        admin, guest = self.client("ada"), self.client()
        for _, url in self.each():
            self.assertEqual(guest.get(f"{url}/hello/w%C3%B6rld%22").body.decode(), '{"hello":"wörld\\""}')
            echo = admin.post(f"{url}/echo", {"a": [1, 2]})
            self.assertEqual((echo.status, echo.json(), echo.headers["x-exercise"]), (201, {"a": [1, 2]}, "echo"))
            self.assertEqual(admin.get(f"{url}/rest/a/b%20c").body, b"a/b c")

    def test_rejects_forbidden_requests_before_the_plugin(self):
        self.add_member("bob")
        bob, guest = self.client("bob"), self.client()
        for plugin, url in self.each():
            self.assertEqual(guest.get(f"{url}/items").status, 401)
            self.assertEqual(bob.get(f"{url}/items").status, 200)
            self.assertEqual(bob.post(f"{url}/items", b"x", headers={"Content-Type": "text/plain"}).status, 403)
            self.assertEqual(bob.get(f"{url}/who").json(), {"login": "bob", "read": True, "write": False})
            self.assertEqual(self.client("ada").get(f"{url}/who").json(), {"login": "ada", "read": True, "write": True})
            self.assertEqual(self.client("ada").request("POST", f"{url}/echo", b"{", {"Content-Type": "application/json"}).status, 400)

    def test_sends_problems(self):
        for plugin, url in self.each():
            response = self.client().get(f"{url}/fail")
            problem = self.assert_problem(response, 422, "exercise.failed")
            # Golden plugins of 0.9 were built before a problem could carry header fields.
            self.assertEqual(response.headers.get("x-exercise"), None if plugin.startswith("golden-0-9-") else "fail")
            self.assertEqual(problem["errors"], [{"field": "field", "code": "wrong", "message": "This field is wrong."}])
            self.assertEqual(problem["extra"], {"depth": 1})

    def test_responds_later(self):
        for _, url in self.each():
            waiting = [self.later(f"{url}/later") for _ in range(3)]
            self.wake(self.client(), url, 3)
            for finish in waiting:
                response = finish()
                self.assertEqual((response.status, response.body), (200, b"late"))

    def test_streams_more_than_any_buffer(self):
        for _, url in self.each():
            response = self.client().get(f"{url}/stream?lines=200000")
            self.assertEqual(response.body, b"".join(b"line %d\n" % (i + 1) for i in range(200000)))

    def test_survives_clients_that_disconnect(self):
        for _, url in self.each():
            for _ in range(5):
                connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=tenon.RESPONSE_SECONDS)
                connection.request("GET", f"{url}/stream?lines=1000000")
                connection.getresponse().read(100)
                connection.close()
            self.assertEqual(self.client().get(f"{url}/hello/x").status, 200)

    def test_reads_streamed_body(self):
        body = os.urandom(1 << 20)
        total = fnv1a(body)
        for _, url in self.each():
            response = self.client("ada").put(f"{url}/upload", body, headers={"Content-Type": "application/octet-stream"})
            self.assertEqual(response.json(), {"bytes": len(body), "sum": total})
            refused = self.client("ada").put(f"{url}/upload", b"", headers={"Content-Length": str(9 << 20)})
            self.assertEqual(refused.status, 413)

    def test_stores_rows_users_and_settings(self):
        admin = self.client("ada")
        text = {"Content-Type": "text/plain"}
        for _, url in self.each():
            for name in (b"b", b"a", "ç\nd".encode()):
                self.assertEqual(admin.post(f"{url}/items", name, headers=text).status, 201)
            self.assertEqual(admin.post(f"{url}/items?undo=true", b"z", headers=text).status, 201)
            self.assertEqual(admin.post(f"{url}/items", b"a", headers=text).status, 409)
            self.assertEqual(admin.get(f"{url}/items").json(), {"items": ["a", "b", "ç\nd"]})
            self.assertIn("ada", admin.get(f"{url}/users").json()["logins"])
            self.assertEqual(admin.get(f"{url}/setting").json()["color"], "green")
            self.assertEqual(admin.put(f"{url}/setting", b'"red"', headers={"Content-Type": "application/json"}).status, 204)
            self.assertEqual(admin.get(f"{url}/setting").json(), {"change": 'color="red"', "color": "red"})

    def test_stores_and_finds_records(self):
        admin = self.client("ada")
        for plugin, url in self.each_of_today():
            made = admin.post(f"{url}/card", {"title": "one apple"})
            self.assertEqual((made.status, made.json()["stamp"], made.json()["state"]), (201, "stamped", "open"), made)
            card = made.json()["id"]
            self.assertEqual(admin.post(f"{url}/card", {"title": "refuse me"}).status, 422)
            self.assertEqual(admin.get(f"{url}/card/{card}").json()["title"], "one apple")
            self.assertEqual(admin.patch(f"{url}/card/{card}", {"state": "done"}).json()["state"], "done")
            self.assertEqual(admin.get(f"{url}/cards-of/done").body,
                             f'{{"items":[{{"id":"{card}","title":"one apple","stamp":"stamped"}}],"next":null}}'.encode())
            self.assertEqual(admin.get(f"{url}/cards/{card}").json()["extra"], {"index": 0})
            found = admin.get(f"{url}/find/app").json()
            self.assertEqual(found, {"more": False, "items": [{
                "table": "cards", "id": card, "title": "one apple",
                "highlight": {"title": [{"text": "one ", "match": False}, {"text": "apple", "match": True}]}}]})
            self.assertEqual(admin.delete(f"{url}/card/{card}").status, 204)
            self.assertEqual(admin.get(f"{url}/card/{card}").status, 404)
            # Changes that come quickly are delivered one by one.
            self.assertTrue(tenon.eventually(lambda url=url: admin.get(f"{url}/told").body == b"102"), plugin)

    def test_publishes_events(self):
        self.add_member("eve")
        for plugin, url in self.each_of_today():
            with self.client("ada").events(f"{plugin}.ticks") as ada, self.client("eve").events(f"{plugin}.*") as eve:
                for stream in (ada, eve):
                    stream.next("hello")
                for number in (1, 2):
                    self.assertEqual(self.client("ada").post(f"{url}/tell", {"n": number}).status, 204)
                heard = [[stream.next(f"{plugin}.ticks")["data"]["n"] for _ in range(count)] for stream, count in ((ada, 4), (eve, 2))]
            self.assertEqual(heard, [[1, 1, 2, 2], [1, 2]])

    def test_calls_services(self):
        admin = self.client("ada")
        for plugin, url in self.each():
            if plugin in self.without_services:
                continue
            self.assertEqual(admin.get(f"{url}/relay/say/b%C3%A4r%20c").body.decode(), "bär c", plugin)
            self.assert_problem(admin.get(f"{url}/relay/lose/x"), 404, "exercise.unknown_method")

    def test_sends_requests_to_other_servers(self):
        admin = self.client("ada")
        for plugin, url in self.each():
            if plugin in self.without_client:
                continue
            fetched = admin.get(f"{url}/fetch/{self.server.port}/{plugin}/hello/other")
            self.assertEqual((fetched.status, fetched.body), (200, b'{"hello":"other"}'), plugin)
            self.assertEqual(admin.get(f"{url}/fetch/{self.server.port}/{plugin}/missing").status, 404)
            self.assert_problem(admin.get(f"{url}/fetch/1/x"), 502, "http_client.unreachable")

    def test_runs_jobs(self):
        admin = self.client("ada")
        for plugin, url in self.each_of_today():
            job = admin.post(f"{url}/job", {"a": 1}).body.decode()
            self.assertTrue(tenon.eventually(lambda url=url, job=job: admin.get(f"{url}/job/{job}").body == b"2 1 counted"), plugin)
            later = admin.post(f"{url}/job?later=true", {"a": 1}).body.decode()
            self.assertEqual(admin.delete(f"{url}/job/{later}").body, b"4 0 ")
            self.assert_problem(admin.delete(f"{url}/job/{later}"), 409, "jobs.finished")

    def test_keeps_files(self):
        admin = self.client("ada")
        text = {"Content-Type": "text/plain"}
        for _, url in self.each_of_today():
            blob = admin.post(f"{url}/blob", b"a file", headers=text).body.decode()
            self.assertEqual(admin.get(f"{url}/blob/{blob}").body, b"6 1 a file")
            file = admin.get(f"{url}/blob/{blob}/file")
            self.assertEqual((file.body, file.headers["content-disposition"]), (b"a file", 'attachment; filename="exercise.txt"'))
            self.assertEqual(admin.delete(f"{url}/blob/{blob}").body, b"not uploaded")
            self.assertEqual(admin.get(f"{url}/blob/{blob}").body, b"6 0 a file")
            self.assert_problem(admin.get(f"{url}/blob/{'0' * 64}"), 404, "blobs.not_found")

    def test_migrates_by_function_and_queues_writes(self):
        admin = self.client("ada")
        for _, url in self.each_of_today():
            self.assertEqual(admin.get(f"{url}/mark").body, b'{"name":"migrated","engine":1}')
            self.assertEqual(admin.put(f"{url}/mark", b"marked", headers={"Content-Type": "text/plain"}).status, 204)
            self.assertEqual(admin.get(f"{url}/mark").body, b'{"name":"marked","engine":1}')
            self.assertEqual(admin.get(f"{url}/myself").body, b"ada 0")

    def test_disables_with_requests_in_flight_and_enables(self):
        admin = self.client("ada")
        for plugin, url in self.each():
            waiting = self.later(f"{url}/later")
            probe = self.later(f"{url}/later")
            # Both have reached the plugin once both were woken.
            self.wake(self.client(), url, 2)
            waiting(), probe()
            leaving = self.later(f"{url}/later")
            disabled = admin.post(f"/api/core/plugins/{plugin}/disable").json()
            self.assertEqual((disabled["state"], disabled["resident"]), ("disabled", 0), disabled)
            self.assertIn(leaving().status, (503, 404))
            self.assert_problem(self.client().get(f"{url}/hello/x"), 404, "plugins.not_active")
            enabled = admin.post(f"/api/core/plugins/{plugin}/enable").json()
            self.assertEqual(enabled["state"], "active", enabled)
            self.assertEqual(self.client().get(f"{url}/hello/x").status, 200)


if __name__ == "__main__":
    unittest.main()
