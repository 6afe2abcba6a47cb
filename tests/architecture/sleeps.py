"""Sleeps of more than 50 ms in tests, counted by file; a number that is no literal counts as more.

A test waits for a state, not for a time. sleeps.txt lists the exceptions and may only shrink:
python3 tests/architecture/sleeps.py --update lowers its numbers and refuses to raise one.
"""

import argparse
import ast
import pathlib
import re
import sys

from rules import CXX, OWN_FOLDERS, read, sources

LIST = "tests/architecture/sleeps.txt"
MAX_SLEEP = 0.05  # seconds
UNITS = {"ns": 1e-9, "nanoseconds": 1e-9, "us": 1e-6, "microseconds": 1e-6, "ms": 1e-3, "milliseconds": 1e-3, "s": 1, "seconds": 1}
# sleep_for(20ms), sleep_for(std::chrono::milliseconds(20)), and what is neither.
CXX_SLEEP = re.compile(r"\bsleep_(?:for|until)\(\s*(?:(?:std::)?(?:chrono::)?(?P<name>\w+)\((?P<count>[\d']+)\)|(?P<literal>[\d']+)(?P<unit>[a-z]+))?")
C_SLEEP = re.compile(r"(?<![\w:.>])(?P<call>::sleep|::usleep|sleep|usleep|nanosleep)\(\s*(?:(?P<count>[\d']+)\s*\)|[^\s)])")
WEB_SLEEP = re.compile(
    r"waitForTimeout\(\s*(?P<page>[\w.]+)"
    r"|new Promise(?:<\w+>)?\(\s*\(?(?P<done>\w+)\)?\s*=>\s*\{?\s*(?:window\.)?setTimeout\(\s*(?P=done)\s*(?:,\s*(?P<promise>[\w.]+))?"
    r"|await (?:\w+\.)?(?:setTimeout|sleep|delay)\(\s*(?P<timer>[\w.]+)")


def seconds(digits, unit):
    """Seconds of a literal with digit separators; None for anything else."""
    digits = (digits or "").replace("'", "").replace("_", "")
    return float(digits) * UNITS[unit] if re.fullmatch(r"\d+(\.\d+)?", digits) and unit in UNITS else None


def python_sleeps(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and node.args and "sleep" in (getattr(node.func, "attr", ""), getattr(node.func, "id", "")):
            value = node.args[0]
            if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "min":
                value = next((bound for bound in value.args if isinstance(bound, ast.Constant)), value)
            yield value.value if isinstance(value, ast.Constant) else None


def cxx_sleeps(text):
    text = re.sub(r"//.*", "", text)
    for found in CXX_SLEEP.finditer(text):
        yield seconds(found["count"] or found["literal"], found["name"] or found["unit"])
    for found in C_SLEEP.finditer(text):
        yield seconds(found["count"], "us" if "usleep" in found["call"] else "s")


def web_sleeps(text):
    for found in WEB_SLEEP.finditer(re.sub(r"^\s*//.*", "", text, flags=re.M)):
        yield seconds(found["page"] or found["promise"] or found["timer"] or "0", "ms")


READERS = {".py": python_sleeps, **dict.fromkeys(CXX, cxx_sleeps), **dict.fromkeys((".ts", ".tsx", ".js", ".mjs"), web_sleeps)}


def counted(root):
    """Path of each test source with long sleeps → how many."""
    counts = {}
    for path in sorted(path for folder in OWN_FOLDERS for path in sources(root, folder, tuple(READERS))):
        if "tests" in path.split("/"):
            times = READERS[pathlib.Path(path).suffix](read(root, path))
            number = sum(1 for time in times if time is None or time > MAX_SLEEP)
            if number:
                counts[path] = number
    return counts


def listed(root):
    lines = pathlib.Path(root, LIST).read_text().splitlines() if pathlib.Path(root, LIST).exists() else []
    return {line.split()[1]: int(line.split()[0]) for line in lines if line and not line.startswith("#")}


def long_sleeps(root):
    """A test waits for a state: sleeps of more than 50 ms are those that sleeps.txt lists, and only become fewer."""
    found, allowed = counted(root), listed(root)
    for path in sorted({*found, *allowed}):
        has, may = found.get(path, 0), allowed.get(path, 0)
        if has > may:
            yield f"{path}: {has} sleeps of more than 50 ms, {LIST} allows {may}: wait for the state instead"
        elif has < may:
            yield f"{path}: lower the number in {LIST} to {has}: python3 tests/architecture/sleeps.py --update"


def update(root):
    """Lowers the numbers of the list; returns complaints, and then changes nothing, where one would rise."""
    found, allowed = counted(root), listed(root)
    is_new = not pathlib.Path(root, LIST).exists()
    risen = [] if is_new else [f"{path}: {number} sleeps, listed are {allowed.get(path, 0)}"
                               for path, number in found.items() if number > allowed.get(path, 0)]
    if not risen:
        text = "# Sleeps of more than 50 ms in tests, by file. Only becomes shorter: python3 tests/architecture/sleeps.py --update\n"
        pathlib.Path(root, LIST).write_text(text + "".join(f"{number} {path}\n" for path, number in found.items()))
    return risen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="lower the numbers of the list")
    root = pathlib.Path(__file__).resolve().parents[2]
    complaints = update(root) if parser.parse_args().update else list(long_sleeps(root))
    print("\n".join(complaints) or "sleeps.txt is as the tests are")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
