"""The load of ./dev soak: threads that use the server as people, scripts and bad networks do, and count what came of it."""

import collections
import contextlib
import http.client
import itertools
import random
import socket
import struct
import threading
import time
import uuid

from bad_clients import BadClients
from tenon import PASSWORD, Client

BUSY = "/api/sleeps-in-handlers"
SWITCHED = "/api/built-here"
INDEX = '<!doctype html><title>soak</title><script type="importmap">{"imports":{}}</script><!--tenon:boot-->'
SLOW = 20
SLOW_REQUESTS = (
    b"GET / HTTP/1.1\r\nHost: a\r\nX: ",
    b"POST /api/core/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{",
    f"GET {BUSY}/stream?pieces=512 HTTP/1.1\r\nHost: a\r\n\r\n".encode(),
    b"GET /ui/assets/large.bin HTTP/1.1\r\nHost: a\r\n\r\n",
)
BROKEN = (
    b"GET / HTTP/1.1\r\n\r\n",
    b"BROKEN\r\n\r\n",
    b"\x16\x03\x01\x02",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" * 40,
    f"POST {BUSY}/sink HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\nhalf".encode(),
)


def write_ui(folder):
    """A browser interface of an index and assets that are served from memory and from disk."""
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(INDEX)
    (folder / "assets" / "small.js").write_text("export const x = 1;\n" * 2000)
    (folder / "assets" / "large.bin").write_bytes(random.Random(1).randbytes(4 << 20))


class Load:
    """Runs rounds; `counts` says how many requests of which kind there were, `complaints` what should not have been."""

    def __init__(self, server):
        self.server = server
        self.counts, self.complaints = collections.Counter(), []
        self.over = threading.Event()
        self.ada = Client(server).sign_in("ada", PASSWORD)

    def run(self, seconds):
        """One round: all kinds of clients at once, all of them gone at its end."""
        self.over.clear()
        kinds = (self.visit, self.visit, self.visit, self.write, self.write, self.listen, self.listen, self.be_slow, self.be_broken,
                 self.switch)
        threads = [threading.Thread(target=self._keep_on, args=(kind,), daemon=True) for kind in kinds]
        for thread in threads:
            thread.start()
        self.over.wait(seconds)
        self.over.set()
        for thread in threads:
            thread.join(60)
            if thread.is_alive():
                self.complaints.append("a client still waits for a response")

    def _keep_on(self, kind):
        while not self.over.is_set():
            try:
                kind()
            except (AssertionError, OSError, http.client.HTTPException) as error:
                if self.server.process.poll() is not None:
                    self.over.set()
                    return
                self.complaints.append(f"{kind.__name__}: {error!r}"[:500])

    def signed_in(self):
        client = Client(self.server)
        client.cookies = dict(self.ada.cookies)
        return client

    def ask(self, client, method, path, *allowed, **options):
        response = client.request(method, path, **options)
        self.counts[f"{response.status}"] += 1
        if response.status not in allowed:
            self.complaints.append(f"{method} {path} gave {response}"[:500])
        return response

    def visit(self):
        """Pages, assets, handlers inline and on workers, large and streamed responses, wrong paths."""
        client = Client(self.server)
        for path, status in (("/", 200), ("/ui/assets/small.js", 200), ("/ui/assets/large.bin", 200), ("/healthz", 200), ("/metrics", 200),
                             (f"{BUSY}/inline", 200), (f"{BUSY}/ok", 200), (f"{BUSY}/large", 200), (f"{BUSY}/stream", 200),
                             (f"{BUSY}/fail", 418), ("/api/core/session", 401), ("/api/nowhere", 404)) * 3:
            self.ask(client, "GET", path, status)
        self.ask(client, "POST", f"{BUSY}/sink", 200, body=b"x" * 300_000)
        self.ask(client, "POST", f"{BUSY}/ok", 405, body=b"x" * 300_000)
        client.close()

    def write(self):
        """A note comes, is changed, found and goes."""
        client, note = self.signed_in(), str(uuid.uuid4())
        self.ask(client, "POST", "/api/notes/notes", 201, body={"id": note, "title": "Soak", "text": "One line.\n" * 200})
        for version in range(1, 11):
            self.ask(client, "PATCH", f"/api/notes/notes/{note}", 200, body={"text": f"Version {version}.\n" * 200},
                     headers={"If-Match": f'"{version}"'})
        self.ask(client, "PATCH", f"/api/notes/notes/{note}", 409, 412, 428, body={"text": "late"}, headers={"If-Match": '"1"'})
        self.ask(client, "GET", "/api/notes/notes?limit=50", 200)
        self.ask(client, "POST", "/api/notes/notes", 400, body=b"{", headers={"Content-Type": "application/json"})
        self.ask(client, "DELETE", f"/api/notes/notes/{note}", 204)
        client.close()

    def listen(self):
        """An event stream that is opened, hears something or not, and is left."""
        with self.signed_in().events("notes.*,core.*") as stream:
            self.counts["streams"] += 1
            if stream.status != 200:
                self.complaints.append(f"an event stream gave {stream.status}")
            with contextlib.suppress(AssertionError):
                stream.next(seconds=random.uniform(0.05, 1))

    def be_slow(self):
        """Clients that send or read too little; some leave, some are sent away, some reset."""
        with contextlib.ExitStack() as stack:
            groups = [stack.enter_context(BadClients(self.server, SLOW, 4096)) for _ in SLOW_REQUESTS]
            for clients, request in zip(groups, SLOW_REQUESTS):
                clients.send(request)
            for _ in range(random.choice((2, 8, 30))):
                groups[0].send(b"x")
                groups[1].send(b" ")
                self.over.wait(0.1)
            for connection in itertools.chain(*(clients.sockets[::2] for clients in groups)):
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.counts["slow"] += SLOW * len(groups)

    def be_broken(self):
        """Sends invalid requests, or half of one."""
        for data in BROKEN:
            with BadClients(self.server, 1) as clients:
                clients.send(data)
                clients.sockets[0].settimeout(0.02)
                with contextlib.suppress(OSError):
                    clients.sockets[0].recv(65536)
            self.counts["broken"] += 1

    def switch(self):
        """A plugin that is disabled and enabled while it is used."""
        admin, visitor = self.signed_in(), Client(self.server)
        for what in ("disable", "enable"):
            for _ in range(20):
                self.ask(visitor, "GET", f"{SWITCHED}/hello/x", 200, 404, 503)
                self.ask(visitor, "GET", f"{SWITCHED}/stream", 200, 404, 503)
            self.ask(admin, "POST", f"/api/core/plugins/built-here/{what}", 200)
        self.counts["switches"] += 1
        admin.close()
        visitor.close()
        time.sleep(0.2)
