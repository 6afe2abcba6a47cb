"""The exercise, whoever built it and when, in the real server: the same requests, the same bytes, enabled and disabled."""

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

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ids = sorted(path.parent.name for folder in [BUILT, *GOLDEN] for path in folder.glob("*/plugin.json"))
        if str(tenon.BUILD).endswith("tsan"):
            cls.ids.remove("built-by-clang")

    def each(self):
        """(id, URL) of every exercise; a failing assertion's URL says which."""
        for plugin in self.ids:
            yield plugin, f"/api/{plugin}"

    def later(self, path):
        """A request on a connection and a thread of its own; call the result for its answer."""
        answers = []
        thread = threading.Thread(target=lambda: answers.append(tenon.Client(self.server).get(path)))
        thread.start()

        def finish():
            thread.join(tenon.ANSWER_SECONDS)
            self.assertTrue(answers, f"{path} was never answered")
            return answers[0]
        return finish

    def wake(self, client, url, count):
        """Asks for what waits to be answered until `count` were; how many a round finds depends on when they came."""
        woken = 0
        for _ in range(2000):
            woken += client.get(f"{url}/wake").json()["woken"]
            if woken >= count:
                break
        self.assertEqual(woken, count)

    def test_every_exercise_is_active(self):
        listed = {item["id"]: item for item in self.client("ada").get("/api/core/plugins").json()["items"]}
        for plugin, _ in self.each():
            self.assertEqual(listed[plugin]["state"], "active", listed[plugin])
            self.assertEqual((listed[plugin]["routes"], listed[plugin]["version"]), (14, "1.0.0"))

    def test_answers_at_once(self):
        admin, nobody = self.client("ada"), self.client()
        for _, url in self.each():
            self.assertEqual(nobody.get(f"{url}/hello/w%C3%B6rld%22").body.decode(), '{"hello":"wörld\\""}')
            echo = admin.post(f"{url}/echo", {"a": [1, 2]})
            self.assertEqual((echo.status, echo.json(), echo.headers["x-exercise"]), (201, {"a": [1, 2]}, "echo"))
            self.assertEqual(admin.get(f"{url}/rest/a/b%20c").body, b"a/b c")

    def test_what_is_not_allowed_never_reaches_the_plugin(self):
        self.add_member("bob")
        bob, nobody = self.client("bob"), self.client()
        for plugin, url in self.each():
            self.assertEqual(nobody.get(f"{url}/items").status, 401)
            self.assertEqual(bob.get(f"{url}/items").status, 200)
            self.assertEqual(bob.post(f"{url}/items", b"x", headers={"Content-Type": "text/plain"}).status, 403)
            self.assertEqual(bob.get(f"{url}/who").json(), {"login": "bob", "read": True, "write": False})
            self.assertEqual(self.client("ada").get(f"{url}/who").json(), {"login": "ada", "read": True, "write": True})
            self.assertEqual(self.client("ada").request("POST", f"{url}/echo", b"{", {"Content-Type": "application/json"}).status, 400)

    def test_answers_problems(self):
        for plugin, url in self.each():
            answer = self.client().get(f"{url}/fail")
            problem = self.assert_problem(answer, 422, "exercise.failed")
            # The golden ones were built before a problem could carry header fields.
            self.assertEqual(answer.headers.get("x-exercise"), None if plugin.startswith("golden-0-9-") else "fail")
            self.assertEqual(problem["errors"], [{"field": "field", "code": "wrong", "message": "This field is wrong."}])
            self.assertEqual(problem["extra"], {"depth": 1})

    def test_answers_later(self):
        for _, url in self.each():
            waiting = [self.later(f"{url}/later") for _ in range(3)]
            self.wake(self.client(), url, 3)
            for finish in waiting:
                answer = finish()
                self.assertEqual((answer.status, answer.body), (200, b"late"))

    def test_streams_more_than_any_buffer(self):
        for _, url in self.each():
            answer = self.client().get(f"{url}/stream?lines=200000")
            self.assertEqual(answer.body, b"".join(b"line %d\n" % (i + 1) for i in range(200000)))

    def test_survives_clients_that_leave_in_the_middle(self):
        for _, url in self.each():
            for _ in range(5):
                connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=tenon.ANSWER_SECONDS)
                connection.request("GET", f"{url}/stream?lines=1000000")
                connection.getresponse().read(100)
                connection.close()
            self.assertEqual(self.client().get(f"{url}/hello/x").status, 200)

    def test_takes_a_streamed_body(self):
        body = os.urandom(1 << 20)
        total = fnv1a(body)
        for _, url in self.each():
            answer = self.client("ada").put(f"{url}/upload", body, headers={"Content-Type": "application/octet-stream"})
            self.assertEqual(answer.json(), {"bytes": len(body), "sum": total})
            refused = self.client("ada").put(f"{url}/upload", b"", headers={"Content-Length": str(9 << 20)})
            self.assertEqual(refused.status, 413)

    def test_keeps_rows_and_users_and_settings(self):
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

    def test_is_disabled_with_requests_in_flight_and_enabled_again(self):
        admin = self.client("ada")
        for plugin, url in self.each():
            waiting = self.later(f"{url}/later")
            probe = self.later(f"{url}/later")
            # Both are inside once one of them can be woken and another put in its place.
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
