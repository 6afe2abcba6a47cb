"""Runs tests of a plugin in a real host: one server for each test class, with its data in a temporary folder.

    class GuestBook(PluginTest):
        def test_says_hello(self):
            self.assertEqual(200, self.ada.get("/api/my-plugin/hello").status)

    unittest.main()

`ctest` runs the tests (tenon_add_plugin_tests() of the SDK's CMake package) and sets the paths of host and plugin. By hand:
TESTED_HOST=/path/of/tenon TESTED_PLUGIN=build/lib/tenon/plugins/<id> PYTHONPATH=… python3 tests/some_test.py
Needs only Python's standard library. Tests that move the clock need libfaketime, those with a page Selenium and Chromium.
"""

import contextlib
import http.client
import http.cookiejar
import http.server
import json
import os
import pathlib
import queue
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from tenon_clock import Clock
from tenon_page import Page

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
    """Runs `tenon serve` on a free port with only the tested plugin. `url` is its address; close() stops it and deletes its data.

    With moves_clock, `clock` is a Clock, which the host goes by.
    """

    # The running test, which names screenshots.
    test = "page"

    def __init__(self, *arguments, moves_clock=False):
        self.plugin = named("TESTED_PLUGIN")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-plugin-test-"))
        try:
            self._clock = Clock(self.folder) if moves_clock else None
        except RuntimeError:
            shutil.rmtree(self.folder)
            raise
        plugins = self.folder / "plugins"
        plugins.mkdir()
        shutil.copytree(self.plugin, plugins / self.plugin.name)
        self.log_path = self.folder / "log.txt"
        self.arguments = [
            str(named("TESTED_HOST")), "serve", "--data", str(self.folder / "data"), "--plugins", str(plugins),
            "--listen", "127.0.0.1:0", "--log", "text", *map(str, arguments)]
        self.lines = queue.Queue()
        environment = {**os.environ, **(self._clock.environment if self._clock else {})}
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
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

    @property
    def clock(self):
        """The Clock of the host. Raises RuntimeError if the host goes by the clock of the machine."""
        if self._clock is None:
            raise RuntimeError("the host goes by the clock of the machine; set moves_clock = True in the test class")
        return self._clock

    def page(self, login=None, path=None, width=1280, height=800):
        """Opens a page in Chromium, signed in as the user `login`, or anonymous, and returns a Page, a context manager.

        `path` is that of the page of the plugin if it is not given. Raises RuntimeError if Selenium or Chromium is not installed.
        """
        client = Client(self)
        if login is not None:
            client.sign_in(login)
        return Page(self, client.cookies, path or f"/app/{self.plugin.name}", width, height)

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
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), KeepRedirects(), urllib.request.HTTPCookieProcessor(self.cookies))

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

    def events(self, topics):
        """Subscribes to topics, such as "my-plugin.changes,my-plugin.notes", and returns an EventStream, a context manager.

        Events that are published after this call arrive.
        """
        return EventStream(self, topics)

    def sign_in(self, login):
        """Signs in as a user with the password PASSWORD and returns this client."""
        response = self.post("/api/core/session", {"login": login, "password": PASSWORD})
        assert response.status == 201, response
        return self


class EventStream:
    """The events that a client receives. Use it as a context manager, or close() it."""

    def __init__(self, client, topics):
        url = urllib.parse.urlsplit(client.server.url)
        self.connection = http.client.HTTPConnection(url.hostname, url.port, timeout=RESPONSE_SECONDS)
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in client.cookies)
        self.connection.request("GET", f"/api/core/events?topics={topics}", headers={"Accept": "text/event-stream", "Cookie": cookies})
        # The connection drops its socket when the response begins.
        self.socket = self.connection.sock
        self.response = self.connection.getresponse()
        assert self.response.status == 200, Response(self.response.status, self.response.getheaders(), self.response.read())
        self.received = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        event = {}
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
            for raw in self.response:
                line = raw.decode().rstrip("\r\n")
                name, _, value = line.partition(":")
                if not line and event:
                    self.received.put(event)
                    event = {}
                elif name:
                    value = value.removeprefix(" ")
                    event[name] = f"{event[name]}\n{value}" if name == "data" and name in event else value
        self.received.put(None)

    def next(self, name=None):
        """Waits for the next event, or the next with this name, and returns it with `event` (its name) and `data`, parsed.

        Raises AssertionError if there is none within RESPONSE_SECONDS.
        """
        end = time.monotonic() + RESPONSE_SECONDS
        while True:
            try:
                event = self.received.get(timeout=max(end - time.monotonic(), 0.001))
            except queue.Empty:
                raise AssertionError(f"no event {name or ''} within {RESPONSE_SECONDS} s") from None
            assert event is not None, "the stream of events has ended"
            if name in (None, event.get("event")):
                return {"event": event.get("event"), "data": json.loads(event.get("data", "null"))}

    def close(self):
        """Ends the subscription."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.reader.join()
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class ReceivedRequest:
    """A request that a LocalServer received: `method`, `path` with the query, `headers` (names in lower case) and `body`."""

    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body

    def __repr__(self):
        return f"<{self.method} {self.path} {self.body[:400]!r}>"


class LocalServer:
    """An HTTP server on this machine, for tests of a plugin that sends requests to other servers.

    `url` is its address, http://127.0.0.1:PORT, and `requests` what it received. Plugins reach it if the test class has
    arguments = ("--outgoing-networks", "127.0.0.1") and "outgoing" of plugin.json lists it. Paths without a response get 404.
    """

    def __init__(self):
        self.requests = []
        self.responses = {}
        self.ending = threading.Event()
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def respond(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                owner.requests.append(ReceivedRequest(self.command, self.path, headers, body))
                response = owner.responses.get(self.path.partition("?")[0], (404, b"", {}))
                if response is None:
                    owner.ending.wait()
                    self.close_connection = True
                    return
                status, content, fields = response
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **fields}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = respond

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # A client that gives up is no failure of a test.
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def respond(self, path, status=200, body=b"", headers=None):
        """Sets the response to requests of a path. `body` is bytes, or any value that is sent as JSON."""
        fields = dict(headers or {})
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
            fields.setdefault("Content-Type", "application/json")
        self.responses[path] = (status, body, fields)

    def stay_silent(self, path):
        """Lets requests of a path wait without a response until close()."""
        self.responses[path] = None

    def close(self):
        """Stops the server: its port refuses connections from then on."""
        if self.ending.is_set():
            return
        self.ending.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class PluginTest(unittest.TestCase):
    """Starts one server for the test class. `ada` is its signed-in admin; `arguments` are passed to `tenon serve`.

    With moves_clock = True, tests move the clock of the host: self.server.clock.advance(hours=25).
    """

    arguments = ()
    moves_clock = False

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.arguments, moves_clock=cls.moves_clock)
        cls.addClassCleanup(cls.server.close)
        cls.ada = cls.anonymous()
        token = cls.server.wait_line("setup ").partition("token=")[2]
        response = cls.ada.post("/api/core/setup", {"token": token, "login": "ada", "name": "Ada", "password": PASSWORD})
        assert response.status == 201, response
        state = cls.ada.get(f"/api/core/plugins/{cls.server.plugin.name}").json()
        assert state["state"] == "active", f"{state}\n{cls.server.log()}"

    def run(self, result=None):
        self.server.test = self.id()
        return super().run(result)

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
        def ended():
            response = cls.ada.get(f"/api/core/jobs/{job}")
            assert response.status == 200, response
            return response.json()["state"] not in ("waiting", "running") and response.json()

        return cls.wait_until(ended, f"the job {job} ends")

    @classmethod
    def wait_until(cls, condition, what="the condition holds"):
        """Calls a function until it returns a true value and returns that. Raises AssertionError after RESPONSE_SECONDS."""
        end = time.monotonic() + RESPONSE_SECONDS
        while not (value := condition()):
            assert time.monotonic() < end, f"waited {RESPONSE_SECONDS} s until {what}\n{cls.server.log()}"
            time.sleep(0.02)
        return value

    def assert_refused(self, response, status, code):
        """Checks that the response is a problem document with this status and code, and returns the document."""
        problem = response.json()
        self.assertEqual((status, code), (response.status, problem.get("code")), response)
        return problem
