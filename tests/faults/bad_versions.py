"""Packages of the zoo's faulty_versions in any version, good and bad, and hostile archives."""

import json
import pathlib
import shutil
import stat
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))

import tenon  # noqa: E402

ID = "faulty-versions"
SOURCE = tenon.BUILD / "tests/plugins/zoo/faulty_versions" / ID
TABLES = {"tables": [{"name": "kept", "publish": True, "rules": {"read": "true"}, "fields": [
    {"name": "version", "type": "text"}, {"name": "migrations", "type": "integer", "required": True, "default": 0}]}]}
# Tables of earlier versions.
FORMER_TABLES = {"tables": [{**TABLES["tables"][0], "fields": TABLES["tables"][0]["fields"][1:]}]}
# The last digit of a version, by what is wrong with it; see faulty_versions.cpp.
GOOD = 0
ABORTS_IN_LIBRARY, ABORTS_IN_CREATE, MIGRATES_SLOWLY, ABORTS_IN_MIGRATION = 1, 2, 4, 5
EXITS_IN_START, THROWS_IN_STOP, FAILS_IN_CREATE, FAILS_IN_START = 6, 7, 8, 9


class Versions:
    """Makes packages below `root` on demand, signed by the key `ada` or the named one. A key of None leaves the package unsigned."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.key("ada")

    @staticmethod
    def run(*arguments):
        done = tenon.tenon("plugin", *arguments)
        assert done.returncode == 0, done

    def key(self, name):
        """Makes a key. Returns its public half, as text."""
        self.run("keygen", self.root / name, "--no-password")
        return (self.root / f"{name}.pub").read_text()

    def package(self, version, key="ada", tables=TABLES, **manifest):
        file = self.root / f"{ID}-{version}-{key}-{len(manifest)}-{len(json.dumps(tables))}.tenon"
        if not file.exists():
            folder = self.root / "build" / file.stem / ID
            shutil.copytree(SOURCE, folder)
            [library] = folder.rglob(f"{ID}.so")
            library.write_bytes(library.read_bytes().replace(b"1.0.0", version.encode()))
            own = json.loads((folder / "plugin.json").read_text())
            (folder / "plugin.json").write_text(json.dumps({**own, "version": version, **manifest}))
            (folder / "tables.json").write_text(json.dumps(tables))
            self.run("pack", folder, "--output", file)
            if key:
                self.run("sign", file, "--key", self.root / f"{key}.key")
        return file.read_bytes()


def tampered(package, chance):
    """Returns the package with one bit flipped."""
    at = chance.randrange(len(package) // 4, len(package) // 2)
    return package[:at] + bytes([package[at] ^ 1 << chance.randrange(8)]) + package[at + 1:]


def renamed(package, name, other):
    """Renames an entry in both headers of the zip, to a name of the same length. The list of files keeps the old name."""
    assert len(name) == len(other) and package.count(name) >= 3
    first = package.index(name, package.index(b"PK\x03\x04", 4))  # FILES is the first entry, and names all
    last = package.rindex(name)
    changed = bytearray(package)
    for at in (first, last):
        changed[at:at + len(other)] = other
    return bytes(changed)


def directory_entry(package, name):
    """Returns the position of the entry in the directory at the end."""
    at = package.rindex(name) - 46
    assert package[at:at + 4] == b"PK\x01\x02"
    return at


def hostile(package):
    """Returns forms of the package that would do harm if they were unpacked without checks, by fault."""
    entry = directory_entry(package, b"tables.json")
    local = struct.unpack_from("<I", package, entry + 42)[0]

    def patched(*changes):
        changed = bytearray(package)
        for at, form, value in changes:
            struct.pack_into(form, changed, at, value)
        return bytes(changed)

    return {
        "a name that leads out": renamed(package, b"tables.json", b"../evil.txt"),
        "an absolute name": renamed(package, b"tables.json", b"/tmp/ev.txt"),
        "a name twice": renamed(package, b"tables.json", b"plugin.json"),
        "names that differ by case": renamed(package, b"tables.json", b"PLUGIN.json"),
        "a link": patched((entry + 38, "<I", (stat.S_IFLNK | 0o777) << 16)),
        "a device": patched((entry + 38, "<I", (stat.S_IFBLK | 0o666) << 16)),
        "a gigabyte of zeros": patched((entry + 24, "<I", 1 << 30), (local + 22, "<I", 1 << 30)),
        "an encrypted entry": patched((entry + 8, "<H", 1), (local + 6, "<H", 1)),
        "entries over each other": patched((entry + 42, "<I", 0)),
        "cut off": package[:len(package) // 2],
        "no zip": b"#!/bin/sh\nexit 1\n",
        "nothing": b"",
    }
