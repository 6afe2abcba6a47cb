import json
import pathlib
import statistics
import subprocess
import time

from results import Section
from servers.asking import ask, need
from servers.tenon import Tenon

STREAMS = 10_000
A_SESSION = 50  # as many channels as EventStreamHandler lets a session have
PEOPLE = 4
PASSWORD = "correct horse battery"
OPTIONS = ("--http-connections", str(STREAMS + 1000))


def add_people(server):
    """An admin and members, while the server is down."""
    for login, role in (("admin", "admin"), *((f"member{number}", "member") for number in range(PEOPLE))):
        subprocess.run([str(server.build / "bin" / "tenon"), "user", "add", login, "--role", role, "--password-stdin", "--data", server.data],
                       input=PASSWORD + "\n", text=True, check=True, stdout=subprocess.DEVNULL)


def sign_in(server, login):
    """The cookie of a new session."""
    status, fields, body = ask("POST", server.url + "/api/core/session", {"login": login, "password": PASSWORD})
    if status != 201:
        raise SystemExit(f"bench: {login} cannot sign in: {body}")
    return fields["Set-Cookie"].partition(";")[0]


def switch(server, admin, action):
    """Makes a change of a plugin, which all subscribers get."""
    need("POST", f"{server.url}/api/core/plugins/bench/{action}", {}, {"Cookie": admin})


def rest():
    time.sleep(1)


class Subscribers:
    """tenon-bench-streams: `count` open streams."""

    def __init__(self, build, server, count, cookies, topics="core.plugins"):
        file = pathlib.Path(server.folder, "cookies")
        file.write_text("\n".join(cookies) + "\n", encoding="ascii")
        self.process = subprocess.Popen(
            [str(build / "bin" / "tenon-bench-streams"), server.url.rpartition(":")[2], str(count), topics, str(file)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("bench: the streams broke, see above")
        return line

    def broadcast(self, cause):
        """Milliseconds from just before `cause()`, and from the first client's reading, until the last client has read the event."""
        self.arm(1)
        begin = time.monotonic_ns()
        cause()
        times = json.loads(self.read())
        return (times["last"][0] - begin) / 1e6, (times["last"][0] - times["first"]) / 1e6

    def arm(self, events):
        self.process.stdin.write(f"{events}\n")
        self.process.stdin.flush()
        self.read()

    def broadcasts(self, count, a_second, cause):
        """`cause()` so often, at a steady rate whether or not the one before was heard. Of each the milliseconds from just before
        it until the last client has read its event; and how many there were a second."""
        self.arm(count)
        begins = []
        for number in range(count):
            if begins:
                time.sleep(max(0, begins[0] / 1e9 + number / a_second - time.monotonic()))
            begins.append(time.monotonic_ns())
            cause()
        lasts = json.loads(self.read())["last"]
        rate = (count - 1) / (begins[-1] - begins[0]) * 1e9
        return [(last - begin) / 1e6 for begin, last in zip(begins, lasts, strict=True)], rate

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def threads_of(server):
    return len(list(pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()))


def measure(arguments):
    """Memory, threads and the time of a broadcast with 10,000 idle event streams of signed-in people."""
    with Tenon(arguments.build, options=OPTIONS) as tenon:
        tenon.stop()
        add_people(tenon)
        tenon.start()
        admin = sign_in(tenon, "admin")
        cookies = [sign_in(tenon, f"member{number % PEOPLE}") for number in range(STREAMS // A_SESSION)]
        # Hashing passwords leaves free memory, which would hide that of streams: the server restarts for the measurement.
        tenon.stop()
        tenon.start()
        switch(tenon, admin, "disable")
        switch(tenon, admin, "enable")
        rest()
        before, threads_before = tenon.memory()["Rss"], threads_of(tenon)
        subscribers = Subscribers(arguments.build, tenon, STREAMS, cookies)
        rest()
        after, threads_after = tenon.memory()["Rss"], threads_of(tenon)
        whole, spread, cpu_before = [], [], tenon.cpu_seconds()
        for _ in range(arguments.rounds):
            for action in ("disable", "enable"):
                times = subscribers.broadcast(lambda action=action: switch(tenon, admin, action))
                whole.append(times[0])
                spread.append(times[1])
        cpu = (tenon.cpu_seconds() - cpu_before) / len(whole) * 1000
        rest()
        later = tenon.memory()["Rss"]
        subscribers.close()
    each = (after - before) / STREAMS
    each_later = (later - before) / STREAMS
    print(f"  {STREAMS:,} streams: {each:.2f} KiB each, {each_later:.2f} after the broadcasts; {threads_before} threads before, {threads_after} with"
          f" them; broadcast {statistics.median(whole):.0f} ms (worst {max(whole):.0f}), of it {statistics.median(spread):.0f} ms of reading;"
          f" {cpu:.0f} ms of the server's processor time", flush=True)
    lines = [
        f"### {STREAMS:,} idle event streams, signed in ({len(cookies)} sessions of {PEOPLE} people)",
        "",
        "| memory each in the host | after the broadcasts | threads before and with them | broadcast to all, median (worst)"
        " | of it from the first client's reading on | processor time of the server for it |",
        "|---|---|---|---|---|---|",
        f"| **{each:.2f} KiB** | {each_later:.2f} KiB | {threads_before}, {threads_after} | **{statistics.median(whole):.0f} ms** ({max(whole):.0f} ms)"
        f" | {statistics.median(spread):.0f} ms | {cpu:.0f} ms |",
        "",
        "The time of a broadcast runs from just before the admin's request, which disables or enables a plugin, until the last client has read"
        " the event.",
    ]
    return Section(lines)
