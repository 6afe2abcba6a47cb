"""What a start costs, in figures that repeat: instructions and system calls from exec to the line `ready`, with notes and tasks.

The supervisor's part up to its fork belongs to it. What happens behind `ready` does not.
"""

import collections
import os
import pathlib
import re
import signal
import subprocess
import tempfile

from servers.processes import tree_of
from servers.tenon import Tenon

PLUGINS = ("notes", "tasks")
# Which thread sleeps at a lock, and how often, is chance. So is fcntl: SQLite asks the kernel for a lock only if no
# other connection of the process has it at that moment.
CHANCE = {"futex", "sched_yield", "restart_syscall", "fcntl"}
READY = re.compile(r'^(\d+) +write\(\d+, "ready ')
CALL = re.compile(r"^(\d+) +(\w+)\(")
# Called by the host behind `ready`, and never inlined: it is in a file of its own.
AT_READY = "tenon::app::Handover::tell(char) const"


class StartCost:
    def __init__(self, build, preexec):
        self.build = build
        self.preexec = preexec

    def __enter__(self):
        # On data that is there, closed in order.
        self.tenon = Tenon(self.build, plugins=PLUGINS, supervised=True).__enter__()
        self.tenon.stop()
        self.tenon.start()
        self.tenon.stop()
        return self

    def __exit__(self, *_):
        self.tenon.__exit__()

    def instructions(self):
        """Instructions of the first thread, by callgrind: what others do meanwhile, and how far they are at `ready`, is chance."""
        with tempfile.TemporaryDirectory(prefix="tenon-bench-callgrind-") as folder:
            tool = ["valgrind", "--quiet", "--tool=callgrind", "--separate-threads=yes", f"--dump-before={AT_READY}", f"--callgrind-out-file={folder}/%p"]
            # The record of closed databases holds for the same program, and that is valgrind here.
            for _ in range(2):
                for old in pathlib.Path(folder).iterdir():
                    old.unlink()
                self._run(0, tool)
            # The first dump of a process; the host tells once more when it ends.
            totals = [int(re.search(r"^totals: (\d+)", dump.read_text(encoding="utf-8"), re.MULTILINE).group(1))
                      for dump in pathlib.Path(folder).glob("*.1-01")]
        if not totals:
            raise SystemExit(f"bench: a start cannot be counted: does the host still call {AT_READY}?")
        return max(totals)

    def system_calls(self):
        """System calls of the first thread, the supervisor's up to its fork included, but those whose number is chance; by strace."""
        with tempfile.NamedTemporaryFile(prefix="tenon-bench-strace-", mode="r", encoding="utf-8", errors="replace") as trace:
            # The start before may have been valgrind's; strace writes its file anew.
            for _ in range(2):
                self._run(1, ["strace", "-f", "-qq", "-s", "16", "-o", trace.name])
            counts = collections.Counter()  # by thread, in the order of their first calls
            for line in trace:
                found = CALL.match(line)
                if found and found.group(2) not in CHANCE:
                    counts[found.group(1)] += 1
                if ready := READY.match(line):
                    return counts[next(iter(counts))] + counts[ready.group(1)]
        raise SystemExit("bench: strace shows no line `ready`")

    def _run(self, depth, tool):
        """Starts and ends Tenon, which is the process of the tool, or the one below it."""
        process = subprocess.Popen([*tool, *self.tenon.command()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=self.preexec)
        line = process.stdout.readline()
        if not line.startswith("ready "):
            raise SystemExit(f"bench: tenon did not start under {tool[0]}:\n{process.communicate()[1]}")
        os.kill(tree_of(process.pid)[depth], signal.SIGTERM)
        process.communicate()
