"""What every server under measurement has: a port, processor time, a version."""

import os
import pathlib
import re
import socket
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def version_of(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except FileNotFoundError:
        raise SystemExit(f"bench: {command[0]} is missing; ./dev bench installs it") from None
    line = done.stdout.strip().splitlines()[0]
    found = re.search(r"[\d.]+\d", line)
    return f"{command[0]} {found.group(0) if found else line}"


def cpu_seconds_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def wait_for(port):
    for _ in range(500):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.01)
    raise SystemExit(f"bench: nothing listens on port {port}")
