"""Runs the fuzz targets of a build: python3 tests/fuzz/run.py BUILD [--runs N | --seconds N] [--only NAME | --filter PART]

With --runs every target runs its seeds and then N inputs made from them: nearly the same ones for the same build and DEV_SEED, which is
random where the environment has none. N is 1,000, or 5,000 with DEV_FULL=1.
With --seconds it continues for that long from the corpus kept in BUILD/corpus, and adds to it what reaches new code.
An input under which a property does not hold stays in BUILD/findings/<target>. Writes JUnit to $DEV_RESULTS when set
and returns 1 when something was found.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
# Bytes of an input: enough to pass every limit that a target sets, and quick. Others take MAX_INPUT.
MAX_INPUT = 4_096
MAX_INPUT_OF = {"chunked_body": 4_200, "configuration": 512, "elf": 16_384, "forwarded": 512, "range": 256, "upgrades": 256, "versions": 384}
# How many inputs cost what a thousand of the others do.
SLOW = {"configuration": 0.04, "json": 0.5, "manifest": 0.3, "tables": 0.25, "markdown": 0.5, "upgrades": 0.06}
SYMBOLIZERS = ("/usr/bin/llvm-symbolizer", "/usr/bin/llvm-symbolizer-14")


def targets(part="", only=None):
    """Names of all targets, of those whose name contains a part, or of the one that is called `only`."""
    return sorted(path.stem for path in HERE.glob("*.cpp") if part in path.stem and only in (None, path.stem))


def run_seed():
    """DEV_SEED or a random number."""
    text = os.environ.get("DEV_SEED")
    if text is None:
        return random.randrange(1 << 32)
    if not text.isdecimal():
        sys.exit(f"DEV_SEED is '{text}'; set an integer from 0 to 2^64 - 1")
    return int(text)


def environment():
    known = next((path for path in SYMBOLIZERS if os.path.exists(path)), "")
    return {"UBSAN_OPTIONS": "print_stacktrace=1", "ASAN_SYMBOLIZER_PATH": known,
            "UBSAN_SYMBOLIZER_PATH": known, **os.environ}


def command(build, name, arguments, corpus, findings):
    options = [f"-max_len={MAX_INPUT_OF.get(name, MAX_INPUT)}", "-timeout=10", "-rss_limit_mb=1024", "-print_final_stats=1",
               f"-artifact_prefix={findings}/", "-verbosity=1"]
    dictionary = HERE / "dictionaries" / f"{name}.dict"
    if dictionary.exists():
        options.append(f"-dict={dictionary}")
    if arguments.seconds:
        options.append(f"-max_total_time={arguments.seconds}")
    else:
        seeds = sum(1 for path in (HERE / "seeds" / name).iterdir())
        # libFuzzer counts the seeds, too, and takes 32 bits, of which 0 is random.
        options += [f"-runs={seeds + max(1, int(arguments.runs * SLOW.get(name, 1)))}", f"-seed={arguments.seed % 0xffffffff + 1}"]
    return [str(build / "tests" / name), *options, str(corpus), str(HERE / "seeds" / name)]


def fuzz(build, name, arguments):
    """(name, seconds, output, whether nothing was found)"""
    findings = build / "findings" / name
    findings.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as empty:
        corpus = pathlib.Path(empty)
        if arguments.seconds:
            corpus = build / "corpus" / name
            corpus.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(command(build, name, arguments, corpus, findings), env=environment(), text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return name, time.monotonic() - started, done.stdout, done.returncode == 0


def without_progress(output):
    """The output of libFuzzer without its lines about new inputs and functions, which hide what failed."""
    return "".join(line for line in output.splitlines(keepends=True) if not re.match(r"#\d+\t|\s*NEW_FUNC\[", line))


def summary(output):
    """Summarizes the output of libFuzzer: inputs run, edges covered at the beginning and the end."""
    executed = re.search(r"stat::number_of_executed_units: (\d+)", output)
    covered = re.findall(r"cov: (\d+)", output)
    first = re.search(r"INITED cov: (\d+)", output)
    return (f"{executed[1] if executed else '?'} inputs, "
            f"coverage {first[1] if first else '?'} → {covered[-1] if covered else '?'}")


def main():
    parser = argparse.ArgumentParser(prog="./dev fuzz")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5000 if os.environ.get("DEV_FULL") == "1" else 1000)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--filter", default="", help="part of the name of a target")
    parser.add_argument("--only", help="name of a target")
    arguments = parser.parse_args()
    arguments.seed = run_seed()
    names = targets(arguments.filter, arguments.only)
    if not names:
        wanted = f"has '{arguments.filter}' in its name" if arguments.only is None else f"is called '{arguments.only}'"
        sys.exit(f"no target {wanted}; there are {', '.join(targets())}")
    build = arguments.build.resolve()
    suite = xml.Element("testsuite", name="fuzz")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for name, seconds, output, is_good in pool.map(lambda name: fuzz(build, name, arguments), names):
            case = xml.SubElement(suite, "testcase", classname="fuzz", name=name, time=f"{seconds:.1f}")
            print(f"{'ok' if is_good else 'FOUND':<7}{name:<16}{summary(output)} ({seconds:.1f} s)", flush=True)
            if not is_good:
                failed += 1
                if not arguments.seconds:
                    output += f"\nrepeat with --runs {arguments.runs} and DEV_SEED={arguments.seed}\n"
                text = "".join(c for c in without_progress(output) if c >= " " or c in "\n\t")
                xml.SubElement(case, "failure").text = text[-8000:]
                print("\n".join(text.splitlines()[-40:]), flush=True)
    if os.environ.get("DEV_RESULTS"):
        xml.ElementTree(suite).write(os.environ["DEV_RESULTS"])
    print(f"{len(names) - failed} targets found nothing, {failed} did")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
