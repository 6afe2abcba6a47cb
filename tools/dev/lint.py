"""./dev lint and ./dev fmt: formatting, static analysis, types, links. Writes JUnit to $DEV_RESULTS when set.

Each check is one result. clang-tidy remembers clean files by content (build/lint-cache), so a run costs
what changed; --changed looks only at files changed since the previous commit, --all forgets the cache.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "lint-cache"
CXX = (".cpp", ".hpp", ".h", ".c")
WEB = (".ts", ".tsx", ".js", ".mjs", ".cjs", ".css", ".json")
JOBS = os.cpu_count() or 2
GROUP = 8


class Skip(Exception):
    """The check has nothing to look at."""


def run(*command, **options):
    """Output and exit code of a command started at the top of the repository."""
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    return done.stdout, done.returncode


def git(*arguments):
    output, code = run("git", *arguments)
    return [line for line in output.split("\0") if line] if code == 0 else []


def files(*suffixes):
    """Tracked and new files that exist, relative to the top."""
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return sorted({name for name in names if name.endswith(suffixes) and (ROOT / name).is_file()})


def in_chunks(command, names, size=60):
    """Runs a command over the names, several processes at a time; raises nothing, returns the joined complaints."""
    chunks = [names[start:start + size] for start in range(0, len(names), size)]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(lambda chunk: run(*command, *chunk), chunks))
    return "\n".join(output for output, code in results if code != 0)


def clang_format(arguments):
    names = files(*CXX)
    if not names:
        raise Skip
    return in_chunks(["clang-format", "-i"] if arguments.fix else ["clang-format", "--dry-run", "-Werror"], names)


def prettier(arguments):
    names = files(*WEB)
    if not names or not shutil.which("prettier"):
        raise Skip
    mode = "--write" if arguments.fix else "--check"
    return in_chunks(["prettier", mode, "--log-level=warn", "--ignore-unknown"], names, 200)


def shell(_):
    # -x follows dev into tools/dev/*.sh, which mean nothing without it.
    return in_chunks(["shellcheck", "-x", "--severity=info"], ["dev", ".ci/run"])


def python(_):
    names = files(".py") + ["tools/demo/load"]
    return in_chunks(["pyflakes3"], names)


def whitespace(_):
    """Text ends with one newline, has no trailing blanks, tabs only where they belong, no conflict marks."""
    complaints = []
    for name in files(".cpp", ".hpp", ".h", ".c", ".cmake", ".txt", ".py", ".sh", ".md", ".sql", ".ts", ".tsx", ".css"):
        data = (ROOT / name).read_bytes()
        if b"/fixtures/" in name.encode() or not data:
            continue
        if not data.endswith(b"\n") or data.endswith(b"\n\n"):
            complaints.append(f"{name}: must end with exactly one newline")
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.endswith(b"\r"):
                complaints.append(f"{name}:{number}: CRLF")
            if re.match(rb"(<{7}|>{7}) ", line):
                complaints.append(f"{name}:{number}: conflict mark")
            if line != line.rstrip(b" \t\r") and not name.endswith(".md"):
                complaints.append(f"{name}:{number}: trailing blanks")
    return "\n".join(complaints)


def links(_):
    """Relative links and images of Markdown files point at something."""
    complaints = []
    for name in files(".md"):
        if "/fixtures/" in name or "/content/" in name:
            continue
        text = re.sub(r"```.*?```|`[^`\n]*`", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)[^)]*\)", text):
            path = target.split("#")[0]
            if path and not re.match(r"[a-z]+:", path) and not (ROOT / name).parent.joinpath(path).exists():
                complaints.append(f"{name}: broken link {target}")
    return "\n".join(complaints)


def npm_script(script):
    def check(_):
        package = ROOT / "shell-ui" / "package.json"
        if not package.is_file() or script not in json.loads(package.read_text()).get("scripts", {}):
            raise Skip
        output, code = run("npm", "run", "--silent", script, "--prefix", "shell-ui")
        return output or f"exit code {code}" if code else ""
    return check


def compile_commands():
    """The dev build's compile commands by file, without what is g++'s alone: its precompiled header, a flag of plugins."""
    source = ROOT / "build" / "dev" / "compile_commands.json"
    if not source.is_file():
        run("cmake", "--preset", "dev")
    commands = {}
    for entry in json.loads(source.read_text()):
        command = re.sub(r"-Winvalid-pch|-include \S*cmake_pch\S*|-Xclang|-fpch-\S+|-f(?:no-)?gnu-unique", "", entry["command"])
        # The launcher and its environment come before the compiler.
        entry["command"] = re.sub(r"^.*?ccache (?=\S*(?:c\+\+|g\+\+|gcc|cc|clang\S*) )", "", command)
        commands[os.path.relpath(entry["file"], ROOT)] = entry
    return commands


def changed_files():
    """Names changed since the previous commit, or None where there is none to compare with."""
    if run("git", "rev-parse", "--verify", "-q", "HEAD~1")[1] != 0:
        return None
    return set(git("diff", "--name-only", "-z", "HEAD~1")) | set(git("ls-files", "-z", "--others", "--exclude-standard"))


def own_headers(name, seen):
    """Headers of ours that a file includes, directly or not."""
    for include in re.findall(r'^\s*#\s*include\s+[<"]([^">]+)[">]', (ROOT / name).read_text(errors="replace"), re.M):
        for folder in ("host", "sdk/abi", "sdk/cpp", os.path.dirname(name)):
            path = os.path.normpath(os.path.join(folder, include))
            if path not in seen and (ROOT / path).is_file():
                seen.add(path)
                own_headers(path, seen)
                break
    return seen


def groups_of(names, commands):
    """Files of one folder that are compiled alike, at most GROUP together: most of the time goes into the headers of the system."""
    alike = {}
    for name in sorted(names):
        flags = [word for word in commands[name]["command"].split() if not word.endswith((".o", ".d", ".cpp", ".c"))]
        has_own_rules = any((ROOT / folder / ".clang-tidy").exists() for folder in list(pathlib.Path(name).parents)[:-1])
        alone = name if has_own_rules or not name.endswith(".cpp") else ""
        alike.setdefault((os.path.dirname(name), alone, " ".join(flags)), []).append(name)
    for together in alike.values():
        for start in range(0, len(together), GROUP):
            yield together[start:start + GROUP]


def join_groups(groups, commands):
    """Writes a file for each group that includes its files, and build/lint/compile_commands.json; yields the name to check."""
    folder = ROOT / "build" / "lint"
    folder.mkdir(parents=True, exist_ok=True)
    entries, tops = list(commands.values()), []
    for number, names in enumerate(groups):
        if len(names) == 1:
            tops.append(names[0])
            continue
        path = folder / f"group_{number}.cpp"
        path.write_text("".join(f'#include "{ROOT / name}"\n' for name in names))
        first = commands[names[0]]
        entries.append({**first, "file": str(path), "command": first["command"].replace(first["file"], str(path))})
        tops.append(str(path.relative_to(ROOT)))
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    return tops


def clang_tidy(arguments):
    commands = compile_commands()
    output, code = run("ninja", "-C", "build/dev", "tables_headers")
    if code != 0:
        return output
    sources = [name for name in files(".cpp", ".c") if name in commands]
    if not sources:
        raise Skip
    CACHE.mkdir(parents=True, exist_ok=True)
    changed = changed_files() if arguments.changed else None
    config = (ROOT / ".clang-tidy").read_bytes() + pathlib.Path(__file__).read_bytes()
    stamps = {}
    for name in sources:
        parts = sorted({name} | own_headers(name, set()))
        if changed is not None and not changed.intersection(parts):
            continue
        digest = hashlib.sha256(config + commands[name]["command"].encode())
        for part in parts:
            digest.update(part.encode() + b"\0" + (ROOT / part).read_bytes())
        stamp = CACHE / digest.hexdigest()
        if arguments.all or not stamp.exists():
            stamps[name] = stamp
    groups = list(groups_of(stamps, commands))

    def tidy(name):
        output, code = run("clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option", "-p", "build/lint", name)
        return code, re.sub(r"^(\d+ warnings? .*|Suppressed .*|Use -header-filter.*)\n", "", output, flags=re.M)

    def tidy_group(names, top):
        code, output = tidy(top)
        if len(names) > 1 and "[clang-diagnostic-" in output:
            # It may come of standing together: two of them use one name for different things.
            return "".join(tidy_group([name], name) for name in names)
        if code != 0:
            return output
        for name in names:
            stamps[name].touch()
        return ""

    print(f"    clang-tidy: {len(stamps)} of {len(sources)} files", flush=True)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return "\n".join(filter(None, pool.map(tidy_group, groups, join_groups(groups, commands))))


CHECKS = {
    "clang-format": clang_format,
    "prettier": prettier,
    "whitespace": whitespace,
    "links": links,
    "shellcheck": shell,
    "pyflakes": python,
    "eslint": npm_script("lint"),
    "types": npm_script("typecheck"),
    "clang-tidy": clang_tidy,
}


def main():
    parser = argparse.ArgumentParser(prog="./dev lint")
    parser.add_argument("--all", action="store_true", help="clang-tidy over every file, also those found clean before")
    parser.add_argument("--changed", action="store_true", help="clang-tidy only over files changed since the previous commit")
    parser.add_argument("--fix", action="store_true", help="format in place instead of checking")
    parser.add_argument("--only", action="append", choices=CHECKS, help="run this check; may be repeated")
    arguments = parser.parse_args()
    if arguments.fix and not arguments.only:
        arguments.only = ["clang-format", "prettier"]
    suite = xml.Element("testsuite", name="lint")
    failed = 0
    for name, check in CHECKS.items():
        if arguments.only and name not in arguments.only:
            continue
        started = time.monotonic()
        try:
            complaint = check(arguments).strip()
        except Skip:
            continue
        seconds = time.monotonic() - started
        case = xml.SubElement(suite, "testcase", classname="lint", name=name, time=f"{seconds:.1f}")
        if complaint:
            failed += 1
            xml.SubElement(case, "failure").text = complaint
            print(complaint)
        print(f"{'FAILED' if complaint else 'ok':<7}{name} ({seconds:.1f} s)", flush=True)
    if os.environ.get("DEV_RESULTS"):
        xml.ElementTree(suite).write(os.environ["DEV_RESULTS"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
