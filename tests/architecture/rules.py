"""The rules of docs/architecture.md that a program can check. Each function takes the top of a tree and yields complaints."""

import os
import re

CXX = (".cpp", ".hpp", ".h", ".c", ".cc")
WEB = (".ts", ".tsx", ".js", ".mjs", ".css")
SOURCE = CXX + WEB + (".py", ".sh", ".cmake", ".sql")
OWN_FOLDERS = ("host", "sdk", "plugins", "shell-ui", "plugin-ui", "tests", "bench", "tools")
GENERATED = {"node_modules", "dist", "build", "__pycache__", "fixtures", "golden"}
CATCH_ALL = {"util", "utils", "common", "misc", "helper", "helpers", "core"}
MAX_LINES = 600
MAX_TEST_LINES = 600
MAX_FILES_IN_FOLDER = 40
MAX_ROOM_SHARE = 0.10  # of the lines of the host without tests
MAX_README_LINES = 60
MAX_TITLE_WORDS = 8

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
C_STANDARD = {
    "assert.h", "ctype.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "setjmp.h", "signal.h", "stdalign.h",
    "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "stdnoreturn.h", "string.h",
    "threads.h", "time.h", "wchar.h",
}


def sources(root, folder, suffixes):
    """Paths below a folder, relative to the top, without generated ones."""
    for path, folders, names in os.walk(os.path.join(root, folder)):
        folders[:] = sorted(set(folders) - GENERATED)
        for name in sorted(names):
            if name.endswith(suffixes):
                yield os.path.relpath(os.path.join(path, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def includes(root, path):
    """(line, is quoted, target) of every include."""
    text = read(root, path)
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1] == '"', match[2]


def rooms(root):
    """The rooms of the host, lowest first."""
    listed = re.search(r"set\(TENON_ROOMS\s+([^)]*)\)", read(root, "host/CMakeLists.txt"))
    return listed[1].split()


def dependencies(root):
    """Room → every room it may reach through DEPENDS, itself included."""
    reach = {}
    for room in rooms(root):
        path = f"host/{room}/CMakeLists.txt"
        reach[room] = {room}
        if os.path.exists(os.path.join(root, path)):
            declared = re.search(r"tenon_room\([^)]*\bDEPENDS\s+([a-z_\s]+)", read(root, path))
            for below in declared[1].split() if declared else []:
                reach[room] |= reach.get(below, {below})
    return reach


def is_test_local(root, path, target):
    """Returns whether a test includes a header of its own folder."""
    folder = os.path.dirname(path)
    return "/tests" in folder and "/" not in target and os.path.exists(os.path.join(root, folder, target))


def room_order(root):
    """A room includes only itself and rooms above it in the list."""
    order = rooms(root)
    for room in order:
        for path in sources(root, f"host/{room}", CXX):
            for line, quoted, target in includes(root, path):
                other = target.split("/")[0]
                if other in order and order.index(other) > order.index(room):
                    yield f"{path}:{line}: room {room} may not include {target}: {other} comes after it"
                elif quoted and other not in order and not is_test_local(root, path, target):
                    yield f'{path}:{line}: "{target}" is outside any room'


def room_links(root):
    """A room that includes another one also links it, directly or through one that does."""
    reach = dependencies(root)
    for room in reach:
        for path in sources(root, f"host/{room}", CXX):
            if "/tests/" in path:
                continue
            for line, _, target in includes(root, path):
                other = target.split("/")[0]
                if other in reach and other not in reach[room] and not room_is_above(root, room, other):
                    yield f"{path}:{line}: includes {target}, but DEPENDS of room {room} does not reach {other}"


def room_is_above(root, room, other):
    order = rooms(root)
    return order.index(other) > order.index(room)


# The rooms that load plugins, read their libraries or speak with them; codegen checks the headers that it writes.
ABI_ROOMS = {"packages", "registry", "loader", "bridge", "lifecycle", "codegen"}


def abi_only_for_plugins(root):
    """Only the rooms around plugins include the ABI."""
    for path in sources(root, "host", CXX):
        if path.split("/")[1] in ABI_ROOMS:
            continue
        for line, _, target in includes(root, path):
            if target.startswith("tenon/"):
                yield f"{path}:{line}: only the rooms {', '.join(sorted(ABI_ROOMS))} may include <{target}>"


def packages_know_no_server(root):
    """packages and registry work on files and indexes: of the rooms that serve they use only formats."""
    allowed = ("base", "observability", "schema", "data", "blobs", "packages", "registry", "records/model/", "http/", "http_client/", "settings/schema.hpp", "config/nearest.hpp")
    for room in ("packages", "registry"):
        for path in sources(root, f"host/{room}", CXX):
            if "/tests/" in path:
                continue
            for line, quoted, target in includes(root, path):
                if quoted and not target.startswith(allowed):
                    yield f"{path}:{line}: a package or an index knows no server and may not include {target}"


def errors_documented(root):
    """docs/errors.md explains each error code of the host, with its HTTP status."""
    if not os.path.exists(os.path.join(root, "docs/errors.md")):
        return
    page = "docs/errors.md"
    documented = {code: re.findall(r"`([^`]+)`", statuses)
                  for code, statuses in re.findall(r"^### (\S+)\n\n((?:`[^`]+`(?:, )?)+)", read(root, page), re.M)}
    with_status = re.compile(r'(\d{3}),\s*"([a-z_]+\.[a-z0-9_]+)"')
    without = re.compile(r'(?:Refusal\(\s*\{|refuse_package\(|reason\(|Reason\{|push_back\(\s*\{|\w+\.(?:error|warning|note)\(|'
                         r'\b(?:error|warn|refuse|require_valid|fail\w*)\()\s*"([a-z_]+\.[a-z0-9_]+)"')
    used = set()
    for room in rooms(root):
        for path in sources(root, f"host/{room}", CXX):
            if "/tests/" in path:
                continue
            text = read(root, path)
            found = [(code, status) for status, code in with_status.findall(text)] + [(code, None) for code in without.findall(text)]
            for code, status in found:
                if code not in documented:
                    yield f"{path}: the error {code} is not in {page}"
                elif status and status not in documented[code] and "4xx" not in documented[code]:
                    yield f"{path}: {page} says that {code} has the status {', '.join(documented[code])}, not {status}"
            used.update(re.findall(r'"([a-z_]+\.[a-z0-9_]+)"', text))
    for code in sorted(set(documented) - used):
        yield f"{page}: no source has the error {code}"


def declared_headers(root, plugin):
    """Third-party headers a plugin says it uses: the first word of each line of third-party.txt."""
    path = f"plugins/{plugin}/third-party.txt"
    if not os.path.exists(os.path.join(root, path)):
        return set()
    return {line.split()[0] for line in read(root, path).splitlines() if line.strip() and not line.startswith("#")}


def is_standard(target):
    return target in C_STANDARD or re.fullmatch(r"[a-z_0-9]+", target) is not None


def plugin_includes(root):
    """A plugin includes the SDK, its own files, the standard library and what third-party.txt declares."""
    top = os.path.join(root, "plugins")
    for plugin in sorted(os.listdir(top)) if os.path.isdir(top) else []:
        declared = declared_headers(root, plugin)
        base = f"plugins/{plugin}"
        for path in sources(root, base, CXX):
            for line, quoted, target in includes(root, path):
                if quoted and target == plugin.replace("-", "_") + "_tables.hpp" and os.path.exists(os.path.join(root, base, "tables.json")):
                    continue  # made by the build, see docs/codegen.md
                if quoted:
                    near = [os.path.dirname(path), base, f"{base}/src"]
                    found = [os.path.normpath(os.path.join(folder, target)) for folder in near]
                    if not any(f.startswith(base + "/") and os.path.isfile(os.path.join(root, f)) for f in found):
                        yield f'{path}:{line}: "{target}" is no file of plugin {plugin}'
                elif not (target.startswith("tenon/") or is_standard(target) or target in declared
                          or is_test_header(path, target)):
                    yield f"{path}:{line}: <{target}> is neither SDK, standard nor declared in {base}/third-party.txt"


def is_test_header(path, target):
    """A plugin's tests may use the test framework, and SQLite to try their SQL."""
    return "/tests/" in path and (target.startswith(("gtest/", "gmock/")) or target == "sqlite3.h")


# System headers that the SDK uses.
SDK_SYSTEM = {"pthread.h", "sys/random.h"}


def sdk_includes(root):
    """The SDK includes no header of the host; its ABI headers only freestanding C and each other."""
    for path in sources(root, "sdk", (".h", ".hpp")):
        for line, quoted, target in includes(root, path):
            if path.startswith("sdk/abi/"):
                good = target.startswith("tenon/") or target in C_STANDARD or quoted
            else:
                good = target.startswith(("tenon/", "gtest/")) or is_standard(target) or quoted or target in SDK_SYSTEM
                good = good or (path in ("sdk/cpp/tenon/json.hpp", "sdk/cpp/tenon/detail/json_reader.hpp") and target == "nlohmann/json.hpp")
            if not good or target.startswith(tuple(f"{room}/" for room in rooms(root))):
                yield f"{path}:{line}: the SDK may not include {target}"


def rooms_known(root):
    """Every folder of the host is a listed room with a README.md; no source is outside of the rooms."""
    order = rooms(root)
    for name in sorted(os.listdir(os.path.join(root, "host"))):
        path = f"host/{name}"
        if os.path.isdir(os.path.join(root, path)):
            if not any(True for _ in sources(root, path, SOURCE)):
                continue
            if name not in order:
                yield f"{path}: not a room of host/CMakeLists.txt"
            if not os.path.isfile(os.path.join(root, path, "README.md")):
                yield f"{path}: README.md is missing: what lives here, what may enter, what must not"
        elif name.endswith(SOURCE):
            yield f"{path}: a source outside any room"


def no_catch_all(root):
    """No folder and no file is named after nothing in particular."""
    for folder in OWN_FOLDERS:
        for path in sources(root, folder, SOURCE):
            words = path.split("/")
            words[-1] = words[-1].split(".")[0]
            for word in CATCH_ALL.intersection(words):
                yield f"{path}: '{word}' says nothing about what is inside"


def no_giant_files(root):
    """A file of more than 600 lines contains more than one thing, unless it is generated."""
    for folder in OWN_FOLDERS:
        for path in sources(root, folder, SOURCE):
            if path.endswith(".gen.ts"):
                continue
            count = read(root, path).count("\n")
            limit = MAX_TEST_LINES if "/tests/" in f"/{path}" else MAX_LINES
            if count > limit:
                yield f"{path}: {count} lines, more than {limit}"


def file_names(root):
    """C++ in snake_case, the web's in kebab-case, no version suffixes."""
    for folder in OWN_FOLDERS:
        for path in sources(root, folder, CXX + (".ts", ".tsx", ".css")):
            name = os.path.basename(path)
            pattern = r"[a-z0-9_]+\.[a-z]+" if name.endswith(CXX) else r"[a-z0-9-]+(\.[a-z0-9-]+)*"
            if not re.fullmatch(pattern, name):
                yield f"{path}: file names are snake_case in C and C++, kebab-case in TypeScript and CSS"
            if re.search(r"[_-](v\d+|final)\.", name):
                yield f"{path}: no version suffixes in file names"


def header_guards(root):
    """C++ headers say #pragma once; ABI headers have classic guards, which every C compiler knows."""
    for folder in ("host", "sdk", "plugins"):
        for path in sources(root, folder, (".hpp", ".h")):
            text = read(root, path)
            if path.startswith("sdk/abi/"):
                if not re.search(r"#ifndef (\w+)\s+#define \1\b", text):
                    yield f"{path}: needs an include guard"
            elif not re.search(r"^#pragma once$", text, re.M) and not re.search(r"#ifndef (\w+)\s+#define \1\b", text):
                yield f"{path}: needs #pragma once"


def checkpoints_are_guarded(root):
    """Only the guarded checkpoint copies a WAL that other connections may write (SQLite's WAL-reset bug); a copy is open to one connection."""
    allowed = {"host/sqlite/wal/checkpoint.cpp", "host/sqlite/wal/apply_frames.cpp"}
    for folder in ("host", "sdk", "plugins"):
        for path in sources(root, folder, CXX):
            if "/tests/" in path or path in allowed:
                continue
            text = read(root, path)
            for match in re.finditer(r"sqlite3_wal_checkpoint|sqlite3_wal_autocheckpoint|\bwal_checkpoint\b|wal_autocheckpoint\s*=\s*[1-9]", text):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path}:{line}: run checkpoints through sqlite/wal/checkpoint.hpp"


def small_folders(root):
    """No folder holds more than 40 source files; tests are cases, and the zoo of plugins has one folder for each."""
    for folder in OWN_FOLDERS:
        counts = {}
        for path in sources(root, folder, SOURCE):
            parent = os.path.dirname(path)
            counts[parent] = counts.get(parent, 0) + 1
        for parent, count in sorted(counts.items()):
            if count > MAX_FILES_IN_FOLDER:
                yield f"{parent}: {count} source files, more than {MAX_FILES_IN_FOLDER}"


def small_rooms(root):
    """Each room has at most a tenth of the host's lines, without tests."""
    lines = {room: sum(read(root, path).count("\n") for path in sources(root, f"host/{room}", CXX) if "/tests/" not in path)
             for room in rooms(root)}
    total = sum(lines.values())
    for room, count in lines.items():
        if len(lines) >= 1 / MAX_ROOM_SHARE and count > MAX_ROOM_SHARE * total:
            yield f"host/{room}: {count} of {total} lines, more than {MAX_ROOM_SHARE:.0%}"


def short_readmes(root):
    """The README of a room has at most 60 lines; internals are in docs/internals/."""
    for room in rooms(root):
        path = f"host/{room}/README.md"
        count = read(root, path).count("\n") if os.path.isfile(os.path.join(root, path)) else 0
        if count > MAX_README_LINES:
            yield f"{path}: {count} lines, more than {MAX_README_LINES}; move internals to docs/internals/"


def decisions_listed(root):
    """docs/decisions/README.md lists every decision."""
    folder = os.path.join(root, "docs/decisions")
    if os.path.isdir(folder):
        index = read(root, "docs/decisions/README.md")
        for name in sorted(os.listdir(folder)):
            if re.match(r"\d{4}-", name) and f"({name})" not in index:
                yield f"docs/decisions/{name}: not in docs/decisions/README.md"


TITLES = {
    (".cpp",): (re.compile(r"^TEST(?:_F|_P)?\(\s*\w+,\s*(\w+)\)", re.M), re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")),
    ("_test.py",): (re.compile(r"def test_(\w+)\("), re.compile(r"[^_]+")),
    (".test.ts", ".test.tsx", ".test.mjs"): (re.compile(r"\bit\(\s*[\"`]([^\"`]+)[\"`]"), re.compile(r"\S+")),
}


def short_titles(root):
    """The title of a test has at most 8 words."""
    for folder in OWN_FOLDERS:
        for suffixes, (title, word) in TITLES.items():
            for path in sources(root, folder, suffixes):
                text = read(root, path)
                for match in title.finditer(text):
                    if len(word.findall(match[1])) > MAX_TITLE_WORDS:
                        line = text.count("\n", 0, match.start()) + 1
                        yield f"{path}:{line}: {match[1]} has more than {MAX_TITLE_WORDS} words"


ALL = [
    room_order, room_links, abi_only_for_plugins, packages_know_no_server, plugin_includes, sdk_includes, rooms_known,
    no_catch_all, no_giant_files, file_names, header_guards, checkpoints_are_guarded,
    small_folders, small_rooms, short_readmes, short_titles, decisions_listed, errors_documented,
]
