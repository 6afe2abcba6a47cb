"""Requests of a plugin to another server: a real one over HTTP and HTTPS, and servers that misbehave."""

import contextlib
import http.server
import json
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading

import tenon

ZOO = tenon.BUILD / "tests/plugins/zoo/sends_requests"


def certificate(folder, host):
    secret, public = folder / f"{host}.pem", folder / f"{host}.crt"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", str(secret),
                    "-out", str(public), "-days", "2", "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"],
                   check=True, capture_output=True, timeout=60)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, secret)
    return context


class Target(http.server.BaseHTTPRequestHandler):
    """Responds as the path says, and notes the requests."""

    protocol_version = "HTTP/1.1"
    requests = []

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        type(self).requests.append((self.command, self.path, dict(self.headers), body))
        if self.path.startswith("/to?"):
            self.send_response(307)
            self.send_header("Location", self.path[4:])
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if self.path == "/endless":
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(b"x" * 65536)
            return None
        content = json.dumps({"method": self.command, "body": body.decode()}).encode()
        self.send_response(404 if self.path == "/missing" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        return None

    do_POST = do_GET

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(context=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Target)
    server.daemon_threads = True
    server.handle_error = lambda *_: None
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"https://localhost:{server.server_address[1]}" if context else f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Outgoing(tenon.TenonTest):
    arguments = ("--plugins", str(ZOO), "--outgoing-networks", "127.0.0.1", "--outgoing-max-response", "2MiB", "--outgoing-calls", "3")

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-outgoing-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.good, cls.bad = certificate(cls.folder, "localhost"), certificate(cls.folder, "elsewhere.example")
        authorities = cls.folder / "authorities.pem"
        authorities.write_text((cls.folder / "localhost.crt").read_text() + (cls.folder / "elsewhere.example.crt").read_text())
        # A proxy of the environment must have no effect.
        cls.environment = {"SSL_CERT_FILE": str(authorities), "http_proxy": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1"}
        super().setUpClass()

    def send(self, url, **more):
        return self.client().post("/api/sends-requests/send", {"url": url, **more})

    def assert_refused(self, code, status, url, **more):
        return self.assert_problem(self.send(url, **more), status, f"http_client.{code}")["detail"]

    def test_sends_requests_over_http_and_https(self):
        for context in (None, self.good):
            with serving(context) as url:
                got = self.send(f"{url}/a%2Fb?c=d", method="POST", body="hello", headers={"X-Key": "secret-key"}).json()
                self.assertEqual((got["status"], got["url"], got["type"]), (200, f"{url}/a%2Fb?c=d", "application/json"))
                self.assertEqual(json.loads(got["body"]), {"method": "POST", "body": "hello"})
                method, path, headers, _ = Target.requests[-1]
                self.assertEqual((method, path, headers["X-Key"], headers["Host"]), ("POST", "/a%2Fb?c=d", "secret-key", url.split("/")[2]))
                self.assertEqual(self.send(f"{url}/missing").json()["status"], 404)
        metrics = self.client("ada").get("/metrics").body.decode()
        self.assertIn('tenon_http_client_requests_total{plugin="sends-requests",result="2xx"}', metrics)

    def test_refuses_servers_that_are_not_listed(self):
        with serving() as url:
            port = url.rpartition(":")[2]
            before = len(Target.requests)
            for other in (f"http://localhost:{port}/", f"https://127.0.0.1:{port}/", "https://example.com/", f"{url}/to?http://localhost:{port}/"):
                self.assert_refused("not_allowed", 403, other)
            self.assertEqual(len(Target.requests), before + 1)
            self.assert_refused("url_invalid", 422, f"http://user@127.0.0.1:{port}/")
            self.assert_refused("url_invalid", 422, "file:///etc/passwd")

    def test_requires_certificate_of_the_host(self):
        with serving(self.bad) as url:
            self.assertIn("ertificate", self.assert_refused("unreachable", 502, url))

    def test_ends_bad_responses(self):
        with serving() as url:
            self.assert_refused("too_large", 502, f"{url}/endless")
            self.assert_refused("too_large", 502, f"{url}/endless", max_bytes=2 * 1024 * 1024)
            self.assert_refused("too_many_redirects", 502, f"{url}/to?{'/to?' * 6}/")
            # The caller of the plugin does not see mistakes of the plugin; the log has them.
            self.assert_problem(self.send(url, max_bytes=2 * 1024 * 1024 + 1), 500, "plugin.failed")
            self.assert_logged("http_client.invalid")
            self.assertEqual(self.send(f"{url}/to?/", follow=False).json()["status"], 307)
        self.assert_refused("unreachable", 502, url)

    def test_limits_calls_to_silent_server(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/path?secret-query"
            self.assert_refused("timeout", 504, url, timeout_ms=50)
            threads = [threading.Thread(target=self.send, args=(url,), kwargs={"timeout_ms": 10000}) for _ in range(3)]
            for thread in threads:
                thread.start()
            # Those three are connected, and their requests are there.
            silent.settimeout(30)
            held = [silent.accept()[0] for _ in range(4)]
            self.assert_refused("busy", 503, url)
            for connection in held:
                connection.close()
            for thread in threads:
                thread.join()
        line = self.assert_logged("http_client.timeout")
        self.assertIn("plugin=sends-requests", line)
        self.assertNotIn("secret-query", self.server.log(None))

    def test_cancels_calls_of_jobs_when_the_plugin_stops(self):
        admin = self.client("ada")
        with socket.create_server(("127.0.0.1", 0)) as silent:
            silent.settimeout(30)
            job = self.client().post("/api/sends-requests/job", {"url": f"http://127.0.0.1:{silent.getsockname()[1]}", "timeout_ms": 60000})
            self.assertEqual(job.status, 200, job)
            connection = silent.accept()[0]
            self.assertEqual(admin.post("/api/core/plugins/sends-requests/disable").status, 200)
            self.assert_logged("http_client.cancelled")
            connection.close()
        self.assertEqual(admin.post("/api/core/plugins/sends-requests/enable").status, 200)


class Unreachable(tenon.TenonTest):
    """Without `outgoing.networks`."""

    arguments = ("--plugins", str(ZOO))

    def test_refuses_addresses_that_are_not_public(self):
        with serving() as url:
            before = len(Target.requests)
            response = self.client().post("/api/sends-requests/send", {"url": url})
            self.assertIn("outgoing.networks", self.assert_problem(response, 403, "http_client.address_refused")["detail"])
            self.assertEqual(len(Target.requests), before)
