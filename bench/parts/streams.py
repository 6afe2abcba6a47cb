import json
import pathlib
import statistics
import subprocess
import sys
import time
import types

from results import Chart, Section
from servers.tenon import Tenon

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "integration"))
from tenon import PASSWORD, Client  # noqa: E402

STREAMS = 10_000
A_SESSION = 50  # as many channels as LiveChannel lets a session have
USERS = 4
OPTIONS = ("--http-connections", str(STREAMS + 1000))


def client_of(server):
    return Client(types.SimpleNamespace(host="127.0.0.1", port=int(server.url.rpartition(":")[2])))


def sign_in_many(server, count):
    """An admin's client, and the cookies of `count` sessions of ordinary members."""
    token = server.process.stdout.readline().partition("/setup?token=")[2].strip()
    admin = client_of(server)
    admin.post("/api/core/setup", {"token": token, "login": "ada", "name": "Ada", "password": PASSWORD})
    admin.sign_in("ada")
    cookies = []
    for index in range(USERS):
        admin.post("/api/core/users", {"login": f"member{index}", "name": f"Member {index}", "role": "member", "password": PASSWORD})
    for index in range(count):
        member = client_of(server).sign_in(f"member{index % USERS}")
        cookies += [f"{name}={value}" for name, value in member.cookies.items()]
        member.close()
    return admin.cookies, cookies


class Crowd:
    """tenon-bench-streams: `count` open streams."""

    def __init__(self, build, server, count, cookies):
        file = pathlib.Path(server.folder, "cookies")
        file.write_text("\n".join(cookies) + "\n", encoding="ascii")
        self.process = subprocess.Popen(
            [str(build / "bin" / "tenon-bench-streams"), server.url.rpartition(":")[2], str(count), "core.plugins", str(file)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("bench: the streams broke, see above")
        return line

    def broadcast(self, cause):
        """Milliseconds from just before `cause()`, and from the first client's reading, until the last client has read the event."""
        self.process.stdin.write("arm\n")
        self.process.stdin.flush()
        self.read()
        begin = time.monotonic_ns()
        cause()
        times = json.loads(self.read())
        return (times["last"] - begin) / 1e6, (times["last"] - times["first"]) / 1e6

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def threads_of(server):
    return len(list(pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()))


def measure(arguments):
    """Memory, threads and the time of a broadcast with 10,000 idle event streams of signed-in people."""
    # Hashing passwords leaves free memory behind, in which streams would hide: the server starts anew for the measurement.
    with Tenon(arguments.build, keep="streams", options=OPTIONS) as tenon:
        admin_cookies, cookies = sign_in_many(tenon, STREAMS // A_SESSION)
    with Tenon(arguments.build, keep="streams", options=OPTIONS) as tenon:
        admin = client_of(tenon)
        admin.cookies = admin_cookies
        switch(admin, "disable")
        switch(admin, "enable")
        tenon.rest()
        before, threads_before = tenon.memory()["Rss"], threads_of(tenon)
        crowd = Crowd(arguments.build, tenon, STREAMS, cookies)
        tenon.rest()
        after, threads_after = tenon.memory()["Rss"], threads_of(tenon)
        whole, spread = [], []
        for _ in range(arguments.rounds):
            for action in ("disable", "enable"):
                times = crowd.broadcast(lambda action=action: switch(admin, action))
                whole.append(times[0])
                spread.append(times[1])
        tenon.rest()
        later = tenon.memory()["Rss"]
        crowd.close()
    each = (after - before) / STREAMS
    each_later = (later - before) / STREAMS
    print(f"  {STREAMS:,} streams: {each:.2f} KiB each, {each_later:.2f} after the broadcasts; {threads_before} threads before, {threads_after} with"
          f" them; broadcast {statistics.median(whole):.0f} ms (worst {max(whole):.0f}), of it {statistics.median(spread):.0f} ms of reading", flush=True)
    lines = [
        f"### {STREAMS:,} idle event streams, signed in ({len(cookies)} sessions of {USERS} people)",
        "",
        "| memory each in the host | after the broadcasts | threads before and with them | broadcast to all, median (worst)"
        " | of it from the first client's reading on |",
        "|---|---|---|---|---|",
        f"| **{each:.2f} KiB** | {each_later:.2f} KiB | {threads_before}, {threads_after} | **{statistics.median(whole):.0f} ms** ({max(whole):.0f} ms)"
        f" | {statistics.median(spread):.0f} ms |",
        "",
        "Memory is the growth of the server's RSS; what the kernel keeps for a socket is not in it. A broadcast is a plugin that is disabled or"
        " enabled: the time runs from just before the admin's request until the last client has read the event.",
    ]
    return Section(lines, [Chart(f"{STREAMS:,} idle event streams", "KiB of memory each", [("Tenon", each)], better="less")])


def switch(admin, action):
    answer = admin.post(f"/api/core/plugins/bench/{action}", {})
    if answer.status != 200:
        raise SystemExit(f"bench: cannot {action} the plugin: {answer}")
