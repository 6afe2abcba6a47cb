import contextlib
import os
import random
import statistics
import tempfile

from load import wrk
from results import Chart, Section
from servers.asking import Unavailable, need
from servers.bare import Bare
from servers.directus import Directus
from servers.fastify import Fastify
from servers.pocketbase import PocketBase
from servers.rows import CREATE_BODY, UPDATE_BODY
from servers.tenon_tasks import TenonTasks

CONNECTIONS = 16
MANY = 64


def check(server):
    """Checks that a server returns the compared data: 50 tasks, and one with its body."""
    found = need("GET", server.url + server.list_path, headers=server.headers)
    rows = found.get("items") or found.get("data")
    one = need("GET", server.url + server.get_paths[7], headers=server.headers)
    one = one.get("data", one)
    if len(rows) != 50 or len(rows[0]["body"]) != 200 or len(one["body"]) != 200 or rows[0]["created"] < rows[49]["created"]:
        raise Unavailable(f"{server.name} does not return the tasks")


class Load:
    """Rates of a server, as requests a second and requests a CPU-second."""

    def __init__(self, folder, seconds):
        self.folder, self.seconds = folder, seconds

    def targets(self, server):
        path = os.path.join(self.folder, server.name)
        if not os.path.exists(path):
            with open(path, "w", encoding="ascii") as file:
                file.write("\n".join(random.Random(2).sample(server.get_paths, len(server.get_paths))))
        return path

    def run(self, what, server, connections=CONNECTIONS):
        before = server.cpu_seconds()
        if what == "list":
            done = wrk(server.url + server.list_path, connections, self.seconds, headers=server.headers)
        elif what in ("filtered", "deep", "search"):
            done = wrk(server.url + server.lists[what], connections, self.seconds, headers=server.headers)
        elif what == "update":
            done = wrk(server.url, connections, self.seconds, script="targets.lua", headers=server.headers,
                       arguments=(self.targets(server), UPDATE_BODY))
        elif what == "get":
            done = wrk(server.url, connections, self.seconds, script="targets.lua", headers=server.headers, arguments=(self.targets(server),))
        else:
            done = wrk(server.url + server.create_path, connections, self.seconds, script="create.lua", headers=server.headers,
                       arguments=(CREATE_BODY,))
        if done["errors"]:
            raise SystemExit(f"bench: {done['errors']} requests failed: {what} of {server.name}")
        return done["requests"] / done["seconds"], done["requests"] / max(server.cpu_seconds() - before, 1e-2)


def enter(stack, make, missing):
    """The server, or None with a line said when it cannot be had here."""
    try:
        server = stack.enter_context(make())
        check(server)
        return server
    except Unavailable as why:
        print(f"  without {make.__name__}: {why}", flush=True)
        missing.append(f"{make.__name__} is missing in this run: {str(why).splitlines()[0]}")
        return None


def measure(arguments):
    """Lists, gets and creates of a plugin's table through its routes, compared with a bare server and whole servers."""
    missing = []
    with contextlib.ExitStack() as stack:
        tenon = stack.enter_context(TenonTasks(arguments.build, options=("--threads-io", "1")))
        check(tenon)
        bare = stack.enter_context(Bare(tenon))
        check(bare)
        peers = [server for make in (Fastify, PocketBase, Directus) if (server := enter(stack, make, missing))]
        load = Load(stack.enter_context(tempfile.TemporaryDirectory(prefix="tenon-bench-targets-")), arguments.seconds)
        # Creates last, so that lists and gets find the same table everywhere.
        # Not Directus with many clients: each would wait for seconds, and time out on a slow machine.
        quick = [server for server in peers if not isinstance(server, Directus)]
        columns = [("list", CONNECTIONS, [tenon, bare, *peers]), ("get", CONNECTIONS, [tenon, bare, *peers]),
                   ("create", CONNECTIONS, [tenon, *peers]), ("create", MANY, [tenon, *quick])]
        lines, charts = compare(load, columns, tenon, arguments.rounds, "a plugin's routes")
    return Section(["### A plugin's table of 10,000 tasks, through its routes, session and permission checked", "",
                    *lines, *[f"{line}." for line in missing]], charts)


def compare(load, columns, tenon, rounds, way):
    """Lines and charts of columns (what, connections, servers), each measured in interleaved rounds; `way` is the route of Tenon that responds."""
    lines, charts = [], []
    for what, connections, servers in columns:
        figures = {server: [] for server in servers}
        for _ in range(rounds + 1):
            for server in servers:
                figures[server].append(load.run(what, server, connections))
        # The first round warmed them up.
        medians = {server: [statistics.median(column) for column in zip(*figures[server][1:])] for server in servers}
        lines += table(what, connections, tenon, medians)
        charts.append(Chart(TITLES[what], f"a second, {connections} connections, {way}",
                            [(server.name, rate) for server, (rate, _) in medians.items()]))
    return lines, charts


TITLES = {"list": "List 50, newest first", "filtered": "List 50 with a filter, newest first", "deep": "List 50 after the first 9,000",
          "search": "Search for a word that 100 tasks have, 20 of them", "get": "Get one", "create": "Create one", "update": "Change one"}


def times(ours, theirs):
    return f"{ours / theirs:.2f} ×" if theirs else "–"


def table(what, connections, tenon, medians):
    rate, work = medians[tenon]
    creates = what in ("create", "update")
    lines = [f"{TITLES[what]}, {connections} connections:", "",
             "| server | a second | Tenon is | a CPU-second | Tenon is |" + (" on the disk |" if creates else ""),
             "|---|---|---|---|---|" + ("---|" if creates else "")]
    for server, (its_rate, its_work) in medians.items():
        line = f"| {server.name} | {its_rate:,.0f} | **{times(rate, its_rate)}** | {its_work:,.0f} | **{times(work, its_work)}** |"
        lines.append(line + (f" {server.durability} |" if creates else ""))
        print(f"  {what:6} {connections:3}  {server.name:12} {its_rate:9,.0f}/s ({times(rate, its_rate)})"
              f"  {its_work:9,.0f}/CPU-s ({times(work, its_work)})", flush=True)
    return [*lines, ""]
