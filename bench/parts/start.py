import statistics

from servers.tenon import Tenon


def measure(arguments):
    """From exec to the line `ready`, with notes and its database in place; then resident memory at rest."""
    times, resident, proportional = [], [], []
    for _ in range(arguments.rounds * 2):
        with Tenon(arguments.build, plugins=("notes",), keep="start") as tenon:
            times.append(tenon.seconds_to_ready * 1000)
            tenon.rest()
            memory = tenon.memory()
            resident.append(memory["Rss"] / 1024)
            proportional.append(memory["Pss"] / 1024)
    print(f"  start {statistics.median(times):.1f} ms, resident {statistics.median(resident):.1f} MiB", flush=True)
    return [
        "### Start and memory, with the plugin notes",
        "",
        "| exec to `ready`, median (worst) | resident (RSS) | proportional (PSS) |",
        "|---|---|---|",
        f"| {statistics.median(times):.1f} ms ({max(times):.1f} ms) | {statistics.median(resident):.1f} MiB | {statistics.median(proportional):.1f} MiB |",
    ]
