import statistics

from load import wrk
from servers.nginx import Nginx
from servers.tenon import Tenon


CONNECTIONS = (16, 64, 256, 1024)


def measure(arguments):
    """Requests per CPU-second of a 1 KB answer: nginx `return 200`, an inline route, a worker route into the plugin."""
    rows = []
    # One thread each: more of them than the load can fill would each find less to do a wake-up.
    with Tenon(arguments.build, options=("--threads-io", "1")) as tenon, Nginx() as nginx:
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
            base = statistics.median(figures["nginx"])
            rows.append((connections, base, statistics.median(figures["inline"]), statistics.median(figures["worker"])))
            print(f"  {connections:5} connections: nginx {base:9,.0f}  inline {rows[-1][2]:9,.0f} ({rows[-1][2] / base:.2f})"
                  f"  worker {rows[-1][3]:9,.0f} ({rows[-1][3] / base:.2f})", flush=True)
    lines = [
        "### Front: requests per CPU-second, 1 KB answer, keep-alive, one I/O thread each",
        "",
        "| connections | nginx `return 200` | Tenon, inline route of a plugin | ratio | Tenon, worker route of a plugin | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for connections, base, inline, worker in rows:
        lines.append(f"| {connections:,} | {base:,.0f} | {inline:,.0f} | **{inline / base:.2f}** | {worker:,.0f} | **{worker / base:.2f}** |")
    return lines
