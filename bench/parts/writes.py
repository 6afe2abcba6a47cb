import statistics

from load import engine_writes, plain_writes, wrk
from results import Chart, Section
from servers.tenon import Tenon


def measure(arguments):
    """Durable creates at one client and at 64: the engine alone and over HTTP, compared with plain SQLite with a transaction a write and with 64 in one."""
    sides = ("http", "engine", "plain", "batched")
    found = {(side, clients): [] for side in sides for clients in (1, 64)}
    with Tenon(arguments.build) as tenon:
        for _ in range(arguments.rounds):
            for clients in (1, 64):
                done = wrk(tenon.url + "/api/bench/records", clients, arguments.seconds, script="create.lua")
                if done["errors"]:
                    raise SystemExit(f"bench: {done['errors']} creates failed")
                found["http", clients].append((done["requests"] / done["seconds"], done["max_ms"]))
                here = (arguments.build, tenon.data)
                found["engine", clients].append(engine_writes(*here, clients, arguments.seconds))
                found["plain", clients].append(plain_writes(*here, clients, arguments.seconds))
                found["batched", clients].append(plain_writes(*here, 1, arguments.seconds, batch=clients))
    rate, worst = ({key: statistics.median(run[at] for run in runs) for key, runs in found.items()} for at in (0, 1))
    lines = [
        "### Durable creates a second (WAL, `synchronous=FULL`, every response after its fsync), same disk",
        "",
        "| clients | plain SQLite, a transaction a write | worst | plain SQLite, as many writes in one as there are clients | Tenon's engine, no HTTP | worst | "
        "of plain | of batched | Tenon, POST over HTTP into a plugin | worst | of plain |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    charts = []
    for clients in (1, 64):
        plain, batched, engine, http = (rate[side, clients] for side in ("plain", "batched", "engine", "http"))
        lines.append(f"| {clients} | {plain:,.0f} | {worst['plain', clients]:,.1f} ms | {batched:,.0f} | {engine:,.0f} | {worst['engine', clients]:,.1f} ms "
                     f"| **{engine / plain:.2f}** | **{engine / batched:.2f}** | {http:,.0f} | {worst['http', clients]:,.1f} ms | **{http / plain:.2f}** |")
        print(f"  creates, {clients} clients: plain {plain:,.0f}/s, batched {batched:,.0f}/s, engine alone {engine:,.0f}/s"
              f" ({engine / plain:.2f}, {engine / batched:.2f}), over HTTP {http:,.0f}/s ({http / plain:.2f})", flush=True)
        charts.append(Chart(f"Durable creates, {clients} client{'s' if clients > 1 else ''}", "a second",
                            [("Tenon's engine", engine), ("Tenon, over HTTP", http), ("plain SQLite", plain)]))
    return Section(lines, charts)
