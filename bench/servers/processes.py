"""Facts about every measured server: a port, processor time, memory, a version."""

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


def tree_of(pid):
    """A process and all its descendants."""
    found = [pid]
    for process in found:
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text(encoding="ascii").split()]
    return found


def cpu_seconds_of_tree(pid):
    return sum(map(cpu_seconds_of, tree_of(pid)))


def memory_of_tree(pid):
    """KiB by the names of /proc/<pid>/smaps_rollup, summed: Rss counts a shared page for each process, Pss once."""
    sums = {}
    for process in tree_of(pid):
        text = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
        for name, value in re.findall(r"^(\w+):\s+(\d+) kB", text, re.MULTILINE):
            sums[name] = sums.get(name, 0) + int(value)
    return sums
