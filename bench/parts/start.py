import contextlib
import statistics
import time

from results import Chart, Section
from servers.asking import Unavailable
from servers.directus import Directus
from servers.pocketbase import PocketBase
from servers.tenon import Tenon

# A supervisor executes its program again about a second after its host is ready.
REST_SECONDS = 2


def measure(arguments):
    """From exec to the first 200, on data that is there; memory at rest, of the server and its children; from kill -9 to the first 200."""
    missing = []
    figures = {}
    with contextlib.ExitStack() as stack:
        # Entering one makes its data; each is down while another is measured.
        servers = []
        for make in (lambda: Tenon(arguments.build, plugins=("notes", "tasks"), supervised=True), PocketBase, Directus):
            try:
                servers.append(stack.enter_context(make()))
                servers[-1].stop()
            except Unavailable as why:
                print(f"  without {make.__name__}: {why}", flush=True)
                missing.append(f"{make.__name__} is missing in this run: {str(why).splitlines()[0]}.")
        for _ in range(arguments.rounds):
            for server in servers:
                server.start()
                started = server.seconds_to_response * 1000
                if server is servers[0]:
                    figures.setdefault("ready", []).append(server.seconds_to_ready * 1000)
                time.sleep(REST_SECONDS)
                memory = server.memory()
                crashed = server.crash() * 1000
                server.stop()
                figures.setdefault(server, []).append((started, crashed, memory["Rss"] / 1024, memory["Pss"] / 1024))
    ready = figures.pop("ready")
    lines = [
        "### Start, crash and memory",
        "",
        "| server | exec to first 200, median (worst) | Tenon's is | kill -9 to first 200, median (worst) | Tenon's is "
        "| resident (RSS) | proportional (PSS) | Tenon's is |",
        "|---|---|---|---|---|---|---|---|",
    ]
    times, memories = Chart("Start to the first response", "ms", [], "less"), Chart("Memory at rest (PSS)", "MiB", [], "less")
    base_start, base_crash, _, base_memory = [statistics.median(column) for column in zip(*figures[servers[0]])]
    for server, samples in figures.items():
        start, crash, resident, proportional = [statistics.median(column) for column in zip(*samples)]
        name = "Tenon with notes and tasks" if server is servers[0] else server.name
        lines.append(f"| {name} | {start:,.1f} ms ({max(sample[0] for sample in samples):,.1f} ms) | **{base_start / start:.3f} ×** "
                     f"| {crash:,.1f} ms ({max(sample[1] for sample in samples):,.1f} ms) | **{base_crash / crash:.3f} ×** "
                     f"| {resident:.1f} MiB | {proportional:.1f} MiB | **{base_memory / proportional:.2f} ×** |")
        times.bars.append((name, start))
        memories.bars.append((name, proportional))
        print(f"  {name}: start {start:,.1f} ms, crash {crash:,.1f} ms, RSS {resident:.1f} MiB, PSS {proportional:.1f} MiB", flush=True)
    lines += ["", f"Tenon's line `ready` came after {statistics.median(ready):.1f} ms (worst {max(ready):.1f} ms). After kill -9 Tenon's supervisor "
              "starts another host; the peers are started again at once by the bench.", *missing]
    print(f"  Tenon's ready: {statistics.median(ready):.1f} ms (worst {max(ready):.1f} ms)", flush=True)
    return Section(lines, [times, memories])
