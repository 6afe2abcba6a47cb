"""The cost of a start, in figures that repeat: its instructions and its system calls, those of all threads, with notes, tasks and the shell.

The supervisor's part belongs to it.
"""

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
READY = re.compile(r'^\d+ +write\(\d+, "ready ')
CALL = re.compile(r"^\d+ +(\w+)\(")


class StartCost:
    def __init__(self, build, preexec):
        self.build = build
        self.preexec = preexec

    def __enter__(self):
        if not (self.build / "share" / "tenon" / "ui" / "index.html").is_file():
            raise SystemExit(f"bench: {self.build} has no UI, and a start reads it; build it with ./dev bench")
        # On existing data, closed cleanly.
        self.tenon = Tenon(self.build, plugins=PLUGINS, supervised=True).__enter__()
        self.tenon.stop()
        self.tenon.start()
        self.tenon.stop()
        return self

    def __exit__(self, *_):
        self.tenon.__exit__()

    def instructions(self):
        """Instructions from exec to the end, which is ordered at `ready`, by callgrind: how far other threads are at `ready` is chance."""
        with tempfile.TemporaryDirectory(prefix="tenon-bench-callgrind-") as folder:
            # The record of closed databases holds for the same program, and that is valgrind here.
            for _ in range(2):
                for old in pathlib.Path(folder).iterdir():
                    old.unlink()
                self._run(0, ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={folder}/%p"])
            return sum(int(re.search(r"^totals: (\d+)", dump.read_text(encoding="utf-8"), re.MULTILINE).group(1))
                       for dump in pathlib.Path(folder).iterdir())

    def system_calls(self):
        """System calls from exec to `ready`, but those whose number is chance, by strace."""
        with tempfile.NamedTemporaryFile(prefix="tenon-bench-strace-", mode="r", encoding="utf-8", errors="replace") as trace:
            # The start before may have been valgrind's; strace rewrites its file.
            for _ in range(2):
                self._run(1, ["strace", "-f", "-qq", "-s", "16", "-o", trace.name])
            calls = 0
            for line in trace:
                found = CALL.match(line)
                calls += found is not None and found.group(1) not in CHANCE
                if READY.match(line):
                    return calls
        raise SystemExit("bench: strace shows no line `ready`")

    def _run(self, depth, tool):
        """Starts and ends Tenon, which is the process of the tool, or the one below it."""
        process = subprocess.Popen([*tool, *self.tenon.command()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=self.preexec)
        line = process.stdout.readline()
        if not line.startswith("ready "):
            raise SystemExit(f"bench: tenon did not start under {tool[0]}:\n{process.communicate()[1]}")
        os.kill(tree_of(process.pid)[depth], signal.SIGTERM)
        process.communicate()
