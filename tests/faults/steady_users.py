"""Users who work while things go wrong, and remember what they were answered."""

import http.client
import json
import threading
import time
import uuid

from bad_versions import ID
from faults_case import tenon

PAUSE = 0.01


class Spans:
    """Times in which something may be seen that else is a fault."""

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

    def meet(self, begin, end):
        with self.lock:
            return any(first <= end and (last is None or last >= begin) for first, last in self.spans)


class Weather:
    """What the week is like at a time, for those who judge an answer."""

    def __init__(self):
        self.no_host, self.full_disk, self.no_plugin = Spans(), Spans(), Spans()


class User(threading.Thread):
    """One connection, kept as long as the server keeps it. `step` is done again and again until stop()."""

    def __init__(self, server, weather, cookies=None):
        super().__init__(daemon=True)
        self.server, self.weather, self.cookies = server, weather, dict(cookies or {})
        self.connection, self.opened, self.over = None, 0.0, threading.Event()
        self.complaints, self.answered, self.cut = [], 0, 0

    def run(self):
        while not self.over.wait(PAUSE):
            try:
                self.step()
            except Exception as failure:  # what a thread throws nobody sees
                self.complain(repr(failure))

    def stop(self):
        self.over.set()
        self.join()
        if self.connection:
            self.connection.close()

    def complain(self, what):
        self.complaints.append(f"{type(self).__name__}: {what}")

    def ask(self, method, path, body=None):
        """(status, body, begin, end), or nothing where the connection was lost with the host. A connection that was made when no
        host had gone down since is never lost."""
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
            if not self.weather.no_host.meet(self.opened, time.monotonic()):
                self.complain(f"{method} {path}: {failure!r}")
            self.cut += 1
            return None
        self.answered += 1
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
    """Writes notes and reads them again: always answered, and rightly, but for writes on a full disk."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.acknowledged, self.refused = {}, set()

    def step(self):
        note, text = str(uuid.uuid4()), f"text {len(self.acknowledged)}"
        answer = self.ask("POST", "/api/notes/notes", {"id": note, "title": "A note", "text": text})
        if answer is not None:
            status, body, *times = answer
            if status == 201:
                self.acknowledged[note] = text
            elif self.weather.full_disk.meet(*times) and (code_of(body) or "").startswith("data."):
                self.refused.add(note)
            else:
                self.complain(f"a note: {status} {body[:300]}")
        known = list(self.acknowledged)
        for path, has in ((f"/api/notes/notes/{known[-1]}", self.acknowledged[known[-1]]) if known else ("/healthz", ""),
                          ("/api/notes/notes?limit=2", "items")):
            answer = self.ask("GET", path)
            if answer is not None and (answer[0] != 200 or has.encode() not in answer[1]):
                self.complain(f"{path}: {answer[:2]}")


class KeptUser(User):
    """Writes into the plugin that changes: answered, unless it is changed at that moment or is out."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.acknowledged, self.refused = {}, set()  # id → the version that wrote it

    def step(self):
        row = str(uuid.uuid4())
        answer = self.ask("POST", f"/api/{ID}/keep", {"id": row})
        if answer is not None and self.is_served(answer):
            self.acknowledged[row] = answer[1].decode()
        elif answer is not None:
            self.refused.add(row)
        answer = self.ask("GET", f"/api/{ID}/version")
        if answer is not None:
            self.is_served(answer)

    def is_served(self, answer):
        status, body, *times = answer
        if status == 200:
            return True
        # In the host's own words (405: nobody has the path), and only while it has a reason.
        if not self.weather.no_plugin.meet(*times) or status not in (404, 405, 503, 507) or code_of(body) is None:
            self.complain(f"{ID}: {status} {body[:300]}")
        return False
