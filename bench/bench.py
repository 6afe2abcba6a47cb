#!/usr/bin/env python3
"""Measures Tenon and its peers on this machine and writes the table into bench/README.md.

Both sides of a ratio run interleaved, round after round, and the medians are compared: absolute figures drift with
the machine, ratios hold. Requests are counted per CPU-second of the server (/proc/<pid>/stat), because the load generator
shares the cores.
"""

import argparse
import importlib
import os
import pathlib
import platform
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check  # noqa: E402
import cpu_profile  # noqa: E402
import picture  # noqa: E402
from results import as_section  # noqa: E402
from servers.processes import version_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "bench" / "README.md"
PICTURE = ROOT / "docs" / "images" / "bench.svg"
# Each a module of parts/ with measure(arguments) -> a results.Section, or the lines of one, in this order.
PARTS = ("http", "static", "crossing", "streams", "records", "data", "start", "writes", "crash", "unread", "upgrades", "changes", "many", "growth")


def write_readme(sections, arguments):
    text = README.read_text(encoding="utf-8")
    begin, end = "<!-- results -->", "<!-- /results -->"
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    facts = (f"{os.cpu_count()} cores, Linux {platform.release().split('-')[0]}, {version_of('nginx', '-v')}, {version_of('wrk', '-v')}; "
             f"medians of {arguments.rounds} interleaved rounds of {arguments.seconds} s. Made by `./dev bench`.")
    body = "\n\n".join("\n".join(section.lines) for section in sections)
    README.write_text(f"{head}{begin}\n{facts}\n\n{body}\n{end}{tail}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds of every comparison (5)")
    parser.add_argument("--seconds", type=int, default=3, help="of load a round (3)")
    parser.add_argument("parts", nargs="*", metavar="PART", help="some of: " + " ".join(PARTS) + " (all)")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")],
                        help="records of the part growth (10000,100000,1000000); 10000000 takes half an hour")
    parser.add_argument("--dry", action="store_true", help="do not write the README")
    parser.add_argument("--check", action="store_true",
                        help="instead: count the instructions of hot paths and compare them with bench/baseline.json")
    parser.add_argument("--profile", metavar="NAME", help="instead: where the time goes, by perf, into bench/profiles/NAME.txt")
    parser.add_argument("--update", action="store_true", help="with --check: rewrite bench/baseline.json")
    arguments = parser.parse_args()
    arguments.build = pathlib.Path(os.environ.get("DEV_BUILD", ROOT / "build" / "release")).resolve()
    if arguments.update and not arguments.check:
        parser.error("--update goes with --check")
    if arguments.check:
        return check.run(arguments.build, arguments.update)
    if arguments.profile:
        return cpu_profile.run(arguments.build, arguments.profile, arguments.seconds)
    chosen = arguments.parts or PARTS
    for name in chosen:
        if name not in PARTS:
            parser.error(f"unknown part '{name}'; there are {', '.join(PARTS)}")
    sections = []
    for name in chosen:
        print(f"{name}:", flush=True)
        sections.append(as_section(importlib.import_module(f"parts.{name}").measure(arguments)))
    if arguments.dry or set(chosen) != set(PARTS):
        print("\n\n".join("\n".join(section.lines) for section in sections))
    else:
        write_readme(sections, arguments)
        picture.write([chart for section in sections for chart in section.charts], PICTURE)
        print(f"written to {README.relative_to(ROOT)} and {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
