"""An export is read slowly, given up, or overtaken by edits."""

import json
import pathlib
import socket

from notes_case import API, NotesTest
from tenon import BUILD, ENGINE, eventually, rests

# PostgreSQL is asked for 64 rows first, whatever they hold: more files, so that the whole is more than these.
FILE_BYTES, FILES = 600_000, 24 if ENGINE == "sqlite" else 110
# Memory that a stalled export may add to the server: buffers, a batch of rows, SQLite's cache. Sanitizers keep what is freed.
MAX_GROWTH = (512 << 20) if "san" in BUILD.name else (12 << 20) + (0 if ENGINE == "sqlite" else 64 * FILE_BYTES)


class SlowReader:
    """Requests an export and reads only on demand."""

    def __init__(self, test):
        server = test.server
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        self.socket.settimeout(60)
        self.socket.connect((server.host, server.port))
        cookies = "; ".join(f"{name}={value}" for name, value in test.ada.cookies.items())
        self.socket.sendall(f"GET {API}/export HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n"
                            f"Cookie: {cookies}\r\nConnection: close\r\n\r\n".encode())
        self.received = b""
        while b"\r\n\r\n" not in self.received:
            self.received += self.socket.recv(4096)

    @property
    def status(self):
        return int(self.received.split(b" ", 2)[1])

    def rest(self):
        """Reads the whole response; returns its lines."""
        pieces = [self.received]
        while piece := self.socket.recv(1 << 20):
            pieces.append(piece)
        head, _, body = b"".join(pieces).partition(b"\r\n\r\n")
        if b"chunked" in head.lower():
            body = unchunked(body)
        return [json.loads(line) for line in body.split(b"\n") if line]

    def close(self):
        self.socket.close()


def unchunked(body):
    pieces, at = [], 0
    while True:
        end = body.index(b"\r\n", at)
        size = int(body[at:end].split(b";")[0], 16)
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[end + 2:end + 2 + size])
        at = end + 2 + size + 2


class Stream(NotesTest):
    # Readers may be as slow as they like; disabling waits for none.
    arguments = ("--http-write-window", "10m", "--plugins-drain", "500ms")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        test = cls()
        test.ada = test.client("ada")
        for i in range(FILES):
            test.import_files({f"big/{i}.md": f"# Big {i}\n" + chr(97 + i % 26) * FILE_BYTES})

    def reader(self):
        reader = SlowReader(self)
        self.addCleanup(reader.close)
        return reader

    def resident(self):
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) << 10

    def test_exports_snapshot_with_little_memory_when_stalled(self):
        before = self.resident()
        reader = self.reader()
        self.assertEqual(200, reader.status)
        eventually(lambda: rests(self.server.process.pid))
        self.assertLess(self.resident() - before, MAX_GROWTH)
        # Some that it has not come to, and soon: the reading transaction of an export is renewed after 50 s.
        self.addCleanup(self.fill_again)
        for row in self.latest():
            self.save(row, text="edited meanwhile")
        self.create("Made meanwhile")
        head, *records, tail = reader.rest()
        self.assertEqual((FILES, {"end": True, "count": FILES, "snapshots": 1}), (head["count"], tail))
        self.assertEqual({"big"}, {record["path"].split("/")[0] for record in records})
        self.assertTrue(all(len(record["text"]) > FILE_BYTES for record in records), "an edit shows in an older export")

    def latest(self):
        """Those that an export has last."""
        return sorted((row for row in self.rows("/notes", limit=100) if row["title"].startswith("Big")), key=lambda row: row["id"])[-4:]

    def fill_again(self):
        for i, row in enumerate(self.latest()):
            self.save(row, text=f"{i % 10}" * FILE_BYTES)

    def test_limits_exports_to_two_at_once(self):
        readers = [self.reader(), self.reader()]
        self.assertEqual([200, 200], [reader.status for reader in readers])
        self.assert_problem(self.response("GET", "/export"), 503, "notes.export_busy")
        self.create("Others work on")
        readers[0].close()
        response = eventually(lambda: (response := self.response("GET", "/export")).status != 503 and response)
        self.assertTrue(json.loads(response.body.decode().rstrip("\n").rpartition("\n")[2])["end"])

    def test_ends_unread_export_when_plugin_is_disabled(self):
        reader = self.reader()
        self.assertEqual(200, self.ada.post("/api/core/plugins/notes/disable").status)
        self.assert_problem(self.response("GET", "/export"), 404, "plugins.not_active")
        reader.close()
        self.assertEqual(200, self.ada.post("/api/core/plugins/notes/enable").status)
        self.assertGreaterEqual(len(self.export()), FILES)
