import contextlib
import os
import pathlib
import sqlite3
import statistics
import subprocess
import time

from results import Chart, Section
from servers.tenon_packages import Packages, TenonPackages

MIB = 1024 * 1024
LARGE = 384  # MiB
TIMES = 4  # a round, with little data
FIELD = {"name": "note", "type": "text", "required": True, "default": "none"}
TITLES = {
    "disable": "disable",
    "enable": "enable",
    "upgrade": "upgrade, no migration",
    "rollback": "rollback of it",
    "migration": "upgrade, a new required field in a table, which is rebuilt",
    "migration back": "rollback of it",
}


def fill(server):
    """Puts rows into the table `tasks` until the file has LARGE MiB, while the server is down: the bytes of the file."""
    server.stop()
    path = os.path.join(server.data, "bench.db")
    body = "x" * 60_000
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executemany(
            "INSERT INTO tasks (id, title, body, status, priority, created, updated) VALUES (?, 'A large one', ?, 'open', 1, ?, ?)",
            ((f"00000000-0000-4000-8000-{number:012}", body, *("2026-01-01T00:00:00.000Z",) * 2) for number in range(LARGE * MIB // 61_440)))
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    server.start()
    return os.path.getsize(path)


def copied(server):
    """Seconds that cp takes for the same file on the same disk, and a sync."""
    to = pathlib.Path(server.folder, "copy")
    begin = time.monotonic()
    subprocess.run(["cp", "--reflink=never", os.path.join(server.data, "bench.db"), str(to)], check=True)
    with open(to, "rb") as file:
        os.fsync(file.fileno())
    taken = time.monotonic() - begin
    to.unlink()
    return taken


def change(server, packages, found):
    """One of each change, its milliseconds into `found`; the plugin is then as before."""
    for action in ("disable", "enable"):
        found.setdefault(action, []).append(server.change(action))
    for kind, fields, back in (("upgrade", (), "rollback"), ("migration", (FIELD,), "migration back")):
        found.setdefault(kind, []).append(server.install(packages.version(1, fields)))
        found.setdefault(back, []).append(server.change("rollback"))


def measure(arguments):
    """Enabling, disabling, upgrading and rolling back, with little data and with much; their snapshots compared with cp."""
    little, much, copies = {}, {}, []
    with Packages(arguments.build) as packages, TenonPackages(arguments.build, packages) as server:
        server.install(packages.version(0))
        for _ in range(arguments.rounds * TIMES):
            change(server, packages, little)
        size = fill(server) / MIB
        for _ in range(arguments.rounds):
            copies.append(copied(server))
            change(server, packages, much)
            copies.append(copied(server))
    base = {kind: statistics.median(times) for kind, times in little.items()}
    cp = size / statistics.median(copies)
    # The extra time of a change with much data is that of the snapshot, or of its restoration.
    snapshot, restoration = (size / max(1e-3, (statistics.median(much[kind]) - base[kind]) / 1000) for kind in ("upgrade", "rollback"))
    lines = [
        "### Changes of a plugin, without load",
        "",
        f"| | with little data: median | worst | with {size:,.0f} MiB: median | worst |",
        "|---|---|---|---|---|",
        *(f"| {title} | **{base[kind]:.0f} ms** | {max(little[kind]):.0f} ms | {statistics.median(much[kind]):,.0f} ms | {max(much[kind]):,.0f} ms |"
          for kind, title in TITLES.items()),
        "",
        f"By HTTP, the package sent with the request. An upgrade takes a snapshot, a rollback restores it: **{snapshot:,.0f} MiB/s** and "
        f"{restoration:,.0f} MiB/s, compared with {cp:,.0f} MiB/s of `cp` with a sync on the same disk (**{snapshot / cp:.2f}** and "
        f"{restoration / cp:.2f}).",
    ]
    print(f"  {', '.join(f'{kind} {time:.0f} ms' for kind, time in base.items())}; snapshot {snapshot:,.0f} MiB/s, "
          f"restored {restoration:,.0f} MiB/s, cp {cp:,.0f} MiB/s", flush=True)
    return Section(lines, [
        Chart("Changes of a plugin", "ms", [(f"Tenon, {kind}", time) for kind, time in base.items()], "less"),
        Chart(f"A snapshot of {size:,.0f} MiB, synced", "MiB a second", [("Tenon", snapshot), ("cp", cp)]),
    ])
