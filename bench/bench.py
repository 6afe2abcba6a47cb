#!/usr/bin/env python3
"""Measures Tenon beside its peers on this machine and writes the table into bench/README.md.

Both sides of a ratio run interleaved, round after round, and the medians are compared: absolute figures drift with
the machine, ratios hold. Requests are counted per CPU-second of the server (/proc/<pid>/stat), because the load generator
shares the cores. Options: --rounds N (default 5), --seconds S of load a round (default 3), --only PART,… (front, start, writes),
--dry (do not write the README).
"""

import argparse
import os
import pathlib
import platform
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measure import Nginx, Tenon, plain_writes, version_of, wrk  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("DEV_BUILD", ROOT / "build" / "release"))
README = ROOT / "bench" / "README.md"
CONNECTIONS = (16, 64, 256, 1024)


def median(values):
    return statistics.median(values)


def front(arguments):
    """Requests per CPU-second of a 1 KB answer: nginx `return 200`, an inline route, a worker route into the plugin."""
    rows = []
    with Tenon(BUILD) as tenon, Nginx() as nginx:
        sides = (
            ("nginx", nginx, nginx.url + "/"),
            ("inline", tenon, tenon.url + "/api/bench/inline"),
            ("worker", tenon, tenon.url + "/api/bench/worker"),
        )
        for name, server, url in sides:
            wrk(url, 16, 1)  # warm
        for connections in CONNECTIONS:
            figures = {name: [] for name, _, _ in sides}
            for _ in range(arguments.rounds):
                for name, server, url in sides:
                    before = server.cpu_seconds()
                    done = wrk(url, connections, arguments.seconds)
                    if done["errors"]:
                        raise SystemExit(f"bench: {done['errors']} failed requests at {url}")
                    figures[name].append(done["requests"] / max(server.cpu_seconds() - before, 1e-3))
            base = median(figures["nginx"])
            rows.append((connections, base, median(figures["inline"]), median(figures["worker"])))
            print(f"  {connections:5} connections: nginx {base:9,.0f}  inline {rows[-1][2]:9,.0f} ({rows[-1][2] / base:.2f})"
                  f"  worker {rows[-1][3]:9,.0f} ({rows[-1][3] / base:.2f})", flush=True)
    lines = [
        "### Front: requests per CPU-second, 1 KB answer, keep-alive",
        "",
        "| connections | nginx `return 200` | Tenon, inline route of a plugin | ratio | Tenon, worker route of a plugin | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for connections, base, inline, worker in rows:
        lines.append(f"| {connections:,} | {base:,.0f} | {inline:,.0f} | **{inline / base:.2f}** | {worker:,.0f} | **{worker / base:.2f}** |")
    return lines


def start(arguments):
    """From exec to the line `ready`, with notes and its database in place; then resident memory at rest."""
    times, resident, proportional = [], [], []
    for _ in range(arguments.rounds * 2):
        with Tenon(BUILD, plugins=("notes",), keep="start") as tenon:
            times.append(tenon.seconds_to_ready * 1000)
            tenon.rest()
            memory = tenon.memory()
            resident.append(memory["Rss"] / 1024)
            proportional.append(memory["Pss"] / 1024)
    print(f"  start {median(times):.1f} ms, resident {median(resident):.1f} MiB", flush=True)
    return [
        "### Start and memory, with the plugin notes",
        "",
        "| exec to `ready`, median (worst) | resident (RSS) | proportional (PSS) |",
        "|---|---|---|",
        f"| {median(times):.1f} ms ({max(times):.1f} ms) | {median(resident):.1f} MiB | {median(proportional):.1f} MiB |",
    ]


def writes(arguments):
    """Durable creates through HTTP at 64 clients and at one, beside plain SQLite with a transaction per write."""
    through, plain = {1: [], 64: []}, {1: [], 64: []}
    with Tenon(BUILD) as tenon:
        for _ in range(arguments.rounds):
            for clients in (1, 64):
                done = wrk(tenon.url + "/api/bench/records", clients, arguments.seconds, script="create.lua")
                if done["errors"]:
                    raise SystemExit(f"bench: {done['errors']} creates failed")
                through[clients].append((done["requests"] / done["seconds"], done["max_ms"]))
                plain[clients].append(plain_writes(BUILD, tenon.data, clients, arguments.seconds))
    lines = [
        "### Durable creates a second (WAL, `synchronous=FULL`, every answer after its fsync), same disk",
        "",
        "| clients | Tenon: POST over HTTP into a plugin, group commit | worst | plain SQLite, one transaction a write, no HTTP | worst | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for clients in (1, 64):
        ours, ours_worst = median([r for r, _ in through[clients]]), median([w for _, w in through[clients]])
        theirs, theirs_worst = median([r for r, _ in plain[clients]]), median([w for _, w in plain[clients]])
        lines.append(f"| {clients} | {ours:,.0f} | {ours_worst:,.1f} ms | {theirs:,.0f} | {theirs_worst:,.1f} ms | **{ours / theirs:.2f}** |")
        print(f"  creates, {clients} clients: {ours:,.0f}/s beside {theirs:,.0f}/s ({ours / theirs:.2f})", flush=True)
    return lines


def write_readme(sections, arguments):
    text = README.read_text(encoding="utf-8")
    begin, end = "<!-- results -->", "<!-- /results -->"
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    facts = (f"{os.cpu_count()} cores, Linux {platform.release().split('-')[0]}, {version_of('nginx', '-v')}, {version_of('wrk', '-v')}; "
             f"medians of {arguments.rounds} interleaved rounds of {arguments.seconds} s. Made by `./dev bench`.")
    body = "\n\n".join("\n".join(lines) for lines in sections)
    README.write_text(f"{head}{begin}\n{facts}\n\n{body}\n{end}{tail}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--only", default="front,start,writes")
    parser.add_argument("--dry", action="store_true")
    arguments = parser.parse_args()
    parts = {"front": front, "start": start, "writes": writes}
    chosen = arguments.only.split(",")
    for name in chosen:
        if name not in parts:
            parser.error(f"unknown part '{name}'; there are {', '.join(parts)}")
    sections = []
    for name in chosen:
        print(f"{name}:", flush=True)
        sections.append(parts[name](arguments))
    if arguments.dry or set(chosen) != set(parts):
        print("\n\n".join("\n".join(lines) for lines in sections))
    else:
        write_readme(sections, arguments)
        print(f"written to {README.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
