"""The rules of docs/architecture.md that a program can check. Each function takes the top of a tree and yields complaints."""

import os
import re

CXX = (".cpp", ".hpp", ".h", ".c", ".cc")
WEB = (".ts", ".tsx", ".js", ".mjs", ".css")
SOURCE = CXX + WEB + (".py", ".sh", ".cmake", ".sql")
OWN_FOLDERS = ("host", "sdk", "plugins", "shell-ui", "plugin-ui", "tests", "bench", "tools")
GENERATED = {"node_modules", "dist", "build", "__pycache__", "fixtures", "golden"}
CATCH_ALL = {"util", "utils", "common", "misc", "helper", "helpers", "core"}
MAX_LINES = 500
MAX_TEST_LINES = 600  # cases are a list: what is too long to read is a case, not their file

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
            declared = re.search(r"tenon_room\([^)]*\bDEPENDS\s+([a-z\s]+)", read(root, path))
            for below in declared[1].split() if declared else []:
                reach[room] |= reach.get(below, {below})
    return reach


def is_beside(root, path, target):
    """True for what a test of a room keeps for itself, in the folder of the file that includes it."""
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
                elif quoted and other not in order and not is_beside(root, path, target):
                    yield f'{path}:{line}: "{target}" names no room; includes start at host/'


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


def abi_only_in_plugins(root):
    """Only the room `plugins` includes the ABI, and nothing of the host includes the C++ SDK's other parts."""
    for path in sources(root, "host", CXX):
        if path.startswith("host/plugins/"):
            continue
        for line, _, target in includes(root, path):
            if target.startswith("tenon/"):
                yield f"{path}:{line}: only host/plugins may include <{target}>"


def packages_know_no_server(root):
    """host/plugins/package works on files alone: of its room it includes the manifest and the loader."""
    allowed = ("plugins/package/", "plugins/manifest/", "plugins/loader/", "plugins/reason.hpp")
    for path in sources(root, "host/plugins/package", CXX):
        for line, _, target in includes(root, path):
            if target.startswith("plugins/") and not target.startswith(allowed):
                yield f"{path}:{line}: a package works on files alone and may not include {target}"


def registries_know_no_server(root):
    """host/plugins/registry reads indexes and packages, and what is installed is told to it: neither bridge nor lifecycle."""
    allowed = ("plugins/registry/", "plugins/package/", "plugins/manifest/", "plugins/loader/", "plugins/reason.hpp")
    for path in sources(root, "host/plugins/registry", CXX):
        for line, _, target in includes(root, path):
            if target.startswith("plugins/") and not target.startswith(allowed):
                yield f"{path}:{line}: a registry is told what is installed and may not include {target}"


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
                    continue  # made by the build, see docs/typed.md
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


# What the SDK takes from Linux itself.
SDK_SYSTEM = {"pthread.h", "sys/random.h"}


def sdk_includes(root):
    """The SDK stands on nothing of ours; its ABI headers on nothing but freestanding C and each other."""
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
    """Every folder of the host is a listed room with a README.md; no source lies beside the rooms."""
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
    """A file of more than 500 lines holds more than one thing, unless it is generated."""
    for folder in OWN_FOLDERS:
        for path in sources(root, folder, SOURCE):
            if path.endswith(".gen.ts"):
                continue
            count = read(root, path).count("\n")
            most = MAX_TEST_LINES if "/tests/" in f"/{path}" else MAX_LINES
            if count > most:
                yield f"{path}: {count} lines, more than {most}"


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
    allowed = {"host/data/sqlite/checkpoint.cpp", "host/data/sqlite/added_log.cpp"}
    for folder in ("host", "sdk", "plugins"):
        for path in sources(root, folder, CXX):
            if "/tests/" in path or path in allowed:
                continue
            text = read(root, path)
            for match in re.finditer(r"sqlite3_wal_checkpoint|sqlite3_wal_autocheckpoint|\bwal_checkpoint\b|wal_autocheckpoint\s*=\s*[1-9]", text):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path}:{line}: run checkpoints through data/sqlite/checkpoint.hpp"


ALL = [
    room_order, room_links, abi_only_in_plugins, packages_know_no_server, registries_know_no_server, plugin_includes, sdk_includes, rooms_known,
    no_catch_all, no_giant_files, file_names, header_guards, checkpoints_are_guarded,
]
