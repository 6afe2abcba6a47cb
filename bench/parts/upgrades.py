import collections
import contextlib
import os
import pathlib
import sqlite3
import statistics
import tempfile
import time

from load import Steady
from results import Chart, Section
from servers.copies import copy_plugin
from servers.tenon import folder_of
from servers.tenon_packages import Packages, TenonPackages

UPGRADES = 100
RATE = 2_000
CONNECTIONS = 256
OTHER = "other"
# To each of the two plugins: durable creates, a response of an I/O thread, one of a worker that reads the database.
TARGETS = (
    'POST /api/{plugin}/records {{"title":"%n","body":"A record of one of many"}}',
    "GET /api/{plugin}/inline",
    'POST /api/{plugin}/records {{"title":"%n","body":"A record of one of many"}}',
    "GET /api/{plugin}/tasks",
)


class UpgradeRun:
    """The results of one server under the load: first without a change, then while one plugin was upgraded again and again."""

    def __init__(self, arguments, packages, other, folder):
        self.targets = pathlib.Path(folder, "targets")
        self.targets.write_text("\n".join(f"{plugin} {target.format(plugin=plugin)}" for target in TARGETS for plugin in ("bench", OTHER)),
                                encoding="ascii")
        self.acknowledged = pathlib.Path(folder, "acknowledged")
        self.missing, self.written = 0, 0
        with TenonPackages(arguments.build, packages, plugins=(other,)) as server:
            server.install(packages.version(0))
            numbers = iter(range(1, UPGRADES + 1))
            self.calm = self.load(server, lambda: time.sleep(arguments.seconds))
            self.check(server)
            self.times = []
            self.busy = self.load(server, lambda: self.times.extend(server.install(packages.version(number)) for number in numbers))
            self.check(server)
            self.holds = server.max_holds()

    def load(self, server, work):
        load = Steady(server, RATE, CONNECTIONS, server.signed_in(), self.targets, self.acknowledged)
        work()
        return load.end()

    def check(self, server):
        """Counts acknowledged writes, and those of them that are missing."""
        acknowledged = collections.defaultdict(set)
        for line in self.acknowledged.read_text(encoding="ascii").splitlines():
            plugin, number = line.split()
            acknowledged[plugin].add(number)
        server.stop()
        for plugin, numbers in acknowledged.items():
            with contextlib.closing(sqlite3.connect(os.path.join(server.data, plugin + ".db"))) as database:
                there = {title for title, in database.execute("SELECT title FROM records")}
                # The next load counts from zero.
                database.execute("DELETE FROM records")
                database.commit()
            self.missing += len(numbers - there)
            self.written += len(numbers)
        server.start()


def failed(groups):
    return sum(count for group in groups.values() for status, count in group["statuses"].items() if int(status) // 100 != 2)


def row(name, runs, group):
    """A line of the table: of these loads, the requests to one plugin."""
    found = [run["groups"][group] for run in runs]
    asked = sum(one["asked"] for one in found)
    return (f"| {name} | {asked:,} | **{sum(failed({group: one}) for one in found)}** | {statistics.median(one['p50'] for one in found):.1f} ms "
            f"| {statistics.median(one['p99'] for one in found):.1f} ms | {statistics.median(one['worst'] for one in found):.0f} ms "
            f"| {max(one['worst'] for one in found):.0f} ms |")


def measure(arguments):
    """100 upgrades in a row under 2,000 requests a second, half of them durable creates, to that plugin and to another one."""
    rounds = []
    with Packages(arguments.build) as packages, tempfile.TemporaryDirectory(prefix="tenon-bench-upgrades-") as folder:
        other = copy_plugin(folder_of(arguments.build, "bench"), folder, id=OTHER)
        for number in range(UPGRADES + 1):
            packages.version(number)
        for _ in range(arguments.rounds):
            rounds.append(UpgradeRun(arguments, packages, other, folder))
            one = rounds[-1]
            print(f"  {failed(one.busy['groups'])} failed, {one.missing} of {one.written:,} acknowledged writes missing; upgrades "
                  f"{statistics.median(one.times):.0f} ms (worst {max(one.times):.0f}), longest wait {max(one.holds, default=0)} ms, "
                  f"slowest response {one.busy['groups']['bench']['worst']:.0f} ms, of the other plugin {one.busy['groups'][OTHER]['worst']:.0f} ms",
                  flush=True)
    calm, busy = [one.calm for one in rounds], [one.busy for one in rounds]
    times = [each for one in rounds for each in one.times]
    lines = [
        f"### {UPGRADES} upgrades in a row under {RATE:,} requests a second",
        "",
        "| requests | asked | failed | median | p99 | slowest, median of the rounds | slowest of all |",
        "|---|---|---|---|---|---|---|",
        row("to that plugin, during the upgrades", busy, "bench"),
        row("to another one, during the upgrades", busy, OTHER),
        row("to that plugin, without upgrades", calm, "bench"),
        row("to another one, without upgrades", calm, OTHER),
        "",
        f"An upgrade took {statistics.median(times):.0f} ms (worst {max(times):.0f} ms), the package sent by HTTP; requests waited at the hold for "
        f"{statistics.median(each for one in rounds for each in one.holds):.0f} ms (worst {max(each for one in rounds for each in one.holds)} ms). "
        f"{sum(one.missing for one in rounds)} of {sum(one.written for one in rounds):,} acknowledged creates were missing. "
        f"Each time counts from when a request was due; the generator sent them up to {max(run['late_ms'] for run in busy):.0f} ms late.",
    ]
    return Section(lines, [Chart("A request to a plugin while it is upgraded 100 times", "ms", [
        ("Tenon, p99", statistics.median(run["groups"]["bench"]["p99"] for run in busy)),
        ("Tenon, slowest", statistics.median(run["groups"]["bench"]["worst"] for run in busy))], "less")])
