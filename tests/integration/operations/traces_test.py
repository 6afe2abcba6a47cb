"""Traces: which requests are traced, what the spans contain, where they go, and that no request waits for them."""

import contextlib
import http.server
import json
import pathlib
import re
import tempfile
import threading
import time
import unittest

from notes_case import NotesTest
from tenon import ENGINE, Client, Server, TenonTest, eventually, tenon

CALLER, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SAMPLED = f"00-{CALLER}-{SPAN}-01"


def spans_of(export):
    """All spans of one ExportTraceServiceRequest, their attributes as a dict."""
    found = []
    for resource in export["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                values = {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}
                found.append({**span, "attributes": values})
    return found


class Collector:
    """An OTLP/HTTP receiver that keeps what it gets and responds with `status`."""

    def __init__(self, status=200):
        self.posts, self.status = [], status
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.posts.append((self.path, self.headers["Content-Type"], json.loads(body)))
                self.send_response(collector.status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/traces"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def spans(self, trace):
        return [span for _, _, export in list(self.posts) for span in spans_of(export) if span["traceId"] == trace]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class ToAFile(NotesTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tenon-traces-")
        cls.file = pathlib.Path(cls.folder.name) / "traces.jsonl"
        cls.arguments = ("--trace-file", str(cls.file))
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def spans(self, trace):
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        return [span for line in lines for span in spans_of(json.loads(line)) if span["traceId"] == trace]

    def trace(self, number):
        return f"{number:032x}"

    def test_writes_spans_of_sampled_request(self):
        trace = self.trace(1)
        response = self.response("POST", "/notes?token=very-secret", {"title": "Log", "text": "very private text"},
                             traceparent=f"00-{trace}-{SPAN}-01")
        self.assertEqual(201, response.status)
        spans = eventually(lambda: self.spans(trace))
        by_name = {}
        for span in spans:
            by_name.setdefault(span["name"], []).append(span)
        root = by_name["POST /api/notes/notes"][0]
        self.assertEqual(SPAN, root["parentSpanId"])
        self.assertEqual(2, root["kind"])
        self.assertEqual({"http.request.method": "POST", "http.route": "/api/notes/notes", "url.path": "/api/notes/notes",
                          "http.response.status_code": "201", "client.address": "127.0.0.1", "tenon.plugin": "notes",
                          "tenon.request_id": response.headers["x-request-id"]}, root["attributes"])
        handler = by_name["handler"][0]
        self.assertEqual(root["spanId"], handler["parentSpanId"])
        self.assertEqual(root["spanId"], by_name["wait for a thread"][0]["parentSpanId"])
        statements = by_name["statement"]
        self.assertTrue(any("INSERT INTO" in span["attributes"]["db.query.text"].upper() for span in statements), statements)
        for span in statements:
            self.assertEqual(handler["spanId"], span["parentSpanId"])
            self.assertIn(span["attributes"]["db.namespace"], ("notes.db", "tenon.db") if ENGINE == "sqlite" else ("postgresql plugin_notes", "postgresql tenon"))
        self.assertTrue("commit" in by_name or "write with others" in by_name, by_name.keys())
        for span in spans:
            self.assertRegex(span["spanId"], "^[0-9a-f]{16}$")
            self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
            self.assertLessEqual(int(root["startTimeUnixNano"]), int(span["startTimeUnixNano"]))
            self.assertLess(abs(int(span["endTimeUnixNano"]) / 1e9 - time.time()), 3600)
        self.assertEqual(len(spans), len({span["spanId"] for span in spans}))
        text = self.file.read_text()
        for secret in ("very-secret", "very private text", *self.ada.cookies.values()):
            self.assertNotIn(secret, text)

    def test_names_trace_in_log_lines(self):
        trace = self.trace(2)
        self.response("GET", "/notes", traceparent=f"00-{trace}-{SPAN}-01")
        line = self.assert_logged(f"trace_id={trace}")
        self.assertIn("path=/api/notes/notes", line)

    def test_omits_trace_from_response(self):
        response = self.response("GET", "/notes", traceparent=SAMPLED)
        self.assertNotIn(CALLER, str(response.header_list) + response.body.decode())

    def test_traces_refused_request(self):
        trace = self.trace(3)
        self.response("GET", "/notes", client=self.client(), traceparent=f"00-{trace}-{SPAN}-01")
        spans = eventually(lambda: self.spans(trace))
        self.assertEqual(["GET"], [span["name"] for span in spans])
        self.assertEqual("401", spans[0]["attributes"]["http.response.status_code"])

    def test_ignores_unsampled_or_invalid_trace_context(self):
        for number, value in enumerate((
                "00-{}-" + SPAN + "-00", "00-{}-" + SPAN, "00-{}-0000000000000000-01", "ff-{}-" + SPAN + "-01",
                "00-{}-" + SPAN.upper() + "-01", "00-{}-" + SPAN + "-01-more", "00 {} " + SPAN + " 01")):
            self.assertEqual(200, self.response("GET", "/notes", traceparent=value.format(self.trace(100 + number))).status)
        last = self.trace(99)
        self.response("GET", "/notes", traceparent=f"00-{last}-{SPAN}-01")
        self.assertTrue(eventually(lambda: self.spans(last)))
        for number in range(7):
            self.assertEqual([], self.spans(self.trace(100 + number)))
        self.assertNotIn("0" * 29 + "064", self.server.log())

    def test_restricts_file_to_owner(self):
        self.response("GET", "/notes", traceparent=SAMPLED)
        self.assertTrue(eventually(self.file.exists))
        self.assertEqual(0o600, self.file.stat().st_mode & 0o777)


class ToACollector(NotesTest):
    @classmethod
    def setUpClass(cls):
        cls.collector = Collector()
        cls.arguments = ("--trace-endpoint", cls.collector.url)
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        with contextlib.ExitStack() as stack:
            stack.callback(cls.collector.close)
            super().tearDownClass()

    def test_sends_traces_as_otlp_json(self):
        self.response("GET", "/notes", traceparent=SAMPLED)
        spans = eventually(lambda: self.collector.spans(CALLER))
        self.assertIn("GET /api/notes/notes", [span["name"] for span in spans])
        path, media_type, export = self.collector.posts[0]
        self.assertEqual(("/v1/traces", "application/json"), (path, media_type))
        resource = {one["key"]: one["value"] for one in export["resourceSpans"][0]["resource"]["attributes"]}
        self.assertEqual({"stringValue": "tenon"}, resource["service.name"])

    def test_loses_traces_but_no_request_when_collector_fails(self):
        self.collector.status = 500
        try:
            for _ in range(5):
                self.assertEqual(200, self.response("GET", "/notes", traceparent=SAMPLED).status)

            def dropped():
                page = self.client().get("/metrics").body.decode()
                return int(re.search(r'tenon_trace_dropped_total\{reason="failed"\} (\d+)', page)[1])
            self.assertTrue(eventually(dropped))
            self.assert_logged("traces cannot be written")
        finally:
            self.collector.status = 200


class Sampling(TenonTest):
    @classmethod
    def setUpClass(cls):
        cls.collector = Collector()
        cls.arguments = ("--trace-endpoint", cls.collector.url, "--trace-sample", "1", "--trace-rate", "5")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        with contextlib.ExitStack() as stack:
            stack.callback(cls.collector.close)
            super().tearDownClass()

    def test_samples_up_to_the_rate_without_caller(self):
        client = self.client()
        began = time.monotonic()

        def dropped():
            for _ in range(20):
                self.assertEqual(200, client.get("/healthz").status)
            return int(re.search(r'tenon_trace_dropped_total\{reason="rate"\} (\d+)', client.get("/metrics").body.decode())[1])
        eventually(dropped)
        seconds = time.monotonic() - began
        spans = eventually(lambda: [span for _, _, export in self.collector.posts for span in spans_of(export)
                                    if span["name"] == "GET /healthz"])
        self.assertNotIn("parentSpanId", spans[0])
        self.assertLessEqual(len(spans), 5 * (int(seconds) + 2))


class Off(TenonTest):
    def test_traces_nothing_without_configuration(self):
        self.assertEqual(200, self.client().get("/healthz", traceparent=SAMPLED).status)
        self.assertNotIn(CALLER, self.server.log())
        self.assertNotIn("tenon_trace_", self.client().get("/metrics").body.decode())


class Mistakes(unittest.TestCase):
    def test_names_invalid_endpoint_and_file(self):
        with tempfile.TemporaryDirectory() as data:
            for arguments, says in (
                    (("--trace-endpoint", "https://collector/v1"), "http://HOST:PORT/PATH"),
                    (("--trace-endpoint", "http://user:secret@collector/"), "http://HOST:PORT/PATH"),
                    (("--trace-sample", "2"), "from 0 to 1"),
                    (("--trace-file", "/no/such/folder/traces"), "/no/such/folder/traces")):
                done = tenon("serve", "--data", data, "--listen", "127.0.0.1:0", *arguments)
                self.assertEqual(1, done.returncode, done)
                self.assertIn(says, done.stderr)

    def test_is_not_delayed_by_missing_collector(self):
        server = Server("--trace-endpoint", "http://127.0.0.1:9/v1/traces", "--trace-sample", "1").start()
        self.addCleanup(server.close)
        client = Client(server)
        for _ in range(200):
            self.assertEqual(200, client.get("/healthz").status)
        self.assertEqual(0, server.stop())


if __name__ == "__main__":
    unittest.main()
