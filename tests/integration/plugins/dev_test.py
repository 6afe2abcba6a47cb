"""`tenon dev` in the folder of a plugin without a library: builds, serves, and loads it again after each change."""

import json
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import types
import unittest

from tenon import BINARY, START_SECONDS, STOP_SECONDS, Client, eventually, tenon

USERS = ("ada", "ben", "cleo")
PASSWORD = "demo-demo-demo"


class Dev(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-dev-")) / "links"
        self.addCleanup(shutil.rmtree, self.folder.parent, ignore_errors=True)
        self.folder.mkdir()
        self.write("plugin.json", {"id": "links", "name": "Links", "version": "1.0.0"})
        self.write_fields({"name": "url", "type": "text", "required": True})

    def write(self, name, content):
        (self.folder / name).write_text(content if isinstance(content, str) else json.dumps(content))

    def write_fields(self, *fields):
        self.write("tables.json", {"tables": [{"name": "links", "publish": True, "rules": {"read": "true", "create": "true"},
                                               "fields": list(fields)}]})

    def start(self, *options):
        self.process = subprocess.Popen([str(BINARY), "dev", str(self.folder), "--listen", "127.0.0.1:0", *options], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL if options else subprocess.STDOUT)
        self.addCleanup(self.end)
        self.lines, self.seen = queue.Queue(), []
        threading.Thread(target=self.read_lines, args=(self.process.stdout, self.lines), daemon=True).start()
        port = re.search(r":(\d+)/", self.wait_for(r"http://127\.0\.0\.1:\d+/api/links"))[1]
        if not options:
            self.wait_for("Keys:")
        self.client = Client(types.SimpleNamespace(host="127.0.0.1", port=int(port)))
        self.client.sign_in("ada", PASSWORD)
        self.addCleanup(self.client.close)

    @staticmethod
    def read_lines(stream, lines):
        for line in stream:
            lines.put(line)
        lines.put(None)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()

    def wait_for(self, pattern):
        """The next line of the output that matches."""
        while True:
            try:
                line = self.lines.get(timeout=START_SECONDS)
            except queue.Empty:
                line = None
            self.assertIsNotNone(line, f"no line with {pattern}:\n{''.join(self.seen)}")
            self.seen.append(line)
            if re.search(pattern, line):
                return line

    def press(self, key):
        self.process.stdin.write(key)
        self.process.stdin.flush()

    def links(self):
        return self.client.get("/api/links/links").json()["items"]

    def test_serves_the_plugin_with_sample_users(self):
        self.start()
        listed = self.client.get("/api/core/users").json()["items"]
        self.assertEqual(sorted(user["login"] for user in listed), sorted(USERS))
        self.assertEqual(self.client.post("/api/links/links", {"url": "a"}).status, 201)
        self.press("q")
        self.assertEqual(self.process.wait(STOP_SECONDS), 0)
        # The data stays for the next time.
        self.start()
        self.assertEqual([item["url"] for item in self.links()], ["a"])

    def test_loads_changed_tables_at_once(self):
        self.start()
        self.assertEqual(self.client.post("/api/links/links", {"url": "a"}).status, 201)
        self.write_fields({"name": "url", "type": "text", "required": True}, {"name": "note", "type": "text"})
        self.wait_for("tables.json changed")
        self.wait_for("note")
        self.wait_for(r"loaded in \d+ ms")
        self.assertEqual(self.links()[0]["note"], None)

    def test_reports_errors_and_keeps_serving(self):
        self.start()
        self.assertEqual(self.client.post("/api/links/links", {"url": "a"}).status, 201)
        self.write_fields({"name": "url", "type": "txt", "required": True})
        failed = self.wait_for("failed: data.tables_invalid")
        self.assertIn("failed: data.tables_invalid: tables.json: /tables/0/fields/0/type", failed)
        self.write("plugin.json", '{"id":"links",')
        self.wait_for("failed: plugins.manifest_invalid")
        self.assertEqual([item["url"] for item in self.links()], ["a"])
        self.write("plugin.json", {"id": "others", "name": "Links", "version": "1.0.0"})
        self.wait_for("failed: dev.id_changed")
        self.write("plugin.json", {"id": "links", "name": "Links", "version": "1.0.1"})
        self.write_fields({"name": "url", "type": "text", "required": True})
        self.wait_for("loaded in")
        eventually(lambda: self.client.get("/api/core/plugins/links").json()["version"] == "1.0.1")

    def test_prints_events_as_json(self):
        self.start("--json")
        ready = next(event for event in map(json.loads, self.seen) if event["event"] == "ready")
        self.assertEqual((ready["id"], ready["users"], ready["password"]), ("links", list(USERS), PASSWORD))
        self.write_fields({"name": "url", "type": "txt", "required": True})
        self.assertEqual(json.loads(self.wait_for('"changed"'))["path"], "tables.json")
        failed = json.loads(self.wait_for('"failed"'))
        self.assertEqual((failed["part"], failed["code"]), ("plugin", "data.tables_invalid"))
        self.assertIn("/tables/0/fields/0/type", failed["message"])
        self.write_fields({"name": "url", "type": "text", "required": True}, {"name": "note", "type": "text"})
        self.assertIn("note", json.loads(self.wait_for('"plan"'))["text"])
        self.assertGreaterEqual(json.loads(self.wait_for('"loaded"'))["milliseconds"], 0)
        self.press("r")
        self.assertGreaterEqual(json.loads(self.wait_for('"reset"'))["milliseconds"], 0)
        for line in self.seen:
            self.assertIn("event", json.loads(line))

    def test_switches_the_user_of_open_pages(self):
        self.start()
        with self.client.events("core.development") as stream:
            for login in ("ben", "cleo", "ada"):
                self.press("u")
                self.assertEqual(stream.next("core.development")["data"], {"sign_in": {"login": login, "password": PASSWORD}})
                self.wait_for(f"sign in as {login}")

    def test_reports_failures_to_open_pages(self):
        self.start()
        with self.client.events("core.development") as stream:
            self.write_fields({"name": "url", "type": "txt", "required": True})
            failed = stream.next("core.development")["data"]
            self.assertEqual((failed["title"], failed["code"]), ("The plugin was not loaded", "data.tables_invalid"))
            self.assertIn("tables.json: /tables/0/fields/0/type", failed["message"])
            self.write_fields({"name": "url", "type": "text", "required": True})
            self.assertIsNone(stream.next("core.development")["data"])

    def test_resets_the_data(self):
        self.start()
        self.assertEqual(self.client.post("/api/links/links", {"url": "a"}).status, 201)
        self.write_fields({"name": "url", "type": "integer", "required": True})
        self.wait_for("failed: data.migration_refused")
        self.wait_for("Press r")
        self.press("r")
        self.wait_for("data was deleted")
        self.assertEqual(self.links(), [])
        self.assertEqual(self.client.post("/api/links/links", {"url": 1}).status, 201)

    def test_stops_the_server_with_it(self):
        self.start()
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(STOP_SECONDS), 0)
        done = tenon("user", "list", "--data", self.folder / ".tenon/data")
        self.assertEqual(done.returncode, 0, done)

    def test_refuses_a_folder_without_plugin(self):
        (self.folder / "plugin.json").unlink()
        done = tenon("dev", self.folder)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("has no plugin.json", done.stderr)
        self.assertFalse((self.folder / ".tenon").exists())
