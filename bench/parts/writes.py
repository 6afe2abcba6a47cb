import statistics

from load import plain_writes, wrk
from results import Chart, Section
from servers.tenon import Tenon


def measure(arguments):
    """Durable creates through HTTP at 64 clients and at one, beside plain SQLite with a transaction per write."""
    through, plain = {1: [], 64: []}, {1: [], 64: []}
    with Tenon(arguments.build) as tenon:
        for _ in range(arguments.rounds):
            for clients in (1, 64):
                done = wrk(tenon.url + "/api/bench/records", clients, arguments.seconds, script="create.lua")
                if done["errors"]:
                    raise SystemExit(f"bench: {done['errors']} creates failed")
                through[clients].append((done["requests"] / done["seconds"], done["max_ms"]))
                plain[clients].append(plain_writes(arguments.build, tenon.data, clients, arguments.seconds))
    lines = [
        "### Durable creates a second (WAL, `synchronous=FULL`, every answer after its fsync), same disk",
        "",
        "| clients | Tenon: POST over HTTP into a plugin, group commit | worst | plain SQLite, one transaction a write, no HTTP | worst | ratio |",
        "|---|---|---|---|---|---|",
    ]
    charts = []
    for clients in (1, 64):
        ours, ours_worst = statistics.median([r for r, _ in through[clients]]), statistics.median([w for _, w in through[clients]])
        theirs, theirs_worst = statistics.median([r for r, _ in plain[clients]]), statistics.median([w for _, w in plain[clients]])
        lines.append(f"| {clients} | {ours:,.0f} | {ours_worst:,.1f} ms | {theirs:,.0f} | {theirs_worst:,.1f} ms | **{ours / theirs:.2f}** |")
        print(f"  creates, {clients} clients: {ours:,.0f}/s beside {theirs:,.0f}/s ({ours / theirs:.2f})", flush=True)
        charts.append(Chart(f"Durable creates, {clients} client{'s' if clients > 1 else ''}", "a second", [("Tenon, over HTTP", ours), ("plain SQLite", theirs)]))
    return Section(lines, charts)
