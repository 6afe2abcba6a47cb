import os

from parts.rates import rates, warm
from results import Chart, Section
from servers.fixed import bare_loop, host_http_server
from servers.nginx import Nginx
from servers.tenon import Tenon

CONNECTIONS = (16, 64, 256, 1024)
CHARTED = 64


def measure(arguments):
    """Requests per CPU-second of a 1 KB response: a bare epoll loop, nginx, the HTTP server alone, an inline and a worker route of a plugin."""
    lines = [
        "### HTTP server: requests per CPU-second, 1 KB response, keep-alive, one I/O thread each",
        "",
        "| connections | bare epoll loop | nginx `return 200` | Tenon, inline route of the host | of nginx | of the loop"
        " | of a plugin | of nginx | of the loop | Tenon, worker route of a plugin | of nginx |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    charts = []
    # One thread each: more of them than the load can fill would each find less to do a wake-up.
    with Tenon(arguments.build, options=("--threads-io", "1")) as tenon, Nginx() as nginx, \
            bare_loop(arguments.build) as bare, host_http_server(arguments.build) as server:
        sides = (
            ("bare", bare, bare.url),
            ("nginx", nginx, nginx.url + "/"),
            ("host", server, server.url),
            ("inline", tenon, tenon.url + "/api/bench/inline"),
            ("worker", tenon, tenon.url + "/api/bench/worker"),
        )
        warm(sides)
        for connections in CONNECTIONS:
            found = rates(sides, connections, arguments)
            bare_rate, base, host, inline, worker = (found[name] for name in ("bare", "nginx", "host", "inline", "worker"))
            cells = [f"{bare_rate:,.0f}", f"{base:,.0f}"]
            for rate in (host, inline):
                cells += [f"{rate:,.0f}", f"**{rate / base:.2f}**", f"**{rate / bare_rate:.2f}**"]
            cells += [f"{worker:,.0f}", f"**{worker / base:.2f}**"]
            lines.append(f"| {connections:,} | {' | '.join(cells)} |")
            print(f"  {connections:5} connections: loop {bare_rate:9,.0f}  nginx {base:9,.0f}"
                  f"  host {host:9,.0f} ({host / base:.2f}, {host / bare_rate:.2f})  inline {inline:9,.0f} ({inline / base:.2f}, {inline / bare_rate:.2f})"
                  f"  worker {worker:9,.0f} ({worker / base:.2f})", flush=True)
            if connections == CHARTED:
                charts.append(Chart(f"1 KB response, {connections} connections", "requests per CPU-second", [
                    ("Tenon, inline", inline), ("Tenon, worker", worker), ("nginx return 200", base), ("bare epoll loop", bare_rate)]))
    lines += ["", *every_core(arguments)]
    return Section(lines, charts)


def every_core(arguments):
    """The same with as many threads as cores on both sides, which share them with the load."""
    cores = os.cpu_count()
    lines = [
        f"With {cores} I/O threads each:",
        "",
        "| connections | nginx `return 200` | Tenon, inline route of a plugin | ratio | Tenon, worker route of a plugin | ratio |",
        "|---|---|---|---|---|---|",
    ]
    with Tenon(arguments.build, options=("--threads-io", str(cores))) as tenon, Nginx(workers=cores) as nginx:
        sides = (
            ("nginx", nginx, nginx.url + "/"),
            ("inline", tenon, tenon.url + "/api/bench/inline"),
            ("worker", tenon, tenon.url + "/api/bench/worker"),
        )
        warm(sides)
        for connections in (64, 1024):
            found = rates(sides, connections, arguments)
            base, inline, worker = (found[name] for name in ("nginx", "inline", "worker"))
            lines.append(f"| {connections:,} | {base:,.0f} | {inline:,.0f} | **{inline / base:.2f}** | {worker:,.0f} | **{worker / base:.2f}** |")
            print(f"  {connections:5} connections, {cores} threads: nginx {base:9,.0f}  inline {inline:9,.0f} ({inline / base:.2f})"
                  f"  worker {worker:9,.0f} ({worker / base:.2f})", flush=True)
    return lines
