"""Processor time and memory of a server with its children."""

import pathlib
import re

from .common import cpu_seconds_of


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
