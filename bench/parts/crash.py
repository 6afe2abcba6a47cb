import http.client
import statistics
import threading
import time
import urllib.parse

from results import Chart, Section
from servers.tenon import Tenon


class Asking(threading.Thread):
    """Asks on a connection of its own each time, as somebody who just comes does, and remembers the slowest answer."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.address = urllib.parse.urlsplit(url)
        self.slowest, self.asked, self.lost, self.is_over = 0.0, 0, 0, False

    def run(self):
        while not self.is_over:
            begin = time.monotonic()
            try:
                answer = ask(self.address)
            except (OSError, http.client.HTTPException):
                answer = 0
            self.asked += 1
            if answer == 200:
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
    """kill -9 of the host under its supervisor: until a connection made right after it is answered, and the slowest answer of clients beside it."""
    times, slowest, lost, asked = [], [], 0, 0
    with Tenon(arguments.build, plugins=("notes", "tasks"), supervised=True) as server:
        for _ in range(arguments.rounds):
            # A new supervisor each time: several crashes of one bring pauses and safe mode.
            server.stop()
            server.start()
            clients = [Asking(server.url) for _ in range(4)]
            for client in clients:
                client.start()
            time.sleep(0.5)
            times.append(server.crash() * 1000)
            time.sleep(0.5)
            for client in clients:
                client.is_over = True
                client.join()
            slowest.append(max(client.slowest for client in clients) * 1000)
            lost += sum(client.lost for client in clients)
            asked += sum(client.asked for client in clients)
    print(f"  crash to serving {statistics.median(times):.1f} ms (worst {max(times):.1f} ms), slowest answer {max(slowest):.1f} ms, "
          f"{lost} of {asked} lost", flush=True)
    lines = [
        "### A crash of the host",
        "",
        "| | median | worst |",
        "|---|---|---|",
        f"| kill -9 to the first answer on a new connection | **{statistics.median(times):.1f} ms** | {max(times):.1f} ms |",
        f"| slowest answer of four clients across it | {statistics.median(slowest):.1f} ms | {max(slowest):.1f} ms |",
        "",
        f"{lost} of {asked} requests were lost, whose connections the host had taken.",
    ]
    return Section(lines, [Chart("A crash of the host, until it serves again", "ms", [("Tenon", statistics.median(times))], "less")])
