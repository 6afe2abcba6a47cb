"""Shared parts of the supervisor's tests: a server with its supervisor, a plugin that crashes as the test says, and one without faults."""

import contextlib
import os
import pathlib
import signal
import tempfile

from tenon import BUILD, PASSWORD, Client, Server, TenonTest, children_of, eventually

ZOO = BUILD / "tests/plugins/zoo"
BAD = "crashes-at-stage"
GOOD = "sleeps-in-handlers"


def status_of(pid):
    """The fields of /proc/PID/status."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def first_address(pid):
    """Returns the address of the program in memory; None during exec."""
    with contextlib.suppress(OSError, ValueError):
        program = os.readlink(f"/proc/{pid}/exe")
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
            if line.endswith(program):
                return line.partition("-")[0]
    return None


class SupervisorTest(TenonTest):
    """A server with its supervisor for each test; one plugin crashes as the test says, one has no fault."""

    with_admin = True
    supervised = True

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tenon-supervisor-")
        self.addCleanup(folder.cleanup)
        self.orders = pathlib.Path(folder.name, "orders")
        self.order("nothing")
        self.server = self.make(self.supervised)

    def make(self, supervised, data=None):
        server = Server("--plugins", ZOO / "crashes_at_stage", "--plugins", ZOO / "sleeps_in_handlers", data=data,
                        environment={"ZOO_CRASHES_AT_STAGE": str(self.orders)}, supervised=supervised)
        self.addCleanup(server.close)
        return server

    def order(self, text):
        self.orders.write_text(text)

    def start(self):
        self.server.start()
        if self.with_admin:
            response = Client(self.server).post("/api/core/setup", {
                "token": self.server.setup_link_token(), "login": "ada", "name": "Ada", "password": PASSWORD})
            self.assertEqual(201, response.status, response)
        return self.client("ada")

    def host(self):
        """The process id of the host, once there is one that serves or loads."""
        return eventually(lambda: children_of(self.server.process.pid))[0]

    def supervisor(self):
        return self.server.process.pid

    def renewed(self):
        """Returns the address of the supervisor's program after it renewed itself: it then differs from the host's."""
        taken = (None, first_address(self.host()))
        # It is called "exe" until then.
        return eventually(lambda: (address := first_address(self.supervisor())) not in taken
                          and status_of(self.supervisor())["Name"] == "tenon" and address)

    def kill_host(self, by=signal.SIGKILL):
        """Ends the host and waits until another one responds."""
        old = self.host()
        os.kill(old, by)
        eventually(lambda: (found := children_of(self.server.process.pid)) and found[0] != old)
        self.assertEqual(200, self.ask("/healthz").status)
        eventually(lambda: self.ask("/readyz").status == 200)
        return self.host()

    def ask(self, path):
        """One request on a connection of its own, which may wait in the backlog."""
        return self.client().get(path)

    def item(self, client, plugin=BAD):
        return next(item for item in client.get("/api/core/plugins").json()["items"] if item["id"] == plugin)

    def assert_quarantined(self, client, *words):
        item = self.item(client)
        self.assertEqual(("quarantined", "plugins.crashed", True), (item["state"], item["reason"]["code"], item["enabled"]), item)
        for word in words:
            self.assertIn(word, item["reason"]["message"])
        self.assert_problem(self.ask(f"/api/{BAD}/ok"), 503, "plugins.quarantined")
        eventually(lambda: f"{BAD} quarantined plugins.crashed" in self.ask("/readyz").body.decode())
        self.assertIn(f'tenon_plugins_state{{plugin="{BAD}",state="quarantined"}} 1', self.ask("/metrics").body.decode())

    def assert_others_serve(self, client):
        self.assertEqual("active", self.item(client, GOOD)["state"])
        self.assertEqual(b"ok", self.ask(f"/api/{GOOD}/ok").body)

    def printed(self):
        """Returns the lines on stdout that were not read yet."""
        lines = []
        while not self.server.lines.empty():
            lines.append(self.server.lines.get())
        return lines
