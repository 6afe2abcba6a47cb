"""The table of faults in README.md, made from the tests: python3 tests/faults/table.py [--write]

A test says what it is about in a docstring (Python) or in the comment above it (C++), over as many lines as it takes:

    fault: what goes wrong | what happens | what the admin sees
"""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("tests", "host")
README = "tests/faults/README.md"
BEGIN = "<!-- made from the tests by tests/faults/table.py -->\n"
END = "<!-- made until here -->\n"
CXX_TEST = re.compile(r"((?:^//.*\n)+)TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.M)


def parse(text, name):
    """Returns [fault, what happens, what the admin sees] of a docstring or comment, or None if it has none."""
    text = " ".join((text or "").split())
    if not text.startswith("fault:"):
        return None
    parts = [part.strip() for part in text.removeprefix("fault:").split(" | ")]
    if len(parts) != 3 or not all(parts):
        raise SystemExit(f"{name}: a fault is written as \"fault: what goes wrong | what happens | what the admin sees\"")
    return parts


def of_python(path, text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and (parts := parse(ast.get_docstring(node), f"{path}: {node.name}")):
            yield node.lineno, parts


def of_cxx(path, text):
    for match in CXX_TEST.finditer(text):
        comment = re.sub(r"^// ?", "", match[1], flags=re.M)
        if parts := parse(comment, f"{path}: {match[2]}.{match[3]}"):
            yield text.count("\n", 0, match.start(2)) + 1, parts


def rows(root=ROOT):
    """[fault, what happens, what the admin sees, path of the test], in the order of the files."""
    found = []
    paths = [path for folder in FOLDERS for pattern in ("*_test.py", "*_test.cpp") for path in (root / folder).rglob(pattern)]
    for path in sorted(paths):
        inner = path.relative_to(root).as_posix()
        if "node_modules" in inner:
            continue
        parsed = (of_python if path.suffix == ".py" else of_cxx)(inner, path.read_text())
        found += [[*parts, inner] for _, parts in sorted(parsed)]
    return found


def table(root=ROOT):
    lines = ["| fault | what happens | what the admin sees | test |", "|---|---|---|---|"]
    for fault, happens, seen, path in rows(root):
        name = pathlib.PurePosixPath(path)
        there = name.name if path.startswith("tests/faults/") else f"../../{path}"
        lines.append(f"| {fault} | {happens} | {seen} | [{name.stem}]({there}) |")
    return "\n".join(lines) + "\n"


def renewed(root=ROOT):
    """The text of README.md with the table of today."""
    text = (root / README).read_text()
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{README} does not say where the table begins and ends: {BEGIN.strip()} {END.strip()}")
    return before + BEGIN + "\n" + table(root) + "\n" + END + after


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        (ROOT / README).write_text(renewed())
    else:
        print(table(), end="")
