"""./dev lint and ./dev fmt: formatting, static analysis, types, links. Writes JUnit to $DEV_RESULTS when set.

Each check is one result. Checks that look at each file apart leave out files that are as they were in the commit that tools/lint-clean.txt
names; clang-tidy also those that build/lint-cache knows, see tools/lint/tidy.py.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import sys
import time
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lint"))

import tidy  # noqa: E402
from tree import Broken, RECORD, ROOT, Skip, WORK, changed_since_clean, files, run  # noqa: E402

CXX = (".cpp", ".hpp", ".h", ".c")
WEB = (".ts", ".tsx", ".js", ".mjs", ".cjs", ".css", ".json")
JOBS = os.cpu_count() or 2


def in_chunks(command, names, size=60, root=ROOT):
    """Runs a command over the names, several processes at a time; raises nothing, returns the joined complaints."""
    chunks = [names[start:start + size] for start in range(0, len(names), size)]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(lambda chunk: run(*command, *chunk, root=root), chunks))
    return "\n".join(output for output, code in results if code != 0)


def not_known_as_clean(arguments, names, *rules):
    """The names that differ from the recorded clean commit, for checks that look at each file apart; all when a rule changed."""
    if arguments.all or arguments.record or arguments.fix:
        return names
    changed, _ = changed_since_clean()
    return names if changed is None or changed.intersection(rules) else [name for name in names if name in changed]


def clang_format(arguments):
    names = not_known_as_clean(arguments, files(*CXX), ".clang-format")
    return in_chunks(["clang-format", "-i"] if arguments.fix else ["clang-format", "--dry-run", "-Werror"], names)


def rustfmt(arguments):
    # The one of Debian, where another comes first in the PATH.
    program = "/usr/bin/rustfmt" if os.path.exists("/usr/bin/rustfmt") else "rustfmt"
    names = not_known_as_clean(arguments, files(".rs"))
    return in_chunks([program, "--edition=2021", *(["--check"] if not arguments.fix else [])], names)


def prettier(arguments):
    if not shutil.which("prettier"):
        raise Skip
    names = not_known_as_clean(arguments, files(""), ".prettierrc.json", ".prettierignore", "shell-ui/.prettierignore", "tools/node/package-lock.json")
    folders = ("shell-ui/", "plugin-ui/", "tests/e2e/")
    ui = [os.path.relpath(name, "shell-ui") for name in names if name.startswith(folders)]
    others = [name for name in names if name.endswith(WEB) and not name.startswith(folders)]
    command = ["prettier", "--write" if arguments.fix else "--check", "--log-level=warn", "--ignore-unknown"]
    return in_chunks(command, ui, 400, ROOT / "shell-ui") + in_chunks(command, others, 200)


def shell(_):
    # -x follows dev into tools/dev/*.sh, which mean nothing without it.
    return in_chunks(["shellcheck", "-x", "--severity=info"], ["dev", ".ci/run"])


def python(arguments):
    return in_chunks(["pyflakes3"], not_known_as_clean(arguments, files(".py") + ["tools/demo/load"]))


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


def pages():
    """Markdown files that people read: (name, text)."""
    for name in files(".md"):
        if "/fixtures/" not in name and "/content/" not in name:
            yield name, (ROOT / name).read_text(encoding="utf-8")


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)


def anchors_of(text):
    """The anchors of the headings, as in docs/site/.vitepress/config.mjs: a second one of a name gets a number."""
    seen, anchors = {}, set()
    for title in re.findall(r"^#+ (.+?)\s*$", without_code(text), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        slug = re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain.lower()))
        anchors.add(slug if slug not in seen else f"{slug}-{seen[slug]}")
        seen[slug] = seen.get(slug, 0) + 1
    return anchors


def links(_):
    """Relative links and images of Markdown files point at files and headings that exist."""
    complaints, known = [], {}
    for name, text in pages():
        for target in re.findall(r"\]\(([^)\s]+)[^)]*\)", re.sub(r"`[^`\n]*`", "", without_code(text))):
            path, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            file = (ROOT / name).parent.joinpath(path) if path else ROOT / name
            if not file.exists():
                complaints.append(f"{name}: broken link {target}")
            elif anchor and file.suffix == ".md":
                if file not in known:
                    known[file] = anchors_of(file.read_text(encoding="utf-8"))
                if anchor not in known[file]:
                    complaints.append(f"{name}: no heading for {target}")
    return "\n".join(complaints)


def json_blocks(_):
    """Blocks of JSON in Markdown are JSON, or members of an object, or elements of an array; "…" leaves something out."""
    complaints = []
    for name, text in pages():
        if not name.startswith(("docs/", "sdk/", "shell-ui/")):
            continue
        for block in re.finditer(r"^```json\n(.*?)^```", text, re.M | re.S):
            whole = re.sub(r",\s*…|…\s*,|(?<=[\[{])…(?=[\]}])", "", block[1])
            for form in (whole, f"{{{whole}}}", f"[{whole}]"):
                try:
                    json.loads(form)
                    break
                except json.JSONDecodeError as error:
                    problem = error
            else:
                line = text.count("\n", 0, block.start()) + 2
                complaints.append(f"{name}:{line}: this is no JSON: {problem}")
    return "\n".join(complaints)


def spelling(_):
    """Common misspellings in Markdown and in comments of public headers."""
    names = [name for name, _ in pages()] + [name for name in files(".h", ".hpp") if name.startswith("sdk/")]
    return in_chunks(["codespell", "--ignore-words-list=ue,te,crate"], names)


def npm_script(script, *options):
    def check(_):
        package = ROOT / "shell-ui" / "package.json"
        if not package.is_file() or script not in json.loads(package.read_text()).get("scripts", {}):
            raise Skip
        output, code = run("npm", "run", "--silent", script, "--prefix", "shell-ui", "--", *options)
        return output or f"exit code {code}" if code else ""
    return check


CHECKS = {
    "clang-format": clang_format,
    "rustfmt": rustfmt,
    "prettier": prettier,
    "whitespace": whitespace,
    "links": links,
    "json-blocks": json_blocks,
    "spelling": spelling,
    "shellcheck": shell,
    "pyflakes": python,
    "eslint": npm_script("lint:code"),
    "types": npm_script("typecheck", "--incremental", "--tsBuildInfoFile", str(WORK / "types.json")),
    "clang-tidy": tidy.tidy,
}


def shard(text):
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError(f"'{text}' is not I/N with I from 1 to N")
    return int(number), int(count)


def arguments_of(line):
    parser = argparse.ArgumentParser(prog="./dev lint")
    parser.add_argument("--all", action="store_true", help="every file, also those known as clean")
    parser.add_argument("--changed", action="store_true", help="clang-tidy only over files changed since the previous commit")
    parser.add_argument("--record", action="store_true", help="name the commit in tools/lint-clean.txt when nothing is found in any file")
    parser.add_argument("--fix", action="store_true", help="format in place instead of checking")
    parser.add_argument("--only", action="append", choices=CHECKS, help="run this check; may be repeated")
    parser.add_argument("--shard", type=shard, metavar="I/N", help="the I-th of N parts of clang-tidy, on one process")
    parser.add_argument("--list", action="store_true", help="print the checks, one JSON object a line, and how many shards suit clang-tidy")
    given = parser.parse_args(line)
    if given.shard and given.only != ["clang-tidy"]:
        parser.error("--shard goes with --only clang-tidy")
    if given.record and (given.only or given.changed or given.fix):
        parser.error("--record goes with all checks of all files")
    if given.fix and not given.only:
        given.only = ["clang-format", "rustfmt", "prettier"]
    return given


def complaint_of(check, arguments):
    try:
        return check(arguments).strip()
    except Broken as broken:
        return str(broken).strip()


def main():
    arguments = arguments_of(sys.argv[1:])
    if arguments.list:
        for name in CHECKS:
            shards = {"shards": tidy.shard_count(arguments)} if name == "clang-tidy" else {}
            print(json.dumps({"check": name, **shards}))
        return 0
    if arguments.record and run("git", "status", "--porcelain", "--", ".", f":!{RECORD}")[0]:
        print("--record names a commit, and the working tree differs from it: commit first")
        return 2
    suite = xml.Element("testsuite", name="lint")
    failed = 0
    for name, check in CHECKS.items():
        if arguments.only and name not in arguments.only:
            continue
        title = name if not arguments.shard else "{} {}/{}".format(name, *arguments.shard)
        started = time.monotonic()
        try:
            complaint = complaint_of(check, arguments)
        except Skip:
            continue
        seconds = time.monotonic() - started
        case = xml.SubElement(suite, "testcase", classname="lint", name=title, time=f"{seconds:.1f}")
        if complaint:
            failed += 1
            xml.SubElement(case, "failure").text = complaint
            print(complaint)
        print(f"{'FAILED' if complaint else 'ok':<7}{title} ({seconds:.1f} s)", flush=True)
    if os.environ.get("DEV_RESULTS"):
        xml.ElementTree(suite).write(os.environ["DEV_RESULTS"])
    if arguments.record and not failed:
        (ROOT / RECORD).write_text(tidy.Sources(tidy.build_folder()).record())
        print(f"{RECORD} names the commit now")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
