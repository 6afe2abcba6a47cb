import contextlib
import statistics
import time

from results import Chart, Section
from servers.asking import Unavailable
from servers.directus import Directus
from servers.pocketbase import PocketBase
from servers.tenon import Tenon


def measure(arguments):
    """From exec to the first 200, on data that is there; then memory at rest, of the server and its children."""
    missing = []
    figures = {}
    with contextlib.ExitStack() as stack:
        # Entering one makes its data; each is down while another is measured.
        servers = []
        for make in (lambda: Tenon(arguments.build, plugins=("notes",), supervised=True), PocketBase, Directus):
            try:
                servers.append(stack.enter_context(make()))
                servers[-1].stop()
            except Unavailable as why:
                print(f"  without {make.__name__}: {why}", flush=True)
                missing.append(f"{make.__name__} is missing in this run: {str(why).splitlines()[0]}.")
        for _ in range(arguments.rounds):
            for server in servers:
                server.start()
                time.sleep(1)
                memory = server.memory()
                server.stop()
                figures.setdefault(server, []).append((server.seconds_to_answer * 1000, memory["Rss"] / 1024, memory["Pss"] / 1024))
                if server is servers[0]:
                    figures.setdefault("ready", []).append(server.seconds_to_ready * 1000)
    ready = figures.pop("ready")
    lines = [
        "### Start and memory",
        "",
        "| server | exec to first 200, median (worst) | Tenon's is | resident (RSS) | proportional (PSS) | Tenon's is |",
        "|---|---|---|---|---|---|",
    ]
    times, memories = Chart("Start to the first answer", "ms", [], "less"), Chart("Memory at rest (PSS)", "MiB", [], "less")
    base, _, base_memory = [statistics.median(column) for column in zip(*figures[servers[0]])]
    for server, samples in figures.items():
        milliseconds, resident, proportional = [statistics.median(column) for column in zip(*samples)]
        name = "Tenon with notes" if server is servers[0] else server.name
        lines.append(f"| {name} | {milliseconds:,.1f} ms ({max(sample[0] for sample in samples):,.1f} ms) | **{base / milliseconds:.3f} ×** "
                     f"| {resident:.1f} MiB | {proportional:.1f} MiB | **{base_memory / proportional:.2f} ×** |")
        times.bars.append((name, milliseconds))
        memories.bars.append((name, proportional))
        print(f"  {name}: {milliseconds:,.1f} ms, RSS {resident:.1f} MiB, PSS {proportional:.1f} MiB", flush=True)
    lines += ["", f"Tenon's line `ready` came after {statistics.median(ready):.1f} ms (worst {max(ready):.1f} ms).", *missing]
    return Section(lines, [times, memories])
