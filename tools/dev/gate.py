"""./dev test: builds, runs every part side by side, closes with "N passed, N failed". See ./dev help and CONTRIBUTING.md."""

import argparse
import fcntl
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback

import report
from scheduler import CORES, Job, Scheduler

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("architecture", "lint", "unit", "abi", "package", "fuzz", "integration", "integration-postgresql", "faults", "ui", "e2e")
# Values of --only in addition to the parts themselves.
ALIASES = {"integration": ("integration", "integration-postgresql"), "unit": ("unit", "abi", "package")}
SANITIZED_PARTS = ("unit", "abi", "integration", "integration-postgresql")
# Other parts have no second try, because it would hide a race of the product; nor have tests of these parts with such a name.
RETRIED_PARTS = ("unit", "integration", "integration-postgresql", "ui", "e2e")
NEVER_RETRIED = re.compile(r"kill|crash|fault|power|leak", re.IGNORECASE)
MAX_FLAKY = 3
STRESS_RUNS, STRESS_LOOPS = 20, 4
# GoogleTest programs that are split, and into how many jobs.
SHARDS = {"engines_test": 8, "records_test": 4, "identity_test": 4, "jobs_test": 3, "lifecycle_test": 3, "realtime_test": 4, "http_test": 3,
          "blobs_test": 2, "data_copy_test": 2, "expression_test": 2, "packages_test": 2}
COMPILE_JOBS = 4
# Processors that a job of a part keeps busy. durations.json cannot give this: a job also waits for others that run at the same time.
WEIGHTS = {"integration": 0.35, "integration-postgresql": 0.5, "faults": 0.6, "abi": 0.5, "unit": 0.7, "e2e": 0.9, "ui": 1.5}


class Gate:
    """The jobs of one run."""

    def __init__(self, given):
        self.given = given
        self.sanitizer = given.preset in ("asan", "tsan")
        self.build = ROOT / "build" / given.preset
        self.results = self.build / "results"
        self.durations_file = ROOT / "tests" / "durations.json"
        known = json.loads(self.durations_file.read_text()) if self.durations_file.is_file() else {}
        self.durations, self.part_seconds = known.get("jobs", {}), known.get("parts", {})
        self.fixed_addresses = given.fixed_addresses.split()
        self.prefix = self.fixed_addresses if given.preset == "tsan" else []
        self.scheduler = None

    def has(self, part):
        return part in self.given.parts

    def environment(self):
        """The environment of every job."""
        return {**os.environ, "DEV_BUILD": str(self.build), "DEV_SEED": str(self.given.seed), "PYTHONDONTWRITEBYTECODE": "1",
                **({"DEV_FULL": "1"} if self.given.full else {})}

    def job(self, part, name, command, wall=10.0, weight=None, **options):
        """A job whose tests leave JUnit in a file of its own."""
        name = f"{part}/{name}"
        wall, _ = self.durations.get(name, (wall, 0.0))
        results = self.results / (re.sub(r"[^A-Za-z0-9._-]+", "_", name) + ".xml")
        environment = {"DEV_RESULTS": str(results), **options.pop("environment", {})}
        return Job(name, part, [str(word).replace("{results}", str(results)) for word in command], environment, wall,
                   weight=min(weight or WEIGHTS.get(part, 1.0), CORES), **options)

    # Builds.

    def call(self, name, *words, wall, weight, **options):
        return Job(f"build/{name}", "build", ["bash", str(ROOT / "tools/dev/call.sh"), *words], {}, wall, weight, timeout=3600, **options)

    def first_jobs(self):
        preset, has = self.given.preset, self.has
        # The headers of tables are for lint, also those of what is not built.
        host = [self.call("host", "build_host", preset, "all", "generated_headers", wall=1000, weight=CORES, then=self.jobs_of_host)]
        if self.sanitizer:
            return host
        jobs = [self.call("node", "ensure_ui", wall=2000, weight=0.3, then=self.use_node)]
        if any(map(has, ("unit", "abi", "package", "integration", "integration-postgresql", "faults", "e2e", "lint"))):
            jobs += host
        if self.builds_ui():
            jobs.append(self.call("ui", "build_ui", preset, wall=500, weight=1.2, needs=("build/node",)))
        if has("package") or self.uses_debian():
            jobs.append(self.call("sdk", "build_sdk", preset, wall=400, weight=1, needs=("build/ui",)))
        if has("e2e") and not self.sanitizer:
            jobs.append(self.call("docs", "build_docs", preset, wall=90, weight=1, needs=("build/node",)))
        if self.uses_debian():
            jobs.append(self.call("debian", "build_debian", wall=200, weight=1, needs=("build/node",)))
        if has("fuzz") and self.fuzz_targets():
            jobs.append(self.call("fuzz", "build_host", "fuzz", wall=300, weight=CORES, then=self.fuzz_jobs))
        return jobs + self.architecture_jobs() + self.ui_jobs() + self.e2e_jobs()

    def uses_debian(self):
        return self.given.full and self.has("e2e") and not self.sanitizer

    def builds_ui(self):
        return not self.sanitizer and any(map(self.has, ("package", "integration", "integration-postgresql", "e2e", "lint", "ui")))

    def use_node(self):
        """The pinned Node comes first in PATH, as ensure_node of tools/dev/ensure.sh has it."""
        folders = [*glob.glob(str(ROOT / "tools/node/node_modules/node-linux-*/bin")), str(ROOT / "tools/node/node_modules/.bin")]
        self.scheduler.environment["PATH"] = ":".join([*folders, os.environ["PATH"]])
        return []

    # Parts.

    def python_jobs(self, part, folder, engine="sqlite", wall=5.0, **options):
        """One job for each class of tests."""
        command = [*self.prefix, sys.executable, ROOT / "tests/run.py", ROOT / folder]
        words = [self.given.filter, "--engine", engine]
        listed = subprocess.run([*map(str, command), *words, "--list"], env=self.scheduler.environment, text=True, capture_output=True,
                                check=False)
        if listed.returncode:
            raise RuntimeError(f"{folder} cannot be listed:\n{listed.stderr}")
        jobs = []
        for line in listed.stdout.splitlines():
            found = json.loads(line)
            jobs.append(self.job(part, found["class"], [*command, *words, "--class", found["class"]], wall=wall * found["tests"],
                                 alone=found["alone"], **options))
        return jobs

    def jobs_of_host(self):
        jobs = []
        # A host that starts while the UI is built finds parts of it.
        with_ui = ("build/ui",) if self.builds_ui() else ()
        if self.has("unit") or self.has("abi"):
            jobs += self.ctest_jobs()
        if self.has("abi"):
            jobs += self.python_jobs("abi", "tests/abi/headers") + self.python_jobs("abi", "tests/abi/driver", needs=with_ui)
        if self.has("package"):
            jobs += self.python_jobs("package", "tests/package", wall=60.0, needs=("build/sdk",))
        if self.has("integration"):
            jobs += self.python_jobs("integration", "tests/integration", needs=with_ui)
        if self.has("integration-postgresql"):
            jobs += self.python_jobs("integration-postgresql", "tests/integration", "postgresql", wall=10.0, needs=with_ui)
        if self.has("faults"):
            jobs += self.python_jobs("faults", "tests/faults", needs=with_ui)
        return jobs + self.lint_jobs()

    def ctest_jobs(self):
        """GoogleTest programs, in shards where they are long; other tests of CMake in a few groups."""
        listed = json.loads(subprocess.run(["ctest", "--test-dir", str(self.build), "--show-only=json-v1"], text=True, capture_output=True,
                                           check=True).stdout)
        jobs, compiled, programs = [], [], set()
        for test in listed["tests"]:
            properties = {one["name"]: one["value"] for one in test.get("properties", [])}
            labels = properties.get("LABELS", [])
            if "gtest" in labels and self.has("unit"):
                jobs += self.gtest_jobs(test["command"])
                programs.add(pathlib.Path(test["command"][0]).name)
            elif not {"gtest", "python"}.intersection(labels) and self.has("abi") and self.given.filter in test["name"]:
                compiled.append(test["name"])
        if programs and not programs.issuperset(SHARDS):
            raise RuntimeError(f"SHARDS of tools/dev/gate.py names no test program: {', '.join(sorted(set(SHARDS) - programs))}")
        for at in range(min(COMPILE_JOBS, len(compiled))):
            pattern = "|".join(map(re.escape, compiled[at::COMPILE_JOBS]))
            jobs.append(self.job("abi", f"ctest {at + 1} of {COMPILE_JOBS}", [
                *self.prefix, "ctest", "--test-dir", self.build, "--timeout", "300", "--no-tests=error", "--output-on-failure", "--output-junit",
                "{results}", "-R", f"^({pattern})$"]))
        return jobs

    def gtest_jobs(self, command):
        program = pathlib.Path(command[0])
        words = [*self.prefix, *command, "--gtest_output=xml:{results}", "--gtest_brief=1"]
        if self.given.filter:
            words.append(f"--gtest_filter=*{self.given.filter}*")
            listed = subprocess.run([*command, "--gtest_list_tests", words[-1]], text=True, capture_output=True, check=False).stdout
            # Its first line may be gtest_main's own.
            if not any(line.startswith("  ") for line in listed.splitlines()):
                return []
        count = 1 if self.given.filter else SHARDS.get(program.name, 1)
        return [self.job("unit", program.name + (f" {at + 1} of {count}" if count > 1 else ""), words, wall=30.0,
                         environment={"GTEST_TOTAL_SHARDS": str(count), "GTEST_SHARD_INDEX": str(at)}) for at in range(count)]

    def architecture_jobs(self):
        folders = ("tests/architecture", "tests/gate") if self.has("architecture") else ()
        return [job for folder in folders for job in self.python_jobs("architecture", folder)]

    def lint_jobs(self):
        if not self.has("lint") or self.given.filter:
            return []
        command = [sys.executable, ROOT / "tools/dev/lint.py", *(["--all"] if self.given.full else [])]
        listed = subprocess.run([*map(str, command), "--list"], env=self.scheduler.environment, text=True, capture_output=True, check=False)
        if listed.returncode:
            raise RuntimeError(f"lint cannot be listed:\n{listed.stderr}")
        jobs = []
        for line in listed.stdout.splitlines():
            found = json.loads(line)
            name, count = found["check"], found.get("shards")
            if count is None:
                jobs.append(self.job("lint", name, [*command, "--only", name], needs=("build/ui",)))
            jobs += [self.job("lint", f"{name} {at} of {count}", [*command, "--only", name, "--shard", f"{at}/{count}"], wall=60.0)
                     for at in range(1, (count or 0) + 1)]
        return jobs

    def fuzz_targets(self):
        return sorted(path.stem for path in (ROOT / "tests/fuzz").glob("*.cpp") if self.given.filter in path.stem)

    def fuzz_jobs(self):
        # Fixed addresses lead the way through compared pointers: nearly the same inputs each time.
        return [self.job("fuzz", name, [*self.fixed_addresses, sys.executable, ROOT / "tests/fuzz/run.py", ROOT / "build/fuzz", "--only", name])
                for name in self.fuzz_targets()]

    def ui_jobs(self):
        if not self.has("ui"):
            return []
        chosen = ["-t", self.given.filter] if self.given.filter else []
        return [self.job("ui", "vitest", ["npm", "test", "--prefix", ROOT / "shell-ui", "--", "--reporter=default", "--reporter=junit",
                                          "--outputFile.junit={results}", *chosen], wall=120.0, needs=("build/ui",))]

    def e2e_jobs(self):
        if not self.has("e2e"):
            return []
        chosen = [f"--test-name-pattern={re.escape(self.given.filter)}"] if self.given.filter else []
        needs = ("build/host", "build/ui", "build/docs")
        more = {"fresh-debian.test.mjs": ("build/sdk", "build/debian")} if self.uses_debian() else {}
        return [self.job("e2e", path.name.removesuffix(".test.mjs"), [
            "node", "--test", "--test-force-exit", "--test-timeout=300000", "--test-reporter=spec", "--test-reporter-destination=stdout",
            "--test-reporter=junit", "--test-reporter-destination={results}", *chosen, path], wall=40.0, needs=(*needs, *more.get(path.name, ())))
            for path in sorted((ROOT / "tests/e2e").glob("*.test.mjs"))]


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, text=True, capture_output=True, check=False).stdout.strip()


def parse():
    parser = argparse.ArgumentParser(prog="./dev test")
    parser.add_argument("filter", nargs="?", default="", help="only tests whose name contains it")
    parser.add_argument("--full", action="store_true", help="everything, nothing sampled; writes tests/full-run.txt")
    parser.add_argument("--only", metavar="PART,...", help=f"some of: {' '.join(PARTS)}")
    parser.add_argument("--asan", dest="preset", action="store_const", const="asan")
    parser.add_argument("--tsan", dest="preset", action="store_const", const="tsan")
    parser.add_argument("--seed", type=int, help="of everything that is drawn by chance; by default made of the tree, the same for the same tree")
    parser.add_argument("--until-fail", metavar="N", type=int, help="repeat up to N times, until something fails")
    parser.add_argument("--stress", metavar="NAME", help=f"{STRESS_RUNS} runs of the tests whose name contains NAME, with {STRESS_LOOPS} busy loops")
    parser.add_argument("--fixed-addresses", metavar="COMMAND", default="", help="a prefix that switches address randomisation off")
    parser.add_argument("--record", action="store_true", help="write how long each job took to tests/durations.json when all passed")
    given = parser.parse_args()
    if given.stress:
        given.filter, given.until_fail = given.stress, given.until_fail or STRESS_RUNS
    sanitizer = given.preset
    given.preset = sanitizer or "gate"
    if given.seed is None:
        given.seed = int((git("rev-parse", "HEAD^{tree}") or "1")[:8], 16)
    given.parts = SANITIZED_PARTS if sanitizer else PARTS
    if given.only:
        names = given.only.split(",")
        if unknown := [name for name in names if name not in PARTS]:
            parser.error(f"there is no part '{unknown[0]}'; there are: {' '.join(PARTS)}")
        given.parts = [part for name in names for part in ALIASES.get(name, (name,)) if part in given.parts]
    return given


def retry(gate, scheduler, outcomes):
    """Runs jobs again, each alone, whose only failures are a few tests that may be flaky; the tests that then passed."""
    failed = {outcome.job.name: report.failures_of(outcome) for outcome in outcomes if outcome.code}
    jobs = {outcome.job.name: outcome.job for outcome in outcomes}
    tests = [(name, test) for name, found in failed.items() for test in found]
    may_retry = all(jobs[name].part in RETRIED_PARTS and found and not any(NEVER_RETRIED.search(test) for test in found)
                    for name, found in failed.items())
    if gate.sanitizer or not tests or len(tests) > MAX_FLAKY or not may_retry:
        return {}
    print(f"==> {len(tests)} failed: running {'it' if len(tests) == 1 else 'them'} again, alone", flush=True)
    flaky = {}
    for name, found in failed.items():
        job = jobs[name]
        again = gate.job(job.part, name.partition("/")[2] + " again", [])
        first = job.environment["DEV_RESULTS"]
        again.command = [word.replace(first, again.environment["DEV_RESULTS"]) for word in job.command]
        again.environment = {**job.environment, **again.environment}
        outcome = scheduler.run([again])[0]
        if outcome.code == 0 and not report.results_of(outcome).failed:
            flaky[name] = list(found)
    return flaky


def repeat(gate, scheduler, count):
    """Runs the tests again and again, from the jobs that a first run found; the outcomes of the last round."""
    tests = [outcome.job for outcome in scheduler.ended if outcome.job.part != "build"]
    for number in range(2, count + 1):
        if any(outcome.code for outcome in scheduler.ended):
            break
        print(f"==> Run {number} of {count}", flush=True)
        for job in tests:
            job.needs, job.then = (), None
        scheduler.run(list(tests))


def main():
    given = parse()
    os.chdir(ROOT)
    gate = Gate(given)
    gate.build.mkdir(parents=True, exist_ok=True)
    lock = open(gate.build / ".dev-test.lock", "w")  # held until this process ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(f"another ./dev test runs in {gate.build.relative_to(ROOT)}: wait until it has ended\n0 passed, 1 failed") from None
    shutil.rmtree(gate.results, ignore_errors=True)
    gate.results.mkdir(parents=True)
    progress = report.Progress()
    scheduler = gate.scheduler = Scheduler(gate.results, gate.environment(), progress)
    print(f"==> Testing ({given.preset}), seed {given.seed}", flush=True)
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(STRESS_LOOPS if given.stress else 0)]
    try:
        outcomes = scheduler.run(gate.first_jobs())
        flaky = {}
        if given.until_fail:
            repeat(gate, scheduler, given.until_fail)
        else:
            flaky = retry(gate, scheduler, outcomes)
    finally:
        for loop in loops:
            loop.kill()
    return report.close(gate, scheduler.ended if given.until_fail else outcomes, flaky, time.monotonic() - progress.started)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        code = main()
    except Exception:  # whatever it is, the last line is a count
        traceback.print_exc()
        print("0 passed, 1 failed")
        code = 1
    sys.exit(code)
