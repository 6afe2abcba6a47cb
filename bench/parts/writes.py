import statistics

from load import engine_writes, plain_writes, wrk
from results import Chart, Section
from servers.tenon import Tenon


def measure(arguments):
    """Durable creates through HTTP at 64 clients and at one, beside the engine alone and plain SQLite with a transaction per write."""
    through, engine, plain = {1: [], 64: []}, {1: [], 64: []}, {1: [], 64: []}
    with Tenon(arguments.build) as tenon:
        for _ in range(arguments.rounds):
            for clients in (1, 64):
                done = wrk(tenon.url + "/api/bench/records", clients, arguments.seconds, script="create.lua")
                if done["errors"]:
                    raise SystemExit(f"bench: {done['errors']} creates failed")
                through[clients].append((done["requests"] / done["seconds"], done["max_ms"]))
                engine[clients].append(engine_writes(arguments.build, tenon.data, clients, arguments.seconds))
                plain[clients].append(plain_writes(arguments.build, tenon.data, clients, arguments.seconds))
    lines = [
        "### Durable creates a second (WAL, `synchronous=FULL`, every answer after its fsync), same disk",
        "",
        "| clients | Tenon: POST over HTTP into a plugin, group commit | worst | the same writes queued into the engine, no HTTP | worst | of it "
        "| plain SQLite, one transaction a write, no HTTP | worst | ratio |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    charts = []
    for clients in (1, 64):
        (ours, ours_worst), (limit, limit_worst), (theirs, theirs_worst) = (
            [statistics.median(column) for column in zip(*side[clients])] for side in (through, engine, plain))
        lines.append(f"| {clients} | {ours:,.0f} | {ours_worst:,.1f} ms | {limit:,.0f} | {limit_worst:,.1f} ms | **{ours / limit:.2f}** "
                     f"| {theirs:,.0f} | {theirs_worst:,.1f} ms | **{ours / theirs:.2f}** |")
        print(f"  creates, {clients} clients: {ours:,.0f}/s, engine alone {limit:,.0f}/s, plain {theirs:,.0f}/s ({ours / theirs:.2f})", flush=True)
        charts.append(Chart(f"Durable creates, {clients} client{'s' if clients > 1 else ''}", "a second", [("Tenon, over HTTP", ours), ("plain SQLite", theirs)]))
    return Section(lines, charts)
