"""A packer that looks at nothing: what `tenon plugin pack` refuses to make, in the form of docs/packages.md, unsigned."""

import hashlib
import pathlib
import struct
import zlib

LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4s6H3I5H2I")
END = struct.Struct("<4s4H2IH")
MADE_BY, NEEDED, DATE, PLAIN_FILE = 0x0314, 20, 33, 0o100644 << 16


def smaller(content):
    """Method, and the bytes that are stored."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(content) + deflate.flush()
    return (8, packed) if len(packed) < len(content) else (0, content)


def pack(folder):
    """The bytes of a package with all files of the folder."""
    folder = pathlib.Path(folder)
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    lines = [f"{len(content)} {hashlib.blake2b(content).hexdigest()} {name}" for name, content in sorted(files.items())]
    listed = "".join(line + "\n" for line in ("tenon-package 1", *lines)).encode()
    entries, directory = b"", b""
    for name, content in (("FILES", listed), *sorted(files.items())):
        method, packed = (0, content) if name == "FILES" else smaller(content)
        facts = (NEEDED, 0, method, 0, DATE, zlib.crc32(content), len(packed), len(content), len(name), 0)
        directory += CENTRAL.pack(b"PK\x01\x02", MADE_BY, *facts, 0, 0, 0, PLAIN_FILE, len(entries)) + name.encode()
        entries += LOCAL.pack(b"PK\x03\x04", *facts) + name.encode() + packed
    count = len(files) + 1
    return entries + directory + END.pack(b"PK\x05\x06", 0, 0, count, count, len(directory), len(entries), 0)
