"""./dev bench --profile NAME: where the processor's time goes under load, by `perf`, into bench/profiles/NAME.txt.

A sample every 0.25 ms of the server's processor time (cpu-clock, which virtual machines have, too), for each of a plugin's routes in turn. Names
of functions are what the release build kept: one that the compiler inlined counts for its caller.
"""

import pathlib
import re
import shutil
import subprocess
import tempfile

from load import wrk
from servers.rows import CREATE_BODY
from servers.tenon_tasks import TenonTasks

FOLDER = pathlib.Path(__file__).resolve().parent / "profiles"
FREQUENCY = 4000
CONNECTIONS = 64
MAX_NAME = 110
LINES = 25
LINE = re.compile(r"^\s*(\d+\.\d+)%\s+(\S+)\s+\[([k.])\]\s+(.*?)(?:\s{2,}.*)?$")


def shorten(symbol):
    """Without what the template library writes out, and cut."""
    symbol = symbol.strip().replace("(anonymous namespace)::", "").replace("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "string")
    return symbol if len(symbol) <= MAX_NAME else symbol[:MAX_NAME - 1] + "…"


def shares(recording):
    """Triples of percent, the file and the function, most first; the kernel is one of them."""
    report = subprocess.run(
        ["perf", "report", "--stdio", "--no-children", "--percent-limit", "0", "--sort", "dso,symbol", "--input", str(recording)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    found, in_kernel = [], 0.0
    for line in report.splitlines():
        if match := LINE.match(line):
            percent, file, ring, symbol = match.groups()
            if ring == "k":
                in_kernel += float(percent)
            else:
                found.append((float(percent), pathlib.Path(file).name, shorten(symbol)))
    return sorted([(in_kernel, "kernel", ""), *found], reverse=True)


def profile(server, title, load, folder):
    """Lines about one kind of request; `load` runs it and returns what wrk said."""
    recording = pathlib.Path(folder, "perf.data")
    before = server.cpu_seconds()
    perf = subprocess.Popen(["perf", "record", "--quiet", "--event", "cpu-clock", "--freq", str(FREQUENCY), "--pid", str(server.process.pid),
                             "--output", str(recording)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    done = load()
    used = server.cpu_seconds() - before
    perf.terminate()
    perf.wait()
    if done["errors"]:
        raise SystemExit(f"bench: {done['errors']} requests failed: {title}")
    found = shares(recording)
    each = 1e6 * used / done["requests"]
    lines = [f"{title}: {each:.2f} µs of processor time a request"]
    lines += [f"  {percent:5.2f} %  {each * percent / 100:6.3f} µs  {file:18} {symbol}".rstrip() for percent, file, symbol in found[:LINES]]
    return lines + [""]


def run(build, name, seconds):
    """Writes the profile of a build; what `seconds` of load on each route cost."""
    if not shutil.which("perf"):
        raise SystemExit("bench: perf is missing; install it with ./dev install bench")
    lines = []
    with TenonTasks(build, options=("--threads-io", "1")) as tenon, tempfile.TemporaryDirectory(prefix="tenon-bench-perf-") as folder:
        targets = pathlib.Path(folder, "targets")
        targets.write_text("\n".join(tenon.get_paths), encoding="ascii")
        routes = (
            ("GET /api/bench/inline, 1 KB", lambda time: wrk(tenon.url + "/api/bench/inline", CONNECTIONS, time)),
            ("GET /api/bench/worker, 1 KB", lambda time: wrk(tenon.url + "/api/bench/worker", CONNECTIONS, time)),
            ("GET /api/bench/tasks, 50 newest", lambda time: wrk(tenon.url + tenon.list_path, CONNECTIONS, time, headers=tenon.headers)),
            ("GET /api/bench/tasks/{id}", lambda time: wrk(
                tenon.url, CONNECTIONS, time, script="targets.lua", headers=tenon.headers, arguments=(str(targets),))),
            ("POST /api/bench/tasks", lambda time: wrk(
                tenon.url + tenon.create_path, CONNECTIONS, time, script="create.lua", headers=tenon.headers, arguments=(CREATE_BODY,))),
        )
        for title, load in routes:
            load(1)
            found = profile(tenon, title, lambda load=load: load(seconds), folder)
            print("  " + found[0], flush=True)
            lines += found
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
    print(f"written to bench/profiles/{name}.txt")
    return 0
