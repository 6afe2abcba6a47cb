"""Draws the rooms of the host for docs/architecture.md, from the DEPENDS lists of CMake, and names the callers of each
room in its README.

    python3 tools/dev/rooms.py           prints the picture
    python3 tools/dev/rooms.py --write   replaces the picture in docs/architecture.md and the callers in the READMEs

An arrow that follows from other arrows is left out (transitive reduction).
"""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = "docs/architecture.md"
PICTURE = re.compile(r"```mermaid\nflowchart .*?```\n", re.S)
CALLERS = re.compile(r"\n\nUsed by (?:[^\n]+\n?)+", re.S)


def rooms(root):
    """Returns the rooms of the host, lowest first."""
    return re.search(r"set\(TENON_ROOMS\s+([^)]*)\)", (root / "host/CMakeLists.txt").read_text())[1].split()


def depends(root):
    """Returns the rooms that each room names in DEPENDS."""
    result = {}
    for room in rooms(root):
        path = root / "host" / room / "CMakeLists.txt"
        listed = re.search(r"tenon_room\([^)]*\bDEPENDS\s+([a-z_\s]+)", path.read_text()) if path.is_file() else None
        result[room] = listed[1].split() if listed else []
    return result


def picture(root):
    """Returns the picture as a Mermaid block."""
    direct = depends(root)
    reach = {}
    for room in direct:  # a room comes after all that it depends on
        reach[room] = set().union(*({below} | reach.get(below, set()) for below in direct[room]))
    lines = []
    for room, below in direct.items():
        for one in below:
            if not any(one in reach.get(other, ()) for other in below if other != one):
                lines.append(f"  {one} --> {room}\n")
    return "```mermaid\nflowchart LR\n" + "".join(lines) + "```\n"


def is_current(root):
    """Returns whether docs/architecture.md shows the picture of these rooms, and the READMEs name their callers."""
    return picture(root) in (root / PAGE).read_text() and all(page.read_text() == text for page, text in readmes(root).items())


def readmes(root):
    """Returns the README of each room that has callers, with its text as it must be: the callers follow the first paragraph."""
    direct = depends(root)
    result = {}
    for room in direct:
        page = root / "host" / room / "README.md"
        callers = [f"`{other}`" for other in direct if room in direct[other]]
        if not callers or not page.is_file():
            continue
        line = textwrap.fill(f"Used by {', '.join(callers)}.", 120)
        title, intro, *rest = (part.strip("\n") for part in CALLERS.sub("\n", page.read_text(), count=1).split("\n\n"))
        result[page] = "\n\n".join([title, intro, line, *rest]).rstrip("\n") + "\n"
    return result


def main(arguments):
    if arguments == ["--write"]:
        page = ROOT / PAGE
        page.write_text(PICTURE.sub(lambda _: picture(ROOT), page.read_text(), count=1))
        for page, text in readmes(ROOT).items():
            page.write_text(text)
    elif arguments:
        sys.exit("usage: rooms.py [--write]")
    else:
        print(picture(ROOT), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
