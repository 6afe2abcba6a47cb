"""Adds up the JUnit files of ./dev test: a table, the failures, and the last line "N passed, N failed"."""

import itertools
import pathlib
import re
import sys
import xml.etree.ElementTree as xml


def read(path):
    """(passed, failures, skipped) of one JUnit file; failures are (name, message)."""
    passed, failures, skipped = 0, [], []
    # Messages may hold escape sequences for a terminal, which XML forbids.
    text = re.sub(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b\x0c\x0e-\x1f]", "", path.read_text(encoding="utf-8", errors="replace"))
    for case in xml.fromstring(re.sub(r"<\?xml[^>]*\?>", "", text, count=1)).iter("testcase"):
        name = " > ".join(filter(None, (case.get("classname"), case.get("name"))))
        fault = case.find("failure")
        if fault is None:
            fault = case.find("error")
        if fault is not None or case.get("status") == "fail":
            text = fault.text or fault.get("message") or "" if fault is not None else ""
            output = case.findtext("system-out") or ""
            failures.append((name, (text.strip() or output.strip())))
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            skipped.append(name)
        else:
            passed += 1
    return passed, failures, skipped


def shown(text):
    """The failures themselves, where there are many tests in one; else the end of what was printed."""
    lines = text.splitlines()
    begins = [at for at, line in enumerate(lines) if re.search(r":\d+: Failure$|^unknown file: Failure$", line)]
    if not begins:
        return lines[-40:]
    found = []
    for at in begins[:20]:
        found += next(([line] for line in reversed(lines[:at]) if line.startswith("[ RUN")), [])
        found += itertools.takewhile(lambda line: not line.startswith("["), lines[at:at + 12])
    return found


def main():
    folder, parts = pathlib.Path(sys.argv[1]), sys.argv[2:]
    rows, failures, skipped = [], [], []
    for part in parts:
        try:
            passed, failed, left_out = read(folder / f"{part}.xml")
        except (OSError, xml.ParseError) as error:
            passed, failed, left_out = 0, [("no results", str(error))], []
        rows.append((part, passed, len(failed), len(left_out)))
        failures += [(part, name, text) for name, text in failed]
        skipped += [(part, name) for name in left_out]
    for part, name, text in failures:
        print(f"\nFAILED {part}: {name}")
        print("\n".join("    " + line for line in shown(text)))
    for part, name in skipped:
        print(f"skipped {part}: {name}")
    print(f"\n{'part':<14}{'passed':>8}{'failed':>8}{'skipped':>9}")
    for part, passed, failed, left_out in rows:
        print(f"{part:<14}{passed:>8}{failed:>8}{left_out:>9}")
    total = sum(row[1] for row in rows)
    print(f"{total} passed, {len(failures)} failed")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main())
