"""The wall clock of a server, which a test sets: the control of clock.c."""

import mmap
import os
import pathlib
import struct
import tempfile
import time

BUILD = pathlib.Path(os.environ.get("DEV_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build/dev"))
LIBRARY = BUILD / "tests/faults/clock.so"
SHIFT = struct.Struct("=q")
DAY = 24 * 3600


class Clock:
    """`environment` starts a server, or a command, by it."""

    def __init__(self):
        with tempfile.NamedTemporaryFile(prefix="tenon-clock-", delete=False) as file:
            file.write(bytes(SHIFT.size))
        self.path = pathlib.Path(file.name)
        with open(self.path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), SHIFT.size)

    @property
    def environment(self):
        assert LIBRARY.is_file(), f"{LIBRARY} is missing"
        return {"LD_PRELOAD": str(LIBRARY), "SHIFTED_CLOCK_CONTROL": str(self.path)}

    def set(self, seconds):
        """Sets the clock ahead by `seconds`; a negative number sets it back."""
        self.memory[:] = SHIFT.pack(round(seconds * 1000))

    def now(self):
        """Returns the time that the clock shows, in seconds since 1970."""
        return time.time() + SHIFT.unpack(self.memory[:])[0] / 1000

    def close(self):
        self.memory.close()
        self.path.unlink()
