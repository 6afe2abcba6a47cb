"""The harness: the real binary on a free port with its own data folder, and clients to talk to it.

    class Greets(TenonTest):
        def test_health(self):
            self.assertEqual(200, self.client().get("/healthz").status)
"""

import contextlib
import http.client
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

import postgresql
from sampling import FULL

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DEV_BUILD", ROOT / "build" / "dev"))
BINARY = BUILD / "bin" / "tenon"
SANITIZED = BUILD.name in ("asan", "tsan")

# Engine that holds the host's data: sqlite, or postgresql (run.py --engine). Tests that pass on both say `engines = BOTH` where they are
# about the engine, else BOTH_IN_FULL: PostgreSQL with DEV_FULL=1 alone.
ENGINE = os.environ.get("DEV_ENGINE", "sqlite")
BOTH = ("sqlite", "postgresql")
BOTH_IN_FULL = BOTH if FULL else ("sqlite",)

# Generous: sanitizers, a busy machine. Nothing here measures speed.
START_SECONDS = 60
STOP_SECONDS = 60
RESPONSE_SECONDS = 60

PASSWORD = "correct horse battery"
SANITIZER = re.compile(r"(ERROR|WARNING|SUMMARY): \w*Sanitizer|runtime error:")


def engine_environment(data):
    """Returns the environment that points a command at the database of this folder on the engine of this run."""
    return {"TENON_DATABASE": postgresql.cluster().of_folder(data)} if ENGINE == "postgresql" else {}


def tenon(*arguments, stdin=None, environment=None, timeout=60):
    """Runs a subcommand to its end: a CompletedProcess with text."""
    if "--data" in arguments and "--database" not in arguments:
        # The last one names the directory: `rollback ID --data keep --data DIR`.
        directory = arguments[len(arguments) - arguments[::-1].index("--data")]
        environment = {**engine_environment(directory), **(environment or {})}
    return subprocess.run(
        [str(BINARY), *map(str, arguments)], input=stdin, text=True, capture_output=True, timeout=timeout,
        env={**os.environ, **(environment or {})})


def within(check, seconds):
    """Returns the result of `check` once it is true, or its last result after the time."""
    deadline, pause = time.monotonic() + seconds, 0.002
    while not (result := check()) and time.monotonic() < deadline:
        time.sleep(min(pause, 0.05))
        pause *= 2
    return result


def eventually(check, seconds=60):
    """Returns the result of `check` once it is true; fails if it does not become true."""
    result = within(check, seconds)
    assert result, f"it did not become so within {seconds} s"
    return result


def children_of(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def rests(pid):
    """Returns whether a process is idle: each of its threads sleeps and keeps sleeping; or the process is gone."""
    def work():
        """(thread, state, time in its code, time in the kernel) of each."""
        found = []
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                fields = (task / "stat").read_text().rpartition(")")[2].split()
                found.append((task.name, fields[0], fields[11], fields[12]))
        return found
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        before = work()
        for _ in range(5):
            time.sleep(0.02)
            if (now := work()) != before or any(state != "S" for _, state, *_ in now):
                return False
    return True


class Server:
    """`tenon serve` with a data folder of its own, removed by close() unless the caller gave one."""

    def __init__(self, *arguments, data=None, environment=None, plugins=None, ui=None, listen="127.0.0.1:0",
                 supervised=False):
        self.own_data = data is None
        self.data = pathlib.Path(data or tempfile.mkdtemp(prefix="tenon-test-"))
        self.log_path = pathlib.Path(tempfile.mkstemp(prefix="tenon-log-", suffix=".txt")[1])
        self.final_log = None
        self.arguments = [str(BINARY), "serve", "--data", str(self.data), "--listen", listen]
        # Tests kill the process that they started, and read its figures.
        if not supervised:
            self.arguments += ["--no-supervisor"]
        if "--log" not in arguments:
            self.arguments += ["--log", "text"]
        if plugins is not None:
            self.arguments += ["--plugins", str(plugins)]
        if ui is not None:
            self.arguments += ["--ui", str(ui)]
        self.arguments += map(str, arguments)
        engine = {} if "--database" in self.arguments else engine_environment(self.data)
        self.environment = {**os.environ, **engine, **(environment or {})}
        self.process, self.lines, self.url, self.setup_token = None, queue.Queue(), None, None

    def start(self):
        """Starts and waits for the line `ready URL`; raises with the log when the process ends first."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.arguments, stdout=subprocess.PIPE, stderr=log, text=True, env=self.environment)
        self.lines = queue.Queue()
        threading.Thread(target=self._read_lines, args=(self.process.stdout, self.lines), daemon=True).start()
        line = self.wait_line("ready ")
        self.url = line.removeprefix("ready ")
        self._check_preloaded()
        self.host, _, port = self.url.removeprefix("http://").rpartition(":")
        self.port = int(port)
        return self

    def _check_preloaded(self):
        """The loader says nothing of a library that it does not find, and the test would test nothing."""
        library = self.environment.get("LD_PRELOAD", "")
        if library != os.environ.get("LD_PRELOAD", ""):
            mapped = pathlib.Path(f"/proc/{self.process.pid}/maps").read_text()
            assert library in mapped, f"{library} is not in the server: is it built?"

    @staticmethod
    def _read_lines(stream, lines):
        for line in stream:
            lines.put(line.rstrip("\n"))
        lines.put(None)

    def wait_line(self, prefix, seconds=START_SECONDS):
        """The next stdout line with that prefix."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no line '{prefix}…' within {seconds} s\n{self.log()}") from None
            if line is None:
                raise AssertionError(f"tenon ended with {self.process.wait()} before '{prefix}…'\n{self.log()}")
            if line.startswith(prefix):
                return line

    def setup_link_token(self):
        """The token of the one-time set-up link that follows `ready` while there is no user."""
        if self.setup_token is None:
            link = self.wait_line("setup ").removeprefix("setup ")
            self.setup_token = link.partition("/setup?token=")[2]
        return self.setup_token

    def stop(self, by=signal.SIGTERM):
        """Asks it to stop and returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        code = self.process.wait(STOP_SECONDS)
        self.process.stdout.close() if self.lines.empty() else None
        return code

    def kill(self):
        """kill -9: no chance to write anything more."""
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.stop()
        return self.start()

    def log(self, lines=80):
        """The last lines of its log, or all for None; there still when it is closed."""
        text = (self.final_log or self.log_path.read_text(errors="replace")).splitlines()
        return "\n".join(["server log:", *(text[-lines:] if lines else text)])

    def close(self):
        """Ends it if it runs; complains about a sanitizer's report or an unclean end; removes its files."""
        complaint = None
        if self.process and self.process.poll() is None:
            try:
                code = self.stop()
                complaint = f"exit code {code} on SIGTERM" if code != 0 else None
            except subprocess.TimeoutExpired:
                complaint = f"still running {STOP_SECONDS} s after SIGTERM"
                self.kill()
        log = self.log_path.read_text(errors="replace")
        if SANITIZER.search(log):
            complaint = "sanitizer report\n" + log[max(0, SANITIZER.search(log).start() - 200):][:8000]
        self.final_log = log or "(empty)"
        self.log_path.unlink(missing_ok=True)
        if self.own_data:
            shutil.rmtree(self.data, ignore_errors=True)
        if complaint:
            raise AssertionError(complaint)


class Response:
    """Status, headers (names in lower case) and body of one response."""

    def __init__(self, status, headers, body):
        self.status, self.body = status, body
        self.header_list = [(name.lower(), value) for name, value in headers]
        self.headers = dict(self.header_list)

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.headers} {self.body[:400]!r}>"


class Client:
    """A browser's manners: keep-alive, cookies, JSON bodies, an Origin of its own site."""

    def __init__(self, server):
        self.server, self.cookies, self.connection = server, {}, None

    def request(self, method, path, body=None, headers=None):
        sent = {"Host": f"{self.server.host}:{self.server.port}"}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if method not in ("GET", "HEAD"):
            sent["Sec-Fetch-Site"] = "same-origin"
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        sent = {name: value for name, value in sent.items() if value is not None}
        for attempt in (1, 2):
            fresh = self.connection is None
            if fresh:
                self.connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=RESPONSE_SECONDS)
            try:
                self.connection.request(method, path, body, sent)
                received = self.connection.getresponse()
                break
            except (http.client.RemoteDisconnected, ConnectionError):
                # A kept connection may be closed by the server at any time; a fresh one may not.
                self.close()
                if fresh or attempt == 2:
                    raise
        response = Response(received.status, received.getheaders(), received.read())
        if received.will_close:
            self.close()
        for name, value in response.header_list:
            if name == "set-cookie":
                self._keep(value)
        return response

    def _keep(self, header):
        pair, *attributes = header.split(";")
        name, _, value = pair.strip().partition("=")
        if any(attribute.strip().lower() in ("max-age=0",) for attribute in attributes) or not value:
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value

    def get(self, path, **headers):
        return self.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, path, body=None, **options):
        return self.request("POST", path, body, **options)

    def put(self, path, body=None, **options):
        return self.request("PUT", path, body, **options)

    def patch(self, path, body=None, **options):
        return self.request("PATCH", path, body, **options)

    def delete(self, path, **options):
        return self.request("DELETE", path, **options)

    def sign_in(self, login, password=PASSWORD):
        response = self.post("/api/core/session", {"login": login, "password": password})
        assert response.status == 201, response
        return self

    def events(self, topics):
        """An open event stream; use as a context manager."""
        return EventStream(self, topics)

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None


class EventStream:
    """Server-sent events of /api/core/events, read by a thread of its own."""

    def __init__(self, client, topics):
        self.connection = http.client.HTTPConnection(client.server.host, client.server.port, timeout=RESPONSE_SECONDS)
        headers = {"Accept": "text/event-stream"}
        if client.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        self.connection.request("GET", f"/api/core/events?topics={topics}", headers=headers)
        # The connection drops its socket if the response ends with the connection.
        self.socket = self.connection.sock
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.events = queue.Queue()
        if self.status == 200:
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        event = {}
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
            for raw in self.response:
                line = raw.decode().rstrip("\r\n")
                if not line:
                    if event:
                        self.events.put(event)
                    event = {}
                elif not line.startswith(":"):
                    name, _, value = line.partition(":")
                    value = value.removeprefix(" ")
                    event[name] = event[name] + "\n" + value if name == "data" and name in event else value
        self.events.put(None)

    def next(self, name=None, seconds=RESPONSE_SECONDS):
        """The next event, or the next of that name; its data parsed. None when the stream has ended."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                event = self.events.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no event {name or ''} within {seconds} s") from None
            if event is None:
                return None
            if name is None or event.get("event") == name:
                return {**event, "data": json.loads(event.get("data", "null"))}

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def raw(server, data, seconds=60, pause=0.0):
    """Sends bytes (or a list of pieces, with a pause between) and returns all bytes until the server closes or is silent."""
    pieces = [data] if isinstance(data, bytes) else data
    received = b""
    with socket.create_connection((server.host, server.port), timeout=seconds) as connection:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(pause)
        connection.settimeout(seconds)
        with contextlib.suppress(socket.timeout, ConnectionResetError):
            while chunk := connection.recv(65536):
                received += chunk
    return received


def wait_for_migrations(server):
    """Waits until no migration runs: a plugin that migrates by a function becomes active after "ready"."""
    client = Client(server).sign_in("ada")
    try:
        def is_finished():
            items = client.get("/api/core/plugins").json()["items"]
            return not any(item["state"] in ("resolved", "loaded") for item in items)
        assert eventually(is_finished), "a migration does not end"
    finally:
        client.close()


def core_rows(server, sql):
    """Runs SQL on the host's tables, outside of the server; returns rows, each a list of texts."""
    return rows_of(server, "tenon", "tenon", sql)


def plugin_rows(server, plugin, sql):
    """Runs SQL on a plugin's tables, outside of the server; returns rows, each a list of texts."""
    return rows_of(server, plugin, f"plugin_{plugin}", sql)


def rows_of(server, file, schema, sql):
    if ENGINE == "postgresql":
        url = server.environment["TENON_DATABASE"].partition("?")[0].rpartition("/")[2]
        text = postgresql.cluster().sql(f'SET search_path = "{schema}"; {sql}', url)
        return [line.split("|") for line in text.splitlines()]
    with contextlib.closing(sqlite3.connect(server.data / f"{file}.db")) as database, database:
        return [[str(value) for value in row] for row in database.execute(sql)]


class TenonTest(unittest.TestCase):
    """One server a class. Class attributes `arguments`, `environment`, `plugins`, `ui` shape it; `admin` says who exists."""

    engines = ("sqlite",)
    arguments, environment, plugins, ui = (), None, None, None
    with_admin = True

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.arguments, environment=cls.environment, plugins=cls.plugins, ui=cls.ui)
        try:
            cls.server.start()
            if cls.with_admin:
                cls.set_up_admin()
        except BaseException:
            with contextlib.suppress(AssertionError):
                cls.server.close()
            raise

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    @classmethod
    def set_up_admin(cls):
        response = Client(cls.server).post("/api/core/setup", {
            "token": cls.server.setup_link_token(), "login": "ada", "name": "Ada", "password": PASSWORD})
        assert response.status == 201, response

    def client(self, login=None, password=PASSWORD):
        """A new client, signed in when a login is given."""
        client = Client(self.server)
        self.addCleanup(client.close)
        return client.sign_in(login, password) if login else client

    def add_member(self, login, name=None, role="member"):
        response = self.client("ada").post(
            "/api/core/users", {"login": login, "name": name or login.title(), "role": role, "password": PASSWORD})
        self.assertEqual(201, response.status, response)
        return response.json()

    def assert_problem(self, response, status, code):
        """RFC 9457 with the stable code, and nothing of the inside."""
        self.assertEqual(status, response.status, response)
        self.assertEqual("application/problem+json", response.headers.get("content-type"), response)
        problem = response.json()
        self.assertEqual((status, code), (problem["status"], problem["code"]), response)
        for field in ("type", "title", "request_id"):
            self.assertTrue(problem.get(field), f"{field} is missing in {response}")
        for leak in (".cpp", "Poco", "boost", "sqlite", "SQLITE", str(ROOT)):
            self.assertNotIn(leak, response.body.decode())
        return problem

    def assert_logged(self, text):
        """Returns the first log line with the text. The log is written after the responses, so the line may come a moment later."""
        lines = eventually(lambda: [line for line in self.server.log(None).splitlines() if text in line])
        self.assertTrue(lines, f"no '{text}' in the {self.server.log(400)}")
        return lines[0]

    def diagnostics(self):
        """Returns the server log, which the runner adds to a failure."""
        return self.server.log()
