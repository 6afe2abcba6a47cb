"""Interleaved rounds of load on several servers, for parts that compare requests per CPU-second."""

import statistics

from load import wrk


def rates(sides, connections, arguments):
    """Requests per CPU-second by side, the medians of interleaved rounds; `sides` are triples of a name, a server and a URL."""
    found = {name: [] for name, _, _ in sides}
    for _ in range(arguments.rounds):
        for name, server, url in sides:
            before = server.cpu_seconds()
            done = wrk(url, connections, arguments.seconds)
            if done["errors"]:
                raise SystemExit(f"bench: {done['errors']} failed requests at {url}")
            found[name].append(done["requests"] / max(server.cpu_seconds() - before, 1e-3))
    return {name: statistics.median(figures) for name, figures in found.items()}


def warm(sides):
    for _, _, url in sides:
        wrk(url, 16, 1)
