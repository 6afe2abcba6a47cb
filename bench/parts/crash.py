import http.client
import statistics
import threading
import time
import urllib.parse

from results import Chart, Section
from servers.tenon import Tenon


class ReadyzClient(threading.Thread):
    """Sends each request on a new connection, as a new client does, and remembers the slowest response."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.address = urllib.parse.urlsplit(url)
        self.slowest, self.asked, self.lost, self.is_finished = 0.0, 0, 0, False

    def run(self):
        while not self.is_finished:
            begin = time.monotonic()
            try:
                status = ask(self.address)
            except (OSError, http.client.HTTPException):
                status = 0
            self.asked += 1
            if status == 200:
                self.slowest = max(self.slowest, time.monotonic() - begin)
            else:
                self.lost += 1


def ask(address):
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status
    finally:
        connection.close()


def measure(arguments):
    """kill -9 of the host under its supervisor: time to the first response on a new connection, and the slowest response of clients."""
    times, slowest, lost, asked = [], [], 0, 0
    with Tenon(arguments.build, plugins=("notes", "tasks"), supervised=True) as server:
        for _ in range(arguments.rounds):
            # A new supervisor each time: several crashes of one cause pauses and safe mode.
            server.stop()
            server.start()
            clients = [ReadyzClient(server.url) for _ in range(4)]
            for client in clients:
                client.start()
            time.sleep(0.5)
            times.append(server.crash() * 1000)
            time.sleep(0.5)
            for client in clients:
                client.is_finished = True
                client.join()
            slowest.append(max(client.slowest for client in clients) * 1000)
            lost += sum(client.lost for client in clients)
            asked += sum(client.asked for client in clients)
    print(f"  crash to serving {statistics.median(times):.1f} ms (worst {max(times):.1f} ms), slowest response {max(slowest):.1f} ms, "
          f"{lost} of {asked} lost", flush=True)
    lines = [
        "### A crash of the host",
        "",
        "| | median | worst |",
        "|---|---|---|",
        f"| kill -9 to the first response on a new connection | **{statistics.median(times):.1f} ms** | {max(times):.1f} ms |",
        f"| slowest response of four clients during it | {statistics.median(slowest):.1f} ms | {max(slowest):.1f} ms |",
        "",
        f"{lost} of {asked} requests were lost, whose connections the host had taken.",
    ]
    return Section(lines, [Chart("A crash of the host, until it serves again", "ms", [("Tenon", statistics.median(times))], "less")])
