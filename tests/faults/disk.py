"""A disk under the real server that records what is written and fails on demand: the control of disk.c."""

import errno
import mmap
import os
import pathlib
import struct
import tempfile

BUILD = pathlib.Path(os.environ.get("DEV_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build/dev"))
LIBRARY = BUILD / "tests/faults/disk.so"

WRITE, SYNC, TRUNCATE, CREATE, UNLINK, RENAME, SYNC_FAILED, READ, READ_ONLY = 1, 2, 4, 8, 16, 32, 64, 128, 256
CONTROL = struct.Struct("=6i104s")
HEAD = struct.Struct("=IIQqq")
ALWAYS = -1
DIE = -1  # instead of an error: the process is killed before the call


class Disk:
    """Between a server and one folder. `environment` starts the server on it."""

    def __init__(self, folder, record=None):
        self.folder = pathlib.Path(folder).resolve()
        with tempfile.NamedTemporaryFile(prefix="tenon-disk-", delete=False) as file:
            file.write(bytes(CONTROL.size))
        self.path, self.record = pathlib.Path(file.name), record
        with open(self.path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), CONTROL.size)

    @property
    def environment(self):
        assert LIBRARY.is_file(), f"{LIBRARY} is missing"
        found = {"LD_PRELOAD": str(LIBRARY), "FAULTY_DISK_FOLDER": str(self.folder), "FAULTY_DISK_CONTROL": str(self.path)}
        return {**found, **({"FAULTY_DISK_RECORD": str(self.record)} if self.record else {})}

    def fail(self, name, kinds=WRITE, error=errno.EIO, skip=0, times=1):
        """Calls of these kinds on the file of that name fail after `skip` of them, `times` times."""
        self.heal()
        self.memory[4:CONTROL.size] = CONTROL.pack(0, skip, times, error, 0, 0, name.encode())[4:]
        self.memory[0:4] = struct.pack("=i", kinds)

    def remount_read_only(self):
        """From now on nothing in the folder can be written, until it heals."""
        self.fail("", READ_ONLY, errno.EROFS, times=ALWAYS)

    def heal(self):
        """From now on it works; returns how many calls were seen, and how many failed, since fail()."""
        self.memory[0:4] = bytes(4)
        return CONTROL.unpack(self.memory[:])[4:6]

    @property
    def failed(self):
        return CONTROL.unpack(self.memory[:])[5]

    def position(self):
        """Returns the number of bytes recorded so far. All changes acknowledged by now are before this position."""
        return self.record.stat().st_size

    def close(self):
        self.memory.close()
        self.path.unlink()


def changes(record):
    """Yields the recorded changes in order: (position after it, kind, name, inode, at, data or other name)."""
    with open(record, "rb") as file:
        position = 0
        while head := file.read(HEAD.size):
            kind, name_bytes, inode, at, size = HEAD.unpack(head)
            name, data = file.read(name_bytes).decode(), file.read(size)
            position += HEAD.size + name_bytes + size
            yield position, kind, name, inode, at, data
