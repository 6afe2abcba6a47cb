"""/metrics on a server that has worked: Prometheus' own checker has nothing to say, and no label comes from outside."""

import re
import shutil
import subprocess
import unittest

from notes_case import NotesTest
from tenon import ENGINE, Client, raw

SAMPLE = re.compile(r"^([a-z_]+)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


def samples(text):
    """name → [(labels, value)]"""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = SAMPLE.match(line).groups()
            found.setdefault(name, []).append((dict(LABEL.findall(labels or "")), float(value)))
    return found


class Metrics(NotesTest):
    def setUp(self):
        super().setUp()
        self.written = self.create("Ship log", "A quiet day.")
        for _ in range(3):
            self.get("/notes")
            self.note(self.written)
        self.call("GET", "/notes/0198f0c4-0000-7000-8000-000000000000", status=404)
        self.save(self.note(self.written), text="A louder day.")
        self.client().get("/nothing/here-" + "x" * 50)
        Client(self.server).post("/api/core/session", {"login": "ada", "password": "wrong password"})
        raw(self.server, b"NO SUCH REQUEST\r\n\r\n")

    def page(self):
        response = self.client().get("/metrics")
        self.assertEqual(200, response.status)
        self.assertEqual("text/plain; version=0.0.4; charset=utf-8", response.headers["content-type"])
        return response.body.decode()

    def test_passes_promtool(self):
        promtool = shutil.which("promtool")
        self.assertIsNotNone(promtool, "promtool is missing: apt-get install --no-install-recommends prometheus")
        done = subprocess.run([promtool, "check", "metrics"], input=self.page(), text=True, capture_output=True, timeout=60)
        self.assertEqual((0, "", ""), (done.returncode, done.stdout, done.stderr))

    def test_counts_requests_by_route_method_and_class(self):
        found = samples(self.page())
        counted = {tuple(sorted(labels.items())): value for labels, value in found["tenon_http_requests_total"]}

        def count(plugin, route, method, status):
            return counted.get(tuple(sorted({"plugin": plugin, "route": route, "method": method, "status": status}.items())), 0)

        self.assertGreaterEqual(count("notes", "/api/notes/notes", "POST", "2xx"), 1)
        self.assertGreaterEqual(count("notes", "/api/notes/notes", "GET", "2xx"), 3)
        self.assertGreaterEqual(count("notes", "/api/notes/notes/{id}", "GET", "4xx"), 1)
        self.assertGreaterEqual(count("core", "/api/core/session", "POST", "4xx"), 1)
        self.assertGreaterEqual(count("core", "unrouted", "any", "4xx"), 1)
        self.assertEqual(0, count("notes", "/api/notes/notes", "POST", "5xx"))
        durations = {(labels["plugin"], labels["route"], labels["method"])
                     for labels, _ in found["tenon_http_request_duration_seconds_count"]}
        self.assertIn(("notes", "/api/notes/notes/{id}", "PATCH"), durations)

    def test_puts_no_client_input_into_labels(self):
        page = self.page()
        for secret in (self.written["id"], "here-xxx", "SUCH", "wrong password", self.server.setup_link_token()):
            self.assertNotIn(secret, page)

    def test_keeps_series_constant_for_new_paths(self):
        self.page()
        before = len(self.page().splitlines())
        for number in range(50):
            self.client().get(f"/nothing/{number}")
            self.ada.get(f"/api/notes/notes/0198f0c4-0000-7000-8000-{number:012}")
        self.assertEqual(before, len(self.page().splitlines()))

    def test_exports_metrics_of_data_http_and_process(self):
        found = samples(self.page())
        for plugin in ("core", "notes"):
            of = {name: value for name, series in found.items() for labels, value in series
                  if labels.get("plugin") == plugin and name.startswith("tenon_data_")}
            self.assertGreater(of["tenon_data_writes_total"], 0, plugin)
            self.assertEqual(of["tenon_data_group_size_sum"], of["tenon_data_writes_total"], plugin)
            self.assertEqual(of["tenon_data_group_size_count"], of["tenon_data_commit_duration_seconds_count"], plugin)
            if ENGINE == "sqlite":
                self.assertGreater(of["tenon_data_file_bytes"], 0, plugin)
                self.assertIn("tenon_data_wal_bytes", of)
            self.assertIn("tenon_data_write_wait_seconds_count", of)
        refused = {labels["reason"]: value for labels, value in found["tenon_http_refused_total"]}
        self.assertGreaterEqual(refused["invalid"], 1)
        self.assertEqual(0, refused["overloaded"])
        self.assertEqual(1, found["tenon_build_info"][0][1])
        self.assertIn("sqlite", found["tenon_build_info"][0][0])
        for name in ("process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
                     "process_max_fds", "process_start_time_seconds", "tenon_http_queue_requests",
                     "tenon_http_workers_busy", "tenon_http_connections"):
            self.assertGreaterEqual(found[name][0][1], 0, name)


if __name__ == "__main__":
    unittest.main()
