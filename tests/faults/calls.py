"""Kills a process at its n-th call that changes files of a folder, or lets that call fail: the control of calls.c."""

import mmap
import os
import pathlib
import struct
import subprocess
import tempfile

BUILD = pathlib.Path(os.environ.get("DEV_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build/dev"))
PROGRAM = BUILD / "tests/faults/calls"
CONTROL = struct.Struct("=6i")
KILLED, CANNOT = 137, 3


class Calls:
    """Between a command and one folder: `prefix` goes before the command. Nothing is counted before arm()."""

    def __init__(self, folder):
        with tempfile.NamedTemporaryFile(prefix="tenon-calls-", delete=False) as file:
            file.write(bytes(CONTROL.size))
        self.path = pathlib.Path(file.name)
        self.log = self.path.with_name(self.path.name + ".log")
        self.prefix = [str(PROGRAM), str(self.path), str(pathlib.Path(folder).resolve())]
        with open(self.path, "r+b") as control:
            self.memory = mmap.mmap(control.fileno(), CONTROL.size)

    def arm(self, at=0, error=0, stays=False):
        """From now on calls are counted; the process is killed before the one of that number, or that one fails with `error`, and
        if it `stays`, every later one until disarm()."""
        self.memory[:] = CONTROL.pack(1, at, error, stays, 0, 0)

    def disarm(self):
        """(calls counted since arm(), whether it came to that one)."""
        self.memory[0:4] = bytes(4)
        return CONTROL.unpack(self.memory[:])[4], self.was_hit()

    def was_hit(self):
        return bool(CONTROL.unpack(self.memory[:])[5])

    def seen(self):
        """The calls since the command began to be counted: (what, file), in order."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [tuple(line.split(" ", 1)) for line in lines]

    def close(self):
        self.memory.close()
        self.path.unlink()
        self.log.unlink(missing_ok=True)


def may_trace():
    """Why it may not, or nothing."""
    calls = Calls(tempfile.gettempdir())
    try:
        code = subprocess.run([*calls.prefix, "true"], capture_output=True, check=False).returncode
        return "" if code == 0 else "this process may not trace another one"
    finally:
        calls.close()
