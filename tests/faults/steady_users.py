"""Users who work while faults happen, and remember the responses."""

import http.client
import json
import threading
import time
import uuid

from bad_versions import ID
from faults_case import tenon

PAUSE = 0.01


class Spans:
    """Times in which a failure is allowed."""

    def __init__(self):
        self.spans, self.lock = [], threading.Lock()

    def begin(self):
        with self.lock:
            if not self.spans or self.spans[-1][1] is not None:
                self.spans.append([time.monotonic(), None])

    def end(self):
        with self.lock:
            if self.spans and self.spans[-1][1] is None:
                self.spans[-1][1] = time.monotonic()

    def overlap(self, begin, end):
        with self.lock:
            return any(first <= end and (last is None or last >= begin) for first, last in self.spans)


class Weather:
    """The conditions at a time: which failures of a response are allowed."""

    def __init__(self):
        self.no_host, self.full_disk, self.no_plugin = Spans(), Spans(), Spans()


class User(threading.Thread):
    """Uses one connection as long as the server keeps it. Repeats `step` until stop()."""

    def __init__(self, server, weather, cookies=None):
        super().__init__(daemon=True)
        self.server, self.weather, self.cookies = server, weather, dict(cookies or {})
        self.connection, self.opened, self.over = None, 0.0, threading.Event()
        self.complaints, self.response_count, self.cut = [], 0, 0

    def run(self):
        while not self.over.wait(PAUSE):
            try:
                self.step()
            except Exception as failure:  # an exception would end the thread unseen
                self.complain(repr(failure))

    def stop(self):
        self.over.set()
        self.join()
        if self.connection:
            self.connection.close()

    def complain(self, what):
        self.complaints.append(f"{type(self).__name__}: {what}")

    def ask(self, method, path, body=None):
        """Returns (status, body, begin, end), or None if the connection was lost with the host. A connection that was opened after the
        last crash of the host is never lost."""
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        if method != "GET":
            headers["Sec-Fetch-Site"] = "same-origin"
        if isinstance(body, dict):
            body, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        begin = time.monotonic()
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=tenon.RESPONSE_SECONDS)
            self.opened = begin
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
            found = response.status, response.read()
            if response.will_close:
                self.disconnect()
        except (OSError, http.client.HTTPException) as failure:
            self.disconnect()
            if not self.weather.no_host.overlap(self.opened, time.monotonic()):
                self.complain(f"{method} {path}: {failure!r}")
            self.cut += 1
            return None
        self.response_count += 1
        return *found, begin, time.monotonic()

    def disconnect(self):
        self.connection.close()
        self.connection = None


def code_of(body):
    try:
        return json.loads(body)["code"]
    except (ValueError, KeyError, TypeError):
        return None


class NotesUser(User):
    """Writes notes and reads them again. Every request succeeds, except writes on a full disk."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.acknowledged, self.refused = {}, set()

    def step(self):
        note, text = str(uuid.uuid4()), f"text {len(self.acknowledged)}"
        response = self.ask("POST", "/api/notes/notes", {"id": note, "title": "A note", "text": text})
        if response is not None:
            status, body, *times = response
            if status == 201:
                self.acknowledged[note] = text
            elif self.weather.full_disk.overlap(*times) and (code_of(body) or "").startswith("data."):
                self.refused.add(note)
            else:
                self.complain(f"a note: {status} {body[:300]}")
        known = list(self.acknowledged)
        for path, has in ((f"/api/notes/notes/{known[-1]}", self.acknowledged[known[-1]]) if known else ("/healthz", ""),
                          ("/api/notes/notes?limit=2", "items")):
            response = self.ask("GET", path)
            if response is not None and (response[0] != 200 or has.encode() not in response[1]):
                self.complain(f"{path}: {response[:2]}")


class KeptUser(User):
    """Writes into the plugin that changes. Requests succeed unless the plugin is changed at that moment or is not running."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.acknowledged, self.refused = {}, set()  # id → the version that wrote it

    def step(self):
        row = str(uuid.uuid4())
        response = self.ask("POST", f"/api/{ID}/keep", {"id": row})
        if response is not None and self.is_served(response):
            self.acknowledged[row] = response[1].decode()
        elif response is not None:
            self.refused.add(row)
        response = self.ask("GET", f"/api/{ID}/version")
        if response is not None:
            self.is_served(response)

    def is_served(self, response):
        status, body, *times = response
        if status == 200:
            return True
        # Errors of the host (405: no plugin has the path) are allowed only while the plugin is not running.
        if not self.weather.no_plugin.overlap(*times) or status not in (404, 405, 503, 507) or code_of(body) is None:
            self.complain(f"{ID}: {status} {body[:300]}")
        return False
