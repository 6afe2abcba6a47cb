import contextlib
import resource
import socket
import statistics
import time
import urllib.parse

from parts.streams import add_people, sign_in
from results import Section
from servers.tenon import Tenon

READERS = 1000
PIPELINED = 50
DOCUMENT = "/api/core/openapi.json"
PROBES = 50


def probe(address):
    """Milliseconds until /healthz responds on a new connection."""
    begin = time.monotonic()
    with socket.create_connection(address, timeout=60) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        if b" 200 " not in connection.recv(1024):
            raise SystemExit("bench: /healthz was not 200")
    return (time.monotonic() - begin) * 1000


def measure(arguments):
    """Connections that pipeline a large document and read nothing: what a probe waits, from the moment that all have asked."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (READERS + 200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    quiet, first, slowest = [], [], []
    for _ in range(arguments.rounds):
        with Tenon(arguments.build, plugins=("notes", "tasks")) as server, contextlib.ExitStack() as stack:
            server.stop()
            add_people(server)
            server.start()
            cookie = sign_in(server, "admin")
            url = urllib.parse.urlsplit(server.url)
            address = (url.hostname, url.port)
            quiet += [probe(address) for _ in range(PROBES)]
            readers = [stack.enter_context(socket.create_connection(address)) for _ in range(READERS)]
            request = f"GET {DOCUMENT} HTTP/1.1\r\nHost: a\r\nCookie: {cookie}\r\n\r\n".encode()
            for reader in readers:
                reader.sendall(request * PIPELINED)
            times = [probe(address) for _ in range(PROBES)]
            first.append(times[0])
            slowest.append(max(times))
    print(f"  quiet {statistics.median(quiet):.1f} ms, first probe {statistics.median(first):.0f} ms, slowest {statistics.median(slowest):.0f} ms", flush=True)
    return Section([
        "### Clients that do not read",
        "",
        "| | median | worst |",
        "|---|---|---|",
        f"| a probe on a quiet server | {statistics.median(quiet):.1f} ms | {max(quiet):.1f} ms |",
        f"| the first probe after {READERS:,} connections asked {PIPELINED} times for `{DOCUMENT}` | **{statistics.median(first):.0f} ms** | {max(first):.0f} ms |",
        f"| the slowest of {PROBES} | {statistics.median(slowest):.0f} ms | {max(slowest):.0f} ms |",
    ])
