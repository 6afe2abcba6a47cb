import contextlib
import json
import pathlib
import statistics
import tempfile
import time

from parts.records import CONNECTIONS, MANY, Load, check, compare, enter
from parts.streams import Subscribers
from results import Section
from servers.asking import Unavailable, need
from servers.bare import Bare
from servers.directus import Directus
from servers.fastify import SearchedFastify
from servers.pocketbase import PocketBase
from servers.rows import CREATE_BODY, WORD
from servers.tenon_tasks import TenonTable

SUBSCRIBERS = 1_000
A_SESSION = 50  # as many channels as EventStreamHandler lets a session have
CHANGES_A_SECOND = 100


def rows_of(server, what):
    found = need("GET", server.url + server.lists[what], headers=server.headers)
    return found.get("items") or found.get("data")


def check_lists(server):
    """Checks that every server gives the same results."""
    filtered, deep, found = (rows_of(server, what) for what in ("filtered", "deep", "search"))
    newest = rows_of(server, "list")
    if {row["status"] for row in filtered} != {"open"} or len(filtered) != 50:
        raise Unavailable(f"{server.name} does not filter")
    if len(deep) != 50 or deep[0]["created"] >= newest[-1]["created"] or deep[0]["created"][:16] > "2026-01-01T17:00":
        raise Unavailable(f"{server.name} does not list the tasks after the first 9,000")
    if len(found) != 20 or any(WORD not in row["title"] for row in found):
        raise Unavailable(f"{server.name} does not search")


def live(tenon, seconds):
    """Lines on subscribers of the table that get changes; the rate of changes does not depend on what they have read."""
    tenon.stop()
    tenon.start()
    cookies = [tenon.sign_in("anna" if number % 2 else "admin") for number in range(SUBSCRIBERS // A_SESSION)]
    subscribers = Subscribers(pathlib.Path(tenon.build), tenon, SUBSCRIBERS, cookies, topics="bench.todos")
    task, headers = json.loads(CREATE_BODY), {"Cookie": tenon.sign_in("anna")}
    cpu, begin = tenon.cpu_seconds(), time.monotonic()
    times, rate = subscribers.broadcasts(CHANGES_A_SECOND * seconds, CHANGES_A_SECOND,
                                   lambda: need("POST", tenon.url + tenon.create_path, task, headers))
    passed = time.monotonic() - begin
    cpu = tenon.cpu_seconds() - cpu
    subscribers.close()
    late = sorted(times)[int(len(times) * 0.99)]
    print(f"  live   {SUBSCRIBERS} subscribers, {rate:.0f} changes/s: median {statistics.median(times):.1f} ms, p99 {late:.1f} ms,"
          f" {cpu / passed:.2f} cores", flush=True)
    return [f"{SUBSCRIBERS:,} subscribers of the table (event streams, signed in) on one I/O thread, {CHANGES_A_SECOND} changes a second"
            " whether or not they have read those before:", "",
            "| changes a second | until the last has read it, median | p99 | worst | processor time of the server |", "|---|---|---|---|---|",
            f"| {rate:.0f} | **{statistics.median(times):.1f} ms** | {late:.1f} ms | {max(times):.1f} ms |"
            f" {cpu / passed:.2f} of a core, {cpu / len(times) * 1000:.1f} ms a change |", ""]


def measure(arguments):
    """A published table by its REST API, compared with a bare server and whole servers with the same rows."""
    missing = []
    with contextlib.ExitStack() as stack:
        tenon = stack.enter_context(TenonTable(arguments.build, options=("--threads-io", "1", "--http-connections", "2000")))
        check(tenon)
        check_lists(tenon)
        bare = stack.enter_context(Bare(tenon))
        filtering = stack.enter_context(Bare(tenon, "status = 'open'"))
        peers = []
        for make in (SearchedFastify, PocketBase, Directus):
            server = enter(stack, make, missing)
            if server:
                check_lists(server)
                peers.append(server)
        load = Load(stack.enter_context(tempfile.TemporaryDirectory(prefix="tenon-bench-targets-")), arguments.seconds)
        everyone = [tenon, *peers]
        quick = [server for server in peers if not isinstance(server, Directus)]
        # Changes of the table come last, so that all servers list the same rows.
        lines, charts = compare(load, [
            ("filtered", CONNECTIONS, [tenon, filtering, *peers]), ("get", CONNECTIONS, [tenon, bare, *peers]),
            ("deep", CONNECTIONS, everyone), ("search", CONNECTIONS, everyone),
            ("update", CONNECTIONS, everyone), ("create", CONNECTIONS, everyone), ("create", MANY, [tenon, *quick]),
        ], tenon, arguments.rounds, "the REST API")
        lines += live(tenon, arguments.seconds)
    return Section(["### A published table of 10,000 tasks, by its REST API: session, access rule and metrics", "",
                    *lines, *[f"{line}." for line in missing]], charts)
