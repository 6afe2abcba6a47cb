"""The access log and the slow log: what they say, that they can be switched, and that no secret gets in."""

import json
import unittest

from notes_case import NotesTest
from tenon import ENGINE, PASSWORD, TenonTest, eventually


def lines(server, message):
    """Lines of the JSON log with that message."""
    found = []
    for text in server.log_path.read_text().splitlines():
        line = json.loads(text) if text.startswith("{") else {}
        if line.get("message") == message:
            found.append(line)
    return found


class SlowLog(NotesTest):
    arguments = ("--log", "json", "--slow-request", "1ms", "--slow-statement", "1ms")

    def test_warns_of_slow_request_with_route_and_id(self):
        # A password is hashed for tens of milliseconds.
        response = self.client().post("/api/core/session?token=secret-in-query", {"login": "ada", "password": PASSWORD})
        request = response.headers["x-request-id"]
        found = eventually(lambda: [one for one in lines(self.server, "slow request") if one["request_id"] == request])
        self.assertEqual("warning", found[0]["level"])
        self.assertEqual("POST /api/core/session", found[0]["route"])
        self.assertEqual(201, found[0]["status"])
        self.assertGreater(found[0]["duration_ms"], 1)
        log = self.server.log_path.read_text()
        self.assertNotIn("secret-in-query", log)
        self.assertNotIn(PASSWORD, log)

    def test_logs_slow_statement_without_values(self):
        requests = set()
        def found():
            return [one for one in lines(self.server, "slow statement") if one.get("request_id") in requests]

        def found_after_one_more():
            response = self.response("POST", "/notes", {"title": "Long", "text": f"unspeakable{len(requests)} " * 50_000})
            self.assertEqual(201, response.status)
            requests.add(response.headers["x-request-id"])
            return found()

        # Some may be indexed within a millisecond, and the start has used up the lines of its own second.
        eventually(found_after_one_more)
        line = found()[0]
        self.assertEqual(("warning", "notes", "notes.db" if ENGINE == "sqlite" else "postgresql plugin_notes", "POST /api/notes/notes"),
                         (line["level"], line["plugin"], line["database"], line["route"]))
        self.assertRegex(line["statement"].upper(), "INSERT|UPDATE|DELETE|SELECT")
        self.assertIs(False, line["failed"])
        log = self.server.log_path.read_text()
        self.assertNotIn("unspeakable", log)
        self.assertNotIn("SCRAM-SHA-256", log)


class Defaults(NotesTest):
    arguments = ("--log", "json")

    def test_logs_no_ordinary_work_as_slow(self):
        self.create("Short", "note")
        self.get("/notes")
        self.assertEqual([], lines(self.server, "slow statement"))

    def test_logs_access_without_secrets(self):
        response = self.response("GET", "/notes?q=secret-search", Authorization=None)
        request = response.headers["x-request-id"]
        line = eventually(lambda: [one for one in lines(self.server, "request") if one["request_id"] == request])[0]
        self.assertEqual({"time", "level", "message", "request_id", "plugin", "method", "path", "status", "bytes",
                          "duration_ms", "peer", "user"}, set(line))
        self.assertEqual(("GET", "/api/notes/notes", response.status, "127.0.0.1", "notes"),
                         (line["method"], line["path"], line["status"], line["peer"], line["plugin"]))
        self.assertGreater(line["bytes"], len(response.body))
        self.client().get(f"/setup?token={self.server.setup_link_token()}")
        log = eventually(lambda: (text := self.server.log_path.read_text()) and '"/setup"' in text and text)
        self.assertTrue(log)
        for secret in ("secret-search", self.server.setup_link_token(), PASSWORD, *self.ada.cookies.values()):
            self.assertNotIn(secret, log)


class SwitchedOff(TenonTest):
    arguments = ("--log", "json", "--log-access", "false", "--slow-request", "0ms", "--slow-statement", "0ms")

    def test_logs_no_requests_when_disabled(self):
        self.client("ada").get("/api/core/session")
        self.server.stop()
        self.assertEqual([], lines(self.server, "request") + lines(self.server, "slow request"))
        self.assertTrue(lines(self.server, "ready"), "the log itself is on")


if __name__ == "__main__":
    unittest.main()
