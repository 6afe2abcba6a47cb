"""Cuts a source file into spans of one context each: name, comment, docs, message or title. A lexer of a few patterns, not a parser."""

import pathlib
import re

NAMES = ("name", "comment", "docs", "message", "title")
DOUBLE = r'"(?:[^"\\\n]|\\.)*"'
SINGLE = r"'(?:[^'\\\n]|\\.)*'"
BLOCK = r"/\*.*?\*/"

CXX = re.compile(
    rf"(?P<comment>//[^\n]*|{BLOCK})"
    r'|(?P<message>R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"|' + DOUBLE + r")|'(?:\\.[^'\n]*|[^'\\\n])'"
    r"|\b(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((?P<title>\s*\w+,\s*\w+)\s*\)", re.S)
WEB = re.compile(
    rf"(?P<comment>(?<!:)//[^\n]*|{BLOCK})"
    rf"|\b(?:describe|it|test|suite)(?:\.\w+)*\(\s*(?P<title>{DOUBLE}|{SINGLE}|`[^`]*`)"
    rf"|(?P<message>{DOUBLE}|{SINGLE}|`(?:[^`\\]|\\.)*`)"
    r"|(?<=[>}])(?P<text>[^<>{}=;&|]*[A-Za-z][^<>{}=;|]*)(?=[<{])", re.S)
PYTHON = re.compile(
    r'(?P<comment>\#[^\n]*|(?:(?<=\n)|^)[ \t]*"""(?:[^\\]|\\.)*?""")'
    r"|\bdef (?P<title>test_\w+)"
    rf'|(?P<message>"""(?:[^\\]|\\.)*?"""|{DOUBLE}|{SINGLE})', re.S)
SHELL = re.compile(rf"(?P<comment>(?:(?<=\s)|^)\#[^\n]*)|(?P<message>{DOUBLE}|'[^']*')", re.S)
CMAKE = re.compile(rf"(?P<comment>\#[^\n]*)|(?P<message>{DOUBLE})")
SQL = re.compile(rf"(?P<comment>--[^\n]*|{BLOCK})|(?P<message>'[^'\n]*')", re.S)
CSS = re.compile(rf"(?P<comment>{BLOCK})|(?P<message>{DOUBLE}|{SINGLE})", re.S)
JSON = re.compile(rf"(?P<message>{DOUBLE})")
# A fence is an example and holds all contexts; code between backticks is names.
MARKDOWN = re.compile(r"(?P<message>^[ \t]*```.*?^[ \t]*```)|(?P<name>`[^`\n]+`|\]\([^)\s]*\))", re.S | re.M)
PLAIN = re.compile(r"(?!)")

LEXERS = {
    **dict.fromkeys((".cpp", ".hpp", ".h", ".c", ".cc"), CXX),
    **dict.fromkeys((".ts", ".tsx", ".js", ".mjs"), WEB),
    **dict.fromkeys((".cmake", ".yaml", ".toml"), CMAKE),
    ".py": PYTHON, ".sh": SHELL, ".sql": SQL, ".css": CSS, ".json": JSON, ".md": MARKDOWN, ".txt": PLAIN,
}
SCRIPTS = {"dev": SHELL, "tools/demo/load": PYTHON, ".ci/run": SHELL}


def lexer(path):
    """The pattern for a file, None for a file that is not looked at."""
    if path.endswith("CMakeLists.txt"):
        return CMAKE
    if path.endswith(".in"):
        path = path[:-len(".in")]
    return SCRIPTS.get(path) or LEXERS.get(pathlib.PurePosixPath(path).suffix)


def spans(path, text):
    """Yields (start, end, context) over the whole text, in order and without gaps."""
    pattern = lexer(path)
    between = "docs" if pattern in (MARKDOWN, PLAIN) else "name"
    last = 0
    for match in pattern.finditer(text):
        group = next((name for name in ("comment", "message", "title", "text", "name") if match.groupdict().get(name) is not None), None)
        if group is None:
            continue
        start, end = match.span(group)
        if start > last:
            yield last, start, between
        yield start, end, "message" if group == "text" else group
        last = end
    if last < len(text):
        yield last, len(text), between
