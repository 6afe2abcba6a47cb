"""The output of ./dev test: a line a job while it runs, then failures, costs, warnings, and the last line "N passed, N failed"."""

import collections
import dataclasses
import datetime
import itertools
import json
import os
import pathlib
import re
import statistics
import subprocess
import time
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]
FULL_RUN = ROOT / "tests" / "full-run.txt"
FLAKY = ROOT / "tests" / "flaky.txt"
# A record of a whole run that is older is worth a warning.
MAX_COMMITS_SINCE_FULL, MAX_DAYS_SINCE_FULL = 40, 7
# Lines of tests/flaky.txt, and days that one may stay there.
MAX_FLAKY_LISTED, MAX_FLAKY_DAYS = 10, 14
# A part that takes so many times what tests/durations.json says, when the machine's speed is taken out, is worth a warning.
MAX_GROWTH = 1.25
SLOWEST = 10
MAX_LOG_LINES, MAX_TRACEBACK_LINES = 60, 40


@dataclasses.dataclass
class Results:
    """Of one JUnit file: names of tests; `failed` has the message of each."""

    passed: list = dataclasses.field(default_factory=list)
    failed: dict = dataclasses.field(default_factory=dict)
    skipped: list = dataclasses.field(default_factory=list)


def read(path):
    results = Results()
    # Messages may hold escape sequences for a terminal, which XML forbids.
    text = re.sub(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b\x0c\x0e-\x1f]", "", pathlib.Path(path).read_text(encoding="utf-8", errors="replace"))
    for case in xml.fromstring(re.sub(r"<\?xml[^>]*\?>", "", text, count=1)).iter("testcase"):
        name = " > ".join(filter(None, (case.get("classname"), case.get("name"))))
        fault = case.find("failure")
        if fault is None:
            fault = case.find("error")
        if fault is not None or case.get("status") == "fail":
            said = fault.text or fault.get("message") or "" if fault is not None else ""
            results.failed[name] = said.strip() or (case.findtext("system-out") or "").strip()
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            results.skipped.append(name)
        else:
            results.passed.append(name)
    return results


def results_of(outcome):
    """The tests of a job; a job that failed without saying by which test counts as one that failed."""
    path = outcome.job.environment.get("DEV_RESULTS")
    results, problem = Results(), outcome.problem
    if path:
        try:
            results = read(path)
        except (OSError, xml.ParseError) as error:
            problem = problem or f"left no results: {error}"
    if problem and not results.failed:
        results.failed[outcome.job.name] = problem + "\n" + log_of(outcome)
    return results


def failures_of(outcome):
    """Names of the tests that failed by their own account: a job that was killed or crashed has none."""
    failed = results_of(outcome).failed
    return [] if outcome.job.name in failed else list(failed)


def log_of(outcome):
    if outcome.log is None or not outcome.log.is_file():
        return ""
    return outcome.log.read_text(errors="replace")


def shown(text):
    """Returns the failures of GoogleTest or Python if they can be found; for other output also its end."""
    lines = text.splitlines()
    begins = [at for at, line in enumerate(lines) if re.search(r":\d+: Failure$|^unknown file: Failure$", line)]
    found = []
    for at in begins[:20]:
        found += next(([line] for line in reversed(lines[:at]) if line.startswith("[ RUN")), [])
        found += itertools.takewhile(lambda line: not line.startswith("["), lines[at:at + 12])
    if begins:
        return found
    end = max(0, len(lines) - MAX_LOG_LINES)
    # A server's log follows a traceback, and can push it out of the last lines.
    for at in [at for at, line in enumerate(lines[:end]) if line.startswith("Traceback (")][:10]:
        found += lines[max(0, at - 1):at]
        found += itertools.takewhile(lambda line: line != "server log:", lines[at:min(end, at + MAX_TRACEBACK_LINES)])
    return found + lines[end:]


class Progress:
    """Prints as jobs end."""

    def __init__(self):
        self.started = time.monotonic()

    def ended(self, outcome, done, total):
        state = "FAILED" if outcome.code else "ok"
        minutes, seconds = divmod(int(time.monotonic() - self.started), 60)
        print(f"{minutes:3}:{seconds:02} [{done}/{total}] {state:<7}{outcome.job.name} ({outcome.wall:.1f} s, {outcome.cpu:.1f} s CPU)", flush=True)
        if outcome.code:
            print("\n".join("    " + line for line in shown(log_of(outcome))), flush=True)

    def quiet(self, running, waiting):
        print(f"    running: {', '.join(running)}; {waiting} wait", flush=True)


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, text=True, capture_output=True, check=False)


def full_run_warning(today):
    """Returns a warning if the last whole run in tests/full-run.txt is long ago."""
    again = "run ./dev test --full and commit tests/full-run.txt"
    if not FULL_RUN.is_file():
        return f"no whole run is recorded: {again}"
    commit, date = FULL_RUN.read_text().split()[:2]
    if git("merge-base", "--is-ancestor", commit, "HEAD").returncode != 0:
        return f"the last whole run was of a commit that is no ancestor of this one: {again}"
    count = int(git("rev-list", "--count", f"{commit}..HEAD").stdout)
    days = (today - datetime.date.fromisoformat(date)).days
    if count > MAX_COMMITS_SINCE_FULL or days > MAX_DAYS_SINCE_FULL:
        return f"the last whole run was {count} commits and {days} days ago: {again}"
    return None


def flaky_warnings(flaky, today):
    """Lines to add to tests/flaky.txt, those that are there for too long, and too many of them."""
    listed = [line.split(maxsplit=2) for line in (FLAKY.read_text().splitlines() if FLAKY.is_file() else [])
              if line.strip() and not line.startswith("#")]
    known = {name for _, name, *_ in listed}
    for name in sorted({test.replace(" ", "_") for found in flaky.values() for test in found} - known):
        yield f"flaky and not in tests/flaky.txt yet; add: {today} {name} WHAT WAS SEEN"
    for date, name, *_ in listed:
        if (today - datetime.date.fromisoformat(date)).days > MAX_FLAKY_DAYS:
            yield f"flaky for more than {MAX_FLAKY_DAYS} days: {name}"
    if len(listed) > MAX_FLAKY_LISTED:
        yield f"tests/flaky.txt has {len(listed)} lines, at most {MAX_FLAKY_LISTED} are allowed"


def growth_warnings(known, spent):
    """Parts that take more processor time than recorded, relative to the others: machines differ."""
    ratios = {part: spent[part] / known[part] for part in spent if part != "build" and known.get(part, 0) >= 5}
    if len(ratios) < 3:
        return
    speed = statistics.median(ratios.values())
    for part, ratio in sorted(ratios.items()):
        if ratio > MAX_GROWTH * speed:
            yield (f"{part} takes {spent[part]:.0f} s of CPU, {ratio / speed:.2f} times what tests/durations.json says "
                   f"(this machine takes {speed:.2f} times as long): look for the cause, or ./dev test --record")


def record(path, outcomes, spent):
    jobs = {outcome.job.name: [round(outcome.wall, 1), round(outcome.cpu, 1)] for outcome in outcomes if outcome.job.part != "build"}
    parts = {part: round(seconds) for part, seconds in spent.items()}

    def lines(table):
        return ",\n".join(f"    {json.dumps(name)}: {json.dumps(table[name])}" for name in sorted(table))

    # As prettier wants it.
    path.write_text(f'{{\n  "parts": {{\n{lines(parts)}\n  }},\n  "jobs": {{\n{lines(jobs)}\n  }}\n}}\n')


def record_full_run(seed, passed, today):
    if git("status", "--porcelain").stdout.strip():
        print("tests/full-run.txt is not written: there are changes that are not committed")
        return
    FULL_RUN.write_text(f"{git('rev-parse', 'HEAD').stdout.strip()} {today} seed {seed}: {passed} passed, 0 failed\n")
    print("tests/full-run.txt is written; commit it")


def close(gate, outcomes, flaky, seconds):
    """Prints everything after the last job, and returns the exit code. `flaky`: names of tests by job, which passed the second time; `seconds`: since the start."""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0.0, 0.0])
    failures, skipped, spent = [], [], collections.defaultdict(float)
    for outcome in outcomes:
        part, results = outcome.job.part, results_of(outcome)
        forgiven = flaky.get(outcome.job.name, [])
        row = rows[part]
        row[0] += len(results.passed) + len(forgiven)
        row[2] += len(results.skipped)
        row[3] += outcome.wall
        row[4] += outcome.cpu
        spent[part] += outcome.cpu
        skipped += [(part, name) for name in results.skipped]
        for name, text in results.failed.items():
            if name not in forgiven:
                row[1] += 1
                failures.append((part, name, text))
    for part, name, text in failures:
        print(f"\nFAILED {part}: {name}")
        print("\n".join("    " + line for line in shown(text)))
    for part, name in skipped:
        print(f"skipped {part}: {name}")
    print(f"\n{'part':<24}{'passed':>8}{'failed':>8}{'skipped':>9}{'job s':>9}{'CPU s':>9}")
    for part, (passed, failed, left_out, wall, cpu) in rows.items():
        print(f"{part:<24}{passed:>8}{failed:>8}{left_out:>9}{wall:>9.0f}{cpu:>9.0f}")
    print(f"whole run: {seconds:.0f} s, {sum(spent.values()):.0f} s CPU, {os.cpu_count()} processors")
    print("\nslowest jobs")
    for outcome in sorted(outcomes, key=lambda one: -one.wall)[:SLOWEST]:
        print(f"{outcome.wall:>9.1f} s{outcome.cpu:>9.1f} s CPU  {outcome.job.name}")
    total = sum(row[0] for row in rows.values())
    today = datetime.date.today()
    is_whole = not (gate.given.filter or gate.given.only or gate.sanitizer)
    if is_whole and not failures:
        if gate.given.record and not gate.given.full:
            record(gate.durations_file, outcomes, spent)
        if gate.given.full and not flaky:
            record_full_run(gate.given.seed, total, today)
    warnings = list(flaky_warnings(flaky, today))
    if is_whole and not gate.given.full:
        warnings += filter(None, [full_run_warning(today)])
        warnings += growth_warnings(gate.part_seconds, spent)
    for warning in warnings:
        print(f"warning: {warning}")
    for name in itertools.chain.from_iterable(flaky.values()):
        print(f"FLAKY {name}: failed, then passed alone")
    # Once more, without what each said: the last lines of a long output are those that are read.
    for part, name, _ in failures:
        print(f"failed {part}: {name}")
    print(f"{sum(map(len, flaky.values()))} flaky")
    print(f"{total} passed, {len(failures)} failed")
    return 1 if failures or not total else 0
