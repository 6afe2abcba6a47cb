"""Error responses: RFC 9457, stable codes, no internal details, and never a second request."""

import json
import re
import unittest

from tenon import BOTH_IN_FULL, SANITIZED, TenonTest, raw


class Errors(TenonTest):
    engines = BOTH_IN_FULL

    def test_returns_problem_for_unknown_api_path(self):
        response = self.client("ada").get("/api/core/no-such-thing")
        self.assertEqual(404, response.status)
        self.assertEqual("application/problem+json", response.headers["content-type"])
        self.assertRegex(response.json()["code"], r"^[a-z]+\.[a-z_]+$")

    def test_returns_404_to_browsers_for_unknown_path(self):
        browser = "text/html,application/xhtml+xml,*/*;q=0.8"
        for path in ("/robots.txt", "/tenon.db", "/.env", "/backup/tenon.db-wal", "/wp-login.php"):
            response = self.client().get(path, accept=browser)
            self.assertEqual((404, "http.not_found"), (response.status, response.json()["code"]), path)
        self.assertEqual(404, self.client().get("/nothing").status)

    @unittest.skipIf(SANITIZED, "has no pages")
    def test_returns_page_with_status_of_its_address(self):
        browser = "text/html,application/xhtml+xml,*/*;q=0.8"
        for path, status in (("/", 200), ("/app/notes/a.b", 200), ("/settings/users", 200), ("/sign-in", 200), ("/nothing", 404)):
            response = self.client().get(path, accept=browser)
            self.assertEqual((status, "text/html"), (response.status, response.headers["content-type"].partition(";")[0]), path)

    def test_names_absent_plugin_for_every_method(self):
        for client in (self.client(), self.client("ada")):
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"):
                response = client.request(method, "/api/nothing/notes", json.dumps({}).encode() if method == "POST" else None)
                self.assertEqual((404, "plugins.unknown"), (response.status, response.json()["code"]), method)
            self.assertEqual(404, client.request("HEAD", "/api/nothing").status)

    def test_sends_same_request_id_in_header_and_problem(self):
        response = self.client().get("/api/core/session")
        self.assertEqual(response.headers["x-request-id"], response.json()["request_id"])

    def test_lists_allowed_methods_for_wrong_method(self):
        response = self.client("ada").put("/api/core/session", {})
        self.assertEqual(405, response.status)
        allowed = {method.strip() for method in response.headers["allow"].split(",")}
        self.assertTrue({"GET", "POST", "DELETE", "HEAD", "OPTIONS"} <= allowed, allowed)

    def test_serves_head_like_get_without_body(self):
        response = self.client("ada").request("HEAD", "/api/core/session")
        self.assertEqual((200, b""), (response.status, response.body))

    def test_rejects_broken_json_with_reason(self):
        for body in (b"{", b'{"login":"a","login":"b"}', b"[" * 100 + b"]" * 100, b'{"login":"\xff"}', b"{} {}"):
            response = self.client().post("/api/core/session", body, headers={"Content-Type": "application/json"})
            self.assertEqual(400, response.status, (body, response))
            self.assertEqual("application/problem+json", response.headers["content-type"])

    def test_rejects_other_content_type(self):
        response = self.client().post("/api/core/session", b"login=ada", headers={"Content-Type": "text/plain"})
        self.assertEqual(415, response.status, response)

    def test_rejects_body_over_limit(self):
        body = json.dumps({"login": "a" * (1 << 20), "password": "x"}).encode()
        response = self.client().post("/api/core/session", body, headers={"Content-Type": "application/json"})
        self.assertEqual(413, response.status, response)

    def test_forbids_sniffing_in_every_response(self):
        for path in ("/healthz", "/api/core/session", "/api/core/nothing"):
            self.assertEqual("nosniff", self.client().get(path).headers.get("x-content-type-options"), path)

    def test_forbids_other_origins_to_embed_responses(self):
        for path in ("/healthz", "/api/core/session", "/api/core/nothing"):
            self.assertEqual("same-origin", self.client().get(path).headers.get("cross-origin-resource-policy"), path)

    def test_loads_nothing_from_json_documents(self):
        for client, path in ((self.client("ada"), "/api/core/session"), (self.client(), "/api/core/nothing")):
            self.assertEqual("default-src 'none'; frame-ancestors 'none'", client.get(path).headers.get("content-security-policy"), path)
        self.assertNotIn("content-security-policy", self.client().get("/healthz").headers)


class TlsProxy(TenonTest):
    arguments = ("--http-trusted-proxies", "127.0.0.1")

    def test_sends_strict_transport_security(self):
        name = "strict-transport-security"
        self.assertEqual("max-age=31536000", self.client().get("/healthz", x_forwarded_proto="https").headers.get(name))
        self.assertNotIn(name, self.client().get("/healthz", x_forwarded_proto="http").headers)
        self.assertNotIn(name, self.client().get("/healthz").headers)


class Framing(TenonTest):
    """Responses to refused requests; the parser's own cases are in host/http/tests."""

    engines = BOTH_IN_FULL

    def ask(self, text):
        return raw(self.server, text.replace("\n", "\r\n").encode("latin-1"), seconds=60)

    def test_never_runs_unread_body_as_request(self):
        smuggled = "GET /healthz HTTP/1.1\nHost: a\n\n"
        head = f"POST /api/core/users HTTP/1.1\nHost: a\nContent-Type: application/json\nContent-Length: {len(smuggled) + 3}\n\n"
        received = self.ask(f"{head}{smuggled}endGET /api/core/nothing HTTP/1.1\nHost: a\nConnection: close\n\n")
        statuses = re.findall(rb"HTTP/1\.1 (\d+) ", received)
        self.assertIn(statuses, ([b"401"], [b"401", b"404"]), received)

    def test_rejects_two_framings_and_closes_connection(self):
        for framing in ("Content-Length: 5\nTransfer-Encoding: chunked", "Content-Length: 5\nContent-Length: 6", "Content-Length: -1",
                        "Transfer-Encoding: identity, chunked", "Transfer-Encoding : chunked"):
            received = self.ask(f"POST /api/core/session HTTP/1.1\nHost: a\n{framing}\n\n0\n\nGET /healthz HTTP/1.1\nHost: a\n\n")
            self.assertEqual(1, received.count(b"HTTP/1.1 "), (framing, received))
            self.assertRegex(received, rb"^HTTP/1\.1 (400|501) ", framing)

    def test_returns_status_of_each_limit(self):
        for head, status in (
            ("GET /" + "a" * 9000 + " HTTP/1.1\nHost: a\n\n", 414),
            ("GET / HTTP/1.1\nHost: a\n" + "".join(f"x-{n}: 1\n" for n in range(120)) + "\n", 431),
            ("GET / HTTP/2.7\nHost: a\n\n", 505),
            ("GET / HTTP/1.1\nHost: a\nExpect: tea\n\n", 417),
            ("GET / HTTP/1.1\n\n", 400),
            ("GET / HTTP/1.1\nHost: a\nHost: b\n\n", 400),
            ("GET /ui/..%2f..%2fetc/passwd HTTP/1.1\nHost: a\n\n", 400),
        ):
            received = self.ask(head)
            self.assertTrue(received.startswith(f"HTTP/1.1 {status} ".encode()), (head[:40], received[:200]))

    def test_responds_to_pipelined_requests_in_order(self):
        received = self.ask("GET /healthz HTTP/1.1\nHost: a\n\nGET /api/core/session HTTP/1.1\nHost: a\n\n"
                            "GET /readyz HTTP/1.1\nHost: a\nConnection: close\n\n")
        statuses = re.findall(rb"HTTP/1\.1 (\d+) ", received)
        self.assertEqual([b"200", b"401", b"200"], statuses)


if __name__ == "__main__":
    unittest.main()
