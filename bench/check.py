"""./dev bench --check: instruction counts of hot paths, compared with those of bench/baseline.json.

A count says on any machine, however busy, whether a path does more than it did. It depends on the compiler and the libraries, so it is
compared only where they are those of the baseline. A path fails when it takes more than TOLERANCE more instructions. Counts vary by less
than half a percent from run to run, seldom by two; one that seems too high is taken again, because what measures as quick depends on who else is
busy. The baseline gets the median of TRIES.
"""

import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import tempfile

from start_cost import StartCost

BASELINE = pathlib.Path(__file__).resolve().parent / "baseline.json"
TOLERANCE = 0.03
TRIES = 3


def maker(build):
    """The facts that the counts depend on in addition to the source."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE).group(1)
    version = subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    sqlite = subprocess.run(["pkg-config", "--modversion", "sqlite3"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    libc = "-".join(platform.libc_ver())
    # The C library picks its loops over memory by this.
    has_avx2 = re.search(r"^flags.*\bavx2\b", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return {"arch": platform.machine() + (" with AVX2" if has_avx2 else ""), "build": build.name, "compiler": version, "libc": libc, "sqlite": sqlite}


def take_turns():
    """One core, and no thread is interrupted by one that it wakes: else which is first at a lock or at its sleep is chance."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


class HotPaths:
    """tenon-bench-hot-paths of a build."""

    def __init__(self, build):
        self.program = str(build / "bin" / "tenon-bench-hot-paths")

    def list(self):
        """Pairs of a name and what it is."""
        done = subprocess.run([self.program, "list"], stdout=subprocess.PIPE, text=True, check=True)
        return [(line.split("\t")[0], line.split("\t")[2]) for line in done.stdout.splitlines()]

    def count(self, name):
        """Instructions an operation, of all threads in user space."""
        with tempfile.TemporaryDirectory(prefix="tenon-bench-callgrind-") as folder:
            out = pathlib.Path(folder, "out")
            done = subprocess.run(
                ["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", self.program, "count", name],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, preexec_fn=take_turns)
            if done.returncode != 0:
                raise SystemExit(f"bench: {name} cannot be counted:\n{done.stderr}")
            total = int(re.search(r"^totals: (\d+)", out.read_text(encoding="utf-8"), re.MULTILINE).group(1))
        return total / int(done.stdout.split()[-1])

    def nanoseconds(self, name, operations, threads):
        """An operation's time, the mean of the threads."""
        done = subprocess.run([self.program, "time", name, str(operations), str(threads)], stdout=subprocess.PIPE, text=True, check=True)
        return float(done.stdout)


def counters(build):
    """Yields the counted paths in order: name, description, a function that counts it."""
    paths = HotPaths(build)
    for name, what in paths.list():
        yield name, what, lambda name=name: paths.count(name)
    with StartCost(build, take_turns) as start:
        yield "start_instructions", "a start with notes and tasks, and its end", start.instructions
        yield "start_calls", "system calls of a start, until ready", start.system_calls


def run(build, must_update):
    """Counts all paths. 0 when none became slower, or the baseline was written; 1 when one did, is missing or is not in the baseline."""
    here = maker(build)
    known = {} if must_update else json.loads(BASELINE.read_text(encoding="utf-8"))
    is_comparable = must_update or known["made_by"] == here
    old_counts = known.get("instructions", {})
    counts, faults = {}, []
    print(f"{'instructions an operation':28} {'was':>10} {'is':>10}")
    for name, what, count_it in counters(build):
        old = old_counts.get(name)
        tries = [count_it() for _ in range(TRIES if must_update else 1)]
        while len(tries) < TRIES and old and min(tries) > old * (1 + TOLERANCE):
            tries.append(count_it())
        count = counts[name] = statistics.median(tries) if must_update else min(tries)
        change = f"{100 * (count / old - 1):+7.1f} %" if old else " " * 9
        print(f"{name:28} {f'{old:,.0f}' if old else '':>10} {count:10,.0f} {change}  {what}", flush=True)
        if old is None and not must_update:
            faults.append(f"{name} is not in the baseline")
        elif old and count > old * (1 + TOLERANCE):
            faults.append(f"{name} takes {count:,.0f}, it was {old:,.0f} ({100 * (count / old - 1):+.1f} %)")
    faults += [f"{name} is in the baseline and no path" for name in old_counts if name not in counts]
    if must_update:
        BASELINE.write_text(json.dumps(
            {"made_by": here, "instructions": {name: round(count) for name, count in counts.items()}}, indent=2) + "\n", encoding="utf-8")
        print(f"written to bench/{BASELINE.name}")
        return 0
    if not is_comparable:
        print("not compared: the baseline was made by " + ", ".join(f"{name} {value}" for name, value in known["made_by"].items()) +
              "; here is " + ", ".join(f"{name} {value}" for name, value in here.items()))
        return 0
    for fault in faults:
        print(f"slower: {fault}" if "takes" in fault else fault)
    if faults:
        print(f"A path may take {100 * TOLERANCE:.0f} % more. What must be so is written down by ./dev bench --check --update.")
    else:
        print(f"no path takes more than {100 * TOLERANCE:.0f} % more instructions than in bench/{BASELINE.name}")
    return 1 if faults else 0
