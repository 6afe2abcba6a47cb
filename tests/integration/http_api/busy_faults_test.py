"""Busy neighbours: a plugin that sleeps in every handler, and many clients that sign in. Other requests do not wait; memory stays bounded."""

import json
import unittest

from bad_clients import EXERCISES, MEASURES_MEMORY, ZOO, BadClients, status_kib
from tenon import BOTH_IN_FULL, PASSWORD, TenonTest, eventually, wait_for_migrations, within

PLUGIN = "/api/sleeps-in-handlers"
# 48 of 64 workers may work for one plugin, and 256 of its requests may wait: none of these is refused.
WORKERS = 48
SLEEPERS = 200
PROBES = 30


class ASleepingPlugin(TenonTest):
    arguments = ("--plugins", ZOO / "sleeps_in_handlers", "--plugins", EXERCISES, "--http-handler", "10m", "--log-access", "false")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        wait_for_migrations(cls.server)

    def tearDown(self):
        # Requests of clients that left may still wait for a worker, and then sleep.
        self.assertTrue(eventually(self.is_rested), "it does not come to rest")

    def is_rested(self):
        self.client().get(f"{PLUGIN}/wake")
        with BadClients(self.server, 1) as visitor:
            visitor.send(f"GET {PLUGIN}/ok HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            return within(visitor.responded, 1) and visitor.sockets[0].recv(12).endswith(b"200") and self.sleeping() == 0

    def sleeping(self):
        return self.client().get(f"{PLUGIN}/sleeping").json()["sleeping"]

    def fall_asleep(self, bad_clients):
        bad_clients.send(f"GET {PLUGIN}/sleep?on=true HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        self.assertTrue(eventually(lambda: self.sleeping() >= WORKERS), "it does not sleep")

    def assert_others_do_not_wait(self, bad_clients):
        client, visitor = self.client("ada"), self.client()
        for _ in range(PROBES):
            for path in ("/healthz", "/api/core/session", "/api/built-here/who", "/api/built-here/hello/x", "/api/built-here/stream",
                         "/api/built-here/items"):
                self.assertEqual(200, client.get(path).status, path)
            # Its own handlers that never block do not wait either.
            self.assertEqual(b"inline", visitor.get(f"{PLUGIN}/inline").body)
        self.assertEqual(0, bad_clients.responded(), "the sleepers did not sleep for so long")

    def assert_all_wake(self, bad_clients):
        while bad_clients.responded() < len(bad_clients.sockets):
            self.client().get(f"{PLUGIN}/wake")
        self.assertTrue(all(connection.recv(65536).startswith(b"HTTP/1.1 200") for connection in bad_clients.sockets))

    def test_delays_no_other_requests(self):
        """fault: a plugin whose handlers sleep | it waits for itself alone; other requests are served at once | nothing is reported"""
        with BadClients(self.server, SLEEPERS) as bad_clients:
            self.fall_asleep(bad_clients)
            self.assert_others_do_not_wait(bad_clients)
            self.assert_all_wake(bad_clients)

    def test_delays_no_others_after_a_quick_start(self):
        client = self.client()
        for _ in range(2000):
            self.assertEqual(200, client.get(f"{PLUGIN}/sleep").status)
        with BadClients(self.server, SLEEPERS) as bad_clients:
            self.fall_asleep(bad_clients)
            self.assert_others_do_not_wait(bad_clients)
            self.assert_all_wake(bad_clients)

    def test_gets_503_when_too_busy(self):
        with BadClients(self.server, SLEEPERS) as bad_clients, BadClients(self.server, SLEEPERS) as more:
            self.fall_asleep(bad_clients)
            # All that may work do; these fill the queue, and some of them find it full.
            more.send(f"GET {PLUGIN}/sleep?on=true HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            self.assertTrue(eventually(more.responded))
            self.assertEqual(0, bad_clients.responded())
            response = self.assert_problem(self.client().get(f"{PLUGIN}/ok"), 503, "http.overloaded")
            self.assertNotIn("plugin", response["detail"])
            self.assertEqual(200, self.client("ada").get("/api/built-here/who").status)


class ALoginStorm(TenonTest):
    """Every sign-in wants 19 MiB for its password hash, also one for an unknown login."""

    engines = BOTH_IN_FULL

    # Every client has an address of its own, so that no throttle hides the hashes.
    arguments = ("--http-trusted-proxies", "127.0.0.1", "--login-hashes", "2", "--log-access", "false")
    STORM = 500
    # Two hashes at once, and what five hundred connections and all workers need.
    MAX_KIB = 2 * 19 * 1024 + 48 * 1024

    def login(self, number):
        body = json.dumps({"login": f"unknown{number}", "password": "wrong but long enough"})
        return (f"POST /api/core/session HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.1.{number // 250}.{number % 250 + 1}\r\n"
                f"Content-Type: application/json\r\nSec-Fetch-Site: same-origin\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()

    def test_uses_bounded_memory_and_lets_others_pass(self):
        """fault: a login storm | bounded memory; others pass | nothing is reported; sign-ins over the limit get 503"""
        ada = self.client("ada")
        before = status_kib(self.server, "VmRSS")
        with BadClients(self.server, self.STORM) as bad_clients:
            for number, connection in enumerate(bad_clients.sockets):
                connection.sendall(self.login(number))
            for _ in range(PROBES):
                self.assertEqual(200, self.client().get("/healthz").status)
                self.assertEqual(200, ada.get("/api/core/session").status)
            statuses = [int(connection.recv(65536)[9:12]) for connection in bad_clients.sockets]
        self.assertEqual({401, 503}, set(statuses))
        self.assertGreater(statuses.count(401), 2)
        if MEASURES_MEMORY:
            self.assertLess(status_kib(self.server, "VmHWM") - before, self.MAX_KIB)
        self.client().sign_in("ada", PASSWORD)


if __name__ == "__main__":
    unittest.main()
