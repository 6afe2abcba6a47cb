"""Clients that do too little, a thousand at once, and too few descriptors. Well-behaved clients are served as usual."""

import statistics
import time
import unittest

from bad_clients import EXERCISES, MEASURES_MEMORY, ZOO, BadClients, descriptors, status_kib
from tenon import Client, Server, TenonTest, eventually, wait_for_migrations

CLIENT_COUNT = 1000
# The product promises this to a probe under any load: half of the attempts must be this quick.
PROBE_SECONDS = 1.0
PROBES = 20
# Memory for many clients that have sent little: a connection costs what it sent, and some KiB.
MAX_CLIENTS_KIB = 8 * 1024
# Responses of 128 KiB that wait for readers who do not read.
WAITING_RESPONSES_KIB = 192 * 1024

# Streams of 64 MiB that wait at http.write_buffer, 256 KiB; a text that grows may be twice as large as what is in it.
LONG_STREAM = "/api/sleeps-in-handlers/stream?pieces=4096"
WAITING_STREAMS_KIB = 768 * 1024
# Memory that the process may retain after such readers leave; while connected they take about 256 MiB each time.
RETAINED_KIB = 24 * 1024

SMALL_BUFFER = 4096
POST = b"POST /api/core/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"


def get(path):
    return f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()


class Faults(TenonTest):
    alone = True  # it measures how soon a probe gets its response
    with_admin = False
    plugins = ZOO / "sleeps_in_handlers"

    def assert_probe_responds(self, path="/healthz"):
        took = []
        for _ in range(PROBES):
            client = Client(self.server)
            began = time.monotonic()
            self.assertEqual(200, client.get(path).status)
            took.append(time.monotonic() - began)
            client.close()
        self.assertLess(statistics.median(took), PROBE_SECONDS, took)

    def assert_memory_within(self, before, max_kib):
        if MEASURES_MEMORY:
            self.assertLess(status_kib(self.server, "VmHWM") - before, max_kib)


class AThousandSlowClients(Faults):
    """Timeouts longer than the defaults, so that all clients stay connected."""

    arguments = ("--http-head-deadline", "10m", "--http-body-window", "10m", "--http-write-window", "10m", "--log-access", "false",
                 "--plugins", ZOO / "sleeps_in_handlers")
    plugins = None

    def test_survives_endless_heads(self):
        """fault: a thousand clients whose requests never end
        | they are held in little memory, others are served
        | nothing is reported"""
        before = status_kib(self.server, "VmHWM")
        with BadClients(self.server, CLIENT_COUNT) as bad_clients:
            bad_clients.send(b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")
            bad_clients.drip(b"x")
            self.assert_probe_responds()
            self.assert_probe_responds("/api/sleeps-in-handlers/ok")
            self.assertEqual(0, bad_clients.responded(), "they had gone before the probe got its response")
        self.assert_memory_within(before, MAX_CLIENTS_KIB)

    def test_survives_endless_bodies(self):
        before = status_kib(self.server, "VmHWM")
        with BadClients(self.server, CLIENT_COUNT) as bad_clients:
            bad_clients.send(POST)
            bad_clients.drip(b" ")
            self.assert_probe_responds()
            self.assert_probe_responds("/api/sleeps-in-handlers/ok")
            self.assertEqual(0, bad_clients.responded(), "they had gone before the probe got its response")
        self.assert_memory_within(before, MAX_CLIENTS_KIB)

    def test_survives_unread_responses(self):
        for path, max_kib in (("/api/sleeps-in-handlers/large", WAITING_RESPONSES_KIB), (LONG_STREAM, WAITING_STREAMS_KIB)):
            before = status_kib(self.server, "VmHWM")
            with BadClients(self.server, CLIENT_COUNT, SMALL_BUFFER) as bad_clients:
                bad_clients.ask(get(path))
                self.assert_probe_responds()
                self.assert_probe_responds("/api/sleeps-in-handlers/ok")
                self.assertEqual(0, bad_clients.ended(), "they had gone before the probe got its response")
            self.assert_memory_within(before, max_kib)


class TheyAreSentAway(Faults):
    """Timeouts shorter than the defaults: the server frees all that a slow client used."""

    arguments = ("--http-head-deadline", "1s", "--http-body-window", "1s", "--http-write-window", "1s", "--http-linger", "200ms",
                 "--log-access", "false")

    def setUp(self):
        self.client().get("/api/sleeps-in-handlers/ok")
        self.before = descriptors(self.server)

    def assert_all_is_free(self):
        self.assertTrue(eventually(lambda: descriptors(self.server) <= self.before + 2), descriptors(self.server))
        self.assert_probe_responds()

    def test_frees_slow_heads(self):
        with BadClients(self.server, CLIENT_COUNT) as bad_clients:
            bad_clients.send(b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")
            bad_clients.drip(b"x")
            self.assertTrue(eventually(lambda: bad_clients.ended() == CLIENT_COUNT), "some are still there")
            for response in bad_clients.read_all():
                self.assertIn(b"http.head_timeout", response)
            self.assert_all_is_free()

    def test_frees_slow_bodies(self):
        with BadClients(self.server, CLIENT_COUNT) as bad_clients:
            bad_clients.send(POST)
            bad_clients.drip(b" ")
            self.assertTrue(eventually(lambda: bad_clients.ended() == CLIENT_COUNT), "some are still there")
            for response in bad_clients.read_all():
                self.assertIn(b"http.body_timeout", response)
            self.assert_all_is_free()

    def test_frees_slow_readers(self):
        with BadClients(self.server, CLIENT_COUNT, SMALL_BUFFER) as bad_clients:
            bad_clients.ask(get(LONG_STREAM))
            self.assert_all_is_free()
            self.assertFalse([1 for response in bad_clients.read_all() if response.endswith(b"\r\n0\r\n\r\n")], "a response looks complete")

    def test_reuses_memory_of_slow_readers(self):
        before = status_kib(self.server, "RssAnon")
        for path in (LONG_STREAM, "/api/sleeps-in-handlers/large", LONG_STREAM):
            with BadClients(self.server, CLIENT_COUNT, SMALL_BUFFER) as bad_clients:
                bad_clients.ask(get(path))
                self.assert_probe_responds()
            self.assert_all_is_free()
        if MEASURES_MEMORY:
            self.assertLess(status_kib(self.server, "RssAnon") - before, RETAINED_KIB)


class FewDescriptors(unittest.TestCase):
    LIMIT = 64

    def start(self):
        server = Server("--plugins", EXERCISES, "--log-access", "false")
        server.arguments = ["prlimit", f"--nofile={self.LIMIT}", *server.arguments]
        self.addCleanup(server.close)
        server.start()
        response = Client(server).post("/api/core/setup", {
            "token": server.setup_link_token(), "login": "ada", "name": "Ada", "password": "correct horse battery"})
        self.assertEqual(201, response.status, response)
        wait_for_migrations(server)
        return server

    def test_pauses_accepting_and_serves_connected_clients(self):
        """fault: the limit of file descriptors
        | accepting pauses; who is connected is served, the others wait
        | the log: accepting connections pauses"""
        server = self.start()
        began = time.monotonic()
        first = Client(server).sign_in("ada", "correct horse battery")
        with BadClients(server, 3 * self.LIMIT) as bad_clients:
            bad_clients.send(get("/healthz"))
            self.assertTrue(eventually(lambda: "accepting connections pauses" in server.log(1000)), server.log())
            # A connected client is served, even if its response needs a file.
            for _ in range(20):
                for path in ("/api/core/session", "/api/core/users", "/api/core/plugins", "/api/built-here/items"):
                    self.assertEqual(200, first.get(path).status, path)
            self.assertLess(descriptors(server), self.LIMIT, "none is left for a file")
            waiting = len(bad_clients.sockets) - bad_clients.responded()
            self.assertGreater(waiting, self.LIMIT, "more were accepted than the limit allows")
            # A client that leaves frees a descriptor; in the end every client was served.
            served = 0
            while bad_clients.sockets:
                self.assertTrue(eventually(bad_clients.responded), f"{len(bad_clients.sockets)} wait and none is accepted")
                for connection in [each for each in bad_clients.sockets if each.fileno() in dict(bad_clients._ready(1))]:
                    self.assertIn(b"200 OK", connection.recv(65536))
                    connection.close()
                    bad_clients.sockets.remove(connection)
                    served += 1
            self.assertEqual(3 * self.LIMIT, served)
        self.assertEqual(200, Client(server).get("/healthz").status)
        # Said once a minute.
        said = server.log(100000).count("accepting connections pauses")
        self.assertLessEqual(said, 1 + (time.monotonic() - began) // 60, server.log())
        self.assertIsNone(server.process.poll())

    def test_raises_soft_limit_of_descriptors(self):
        server = Server()
        server.arguments = ["prlimit", "--nofile=200:500", *server.arguments]
        self.addCleanup(server.close)
        server.start()
        with open(f"/proc/{server.process.pid}/limits", encoding="utf-8") as limits:
            line = next(line for line in limits if line.startswith("Max open files"))
        self.assertEqual(["500", "500"], line.split()[3:5])


if __name__ == "__main__":
    unittest.main()
