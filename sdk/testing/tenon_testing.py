"""Runs tests of a plugin in a real host: one server for each test class, with its data in a temporary folder.

    class GuestBook(PluginTest):
        def test_says_hello(self):
            self.assertEqual(200, self.ada.get("/api/my-plugin/hello").status)

    unittest.main()

`ctest` runs the tests (tenon_add_plugin_tests() of the SDK's CMake package) and sets the paths of host and plugin. By hand:
TESTED_HOST=/path/of/tenon TESTED_PLUGIN=build/lib/tenon/plugins/<id> PYTHONPATH=… python3 tests/some_test.py
Needs only Python's standard library.
"""

import http.cookiejar
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

PASSWORD = "correct horse battery"
# Long, because the machine may be busy. These limits do not measure speed.
START_SECONDS = 60
STOP_SECONDS = 30
RESPONSE_SECONDS = 30


def named(variable):
    """Returns the path in an environment variable. Raises RuntimeError if it is not set."""
    path = os.environ.get(variable)
    if not path:
        raise RuntimeError(f"{variable} is not set; run the tests with ctest, see {__file__}")
    return pathlib.Path(path).resolve()


class Server:
    """Runs `tenon serve` on a free port with only the tested plugin. `url` is its address; close() stops it and deletes its data."""

    def __init__(self, *arguments):
        self.plugin = named("TESTED_PLUGIN")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-plugin-test-"))
        plugins = self.folder / "plugins"
        plugins.mkdir()
        shutil.copytree(self.plugin, plugins / self.plugin.name)
        self.log_path = self.folder / "log.txt"
        self.arguments = [
            str(named("TESTED_HOST")), "serve", "--data", str(self.folder / "data"), "--plugins", str(plugins),
            "--listen", "127.0.0.1:0", "--log", "text", *map(str, arguments)]
        self.lines = queue.Queue()
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, stderr=log, text=True)
        threading.Thread(target=self._read_lines, daemon=True).start()
        try:
            self.url = self.wait_line("ready ")
        except BaseException:
            self.close()
            raise

    def _read_lines(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def wait_line(self, prefix):
        """Waits for the next line of stdout that begins with `prefix` and returns the rest of the line.

        Raises AssertionError if there is none within START_SECONDS or the host ends before.
        """
        while True:
            try:
                line = self.lines.get(timeout=START_SECONDS)
            except queue.Empty:
                raise AssertionError(f"no line '{prefix}…' within {START_SECONDS} s\n{self.log()}") from None
            if line is None:
                raise AssertionError(f"the host ended before the line '{prefix}…'\n{self.log()}")
            if line.startswith(prefix):
                return line.removeprefix(prefix)

    def log(self):
        """Returns the log of the host and the plugin."""
        return self.log_path.read_text(errors="replace")

    def close(self):
        """Stops the host and deletes its data. Kills the host if it does not stop within STOP_SECONDS."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Response:
    """The status, headers (names in lower case) and body of a response."""

    def __init__(self, status, headers, body):
        self.status, self.body = status, body
        self.headers = {name.lower(): value for name, value in headers}

    def json(self):
        """Returns the body parsed as JSON."""
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.body[:400]!r}>"


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    """Returns responses that redirect, so that tests can check their status and their header `location`."""

    def redirect_request(self, *_):
        return None


class Client:
    """A client of the server's API, signed in or anonymous. Keeps cookies."""

    def __init__(self, server):
        self.server = server
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), KeepRedirects(), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def request(self, method, path, body=None, headers=None):
        """Sends a request and returns its response. `body` is bytes, or any value that is sent as JSON."""
        sent = {"Sec-Fetch-Site": "same-origin"}
        if body is not None and not isinstance(body, bytes):
            body, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        request = urllib.request.Request(self.server.url + path, body, {**sent, **(headers or {})}, method=method)
        try:
            response = self.opener.open(request, timeout=RESPONSE_SECONDS)
        except urllib.error.HTTPError as refused:
            response = refused
        with response:
            return Response(response.status, response.getheaders(), response.read())

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.request("POST", path, body, **options)

    def put(self, path, body=None, **options):
        return self.request("PUT", path, body, **options)

    def patch(self, path, body=None, **options):
        return self.request("PATCH", path, body, **options)

    def delete(self, path, **options):
        return self.request("DELETE", path, **options)

    def sign_in(self, login):
        """Signs in as a user with the password PASSWORD and returns this client."""
        response = self.post("/api/core/session", {"login": login, "password": PASSWORD})
        assert response.status == 201, response
        return self


class PluginTest(unittest.TestCase):
    """Starts one server for the test class. `ada` is its signed-in admin; `arguments` are passed to `tenon serve`."""

    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.arguments)
        cls.addClassCleanup(cls.server.close)
        cls.ada = cls.anonymous()
        token = cls.server.wait_line("setup ").partition("token=")[2]
        response = cls.ada.post("/api/core/setup", {"token": token, "login": "ada", "name": "Ada", "password": PASSWORD})
        assert response.status == 201, response
        state = cls.ada.get(f"/api/core/plugins/{cls.server.plugin.name}").json()
        assert state["state"] == "active", f"{state}\n{cls.server.log()}"

    @classmethod
    def anonymous(cls):
        """Returns an anonymous client."""
        return Client(cls.server)

    @classmethod
    def member(cls, login):
        """Creates a user with the role member and returns a client that is signed in as this user."""
        response = cls.ada.post(
            "/api/core/users", {"login": login, "name": login.title(), "role": "member", "password": PASSWORD})
        assert response.status == 201, response
        return cls.anonymous().sign_in(login)

    @classmethod
    def change_settings(cls, **settings):
        """Sets settings of the plugin as an admin and returns all values. None returns a setting to its default."""
        path = f"/api/core/plugins/{cls.server.plugin.name}/settings"
        response = cls.ada.put(path, {"values": {**cls.ada.get(path).json()["values"], **settings}})
        assert response.status == 200, response
        return response.json()["values"]

    @classmethod
    def wait_for_job(cls, job):
        """Waits until a job, given by its id, has ended, and returns it with `state`, `error` and `attempts`."""
        end = time.monotonic() + RESPONSE_SECONDS
        while True:
            response = cls.ada.get(f"/api/core/jobs/{job}")
            assert response.status == 200, response
            if response.json()["state"] not in ("waiting", "running"):
                return response.json()
            assert time.monotonic() < end, f"the job did not end within {RESPONSE_SECONDS} s: {response}\n{cls.server.log()}"
            time.sleep(0.02)

    def assert_refused(self, response, status, code):
        """Checks that the response is a problem document with this status and code, and returns the document."""
        problem = response.json()
        self.assertEqual((status, code), (response.status, problem.get("code")), response)
        return problem
