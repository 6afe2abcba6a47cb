"""Runs the unittest files of a folder: python3 tests/run.py FOLDER [NAME-PART] [--engine sqlite|postgresql]

Prints one line a test, writes JUnit to $DEV_RESULTS when set, returns 1 when something failed.
"""

import argparse
import os
import pathlib
import sys
import time
import unittest
import xml.etree.ElementTree as xml


class Results(unittest.TestResult):
    """Prints each outcome as it comes and keeps it for the JUnit file."""

    def __init__(self):
        super().__init__()
        self.suite = xml.Element("testsuite", name="python")
        self.outcome, self.started = None, 0.0
        self.counts = {"ok": 0, "FAILED": 0, "skipped": 0}

    def startTest(self, test):
        super().startTest(test)
        self.outcome, self.started = ("ok", ""), time.monotonic()

    def stopTest(self, test):
        self.record(test.id(), time.monotonic() - self.started, *self.outcome)
        super().stopTest(test)

    def record(self, name, seconds, state, text):
        folder, _, last = name.rpartition(".")
        case = xml.SubElement(self.suite, "testcase", classname=folder, name=last, time=f"{seconds:.3f}")
        if state == "FAILED":
            xml.SubElement(case, "failure").text = "".join(c for c in text if c >= " " or c in "\n\t")
        elif state == "skipped":
            xml.SubElement(case, "skipped", message=text)
        self.counts[state] += 1
        print(f"{state:<8}{name} ({seconds:.1f} s){' ' + text if state == 'skipped' else ''}", flush=True)
        if state == "FAILED":
            print(text, flush=True)

    def describe(self, test, err):
        """The traceback, and what the test knows beside it (a server's log)."""
        notes = test.diagnostics() if hasattr(test, "diagnostics") else ""
        return self._exc_info_to_string(err, test) + notes

    def addFailure(self, test, err):
        self.outcome = ("FAILED", self.describe(test, err))

    def addError(self, test, err):
        text = self.describe(test, err)
        if isinstance(test, unittest.TestCase):
            self.outcome = ("FAILED", text)
        else:  # setUpClass or setUpModule: there is no test to blame
            self.record(str(test), 0.0, "FAILED", text)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            earlier = self.outcome[1] if self.outcome[0] == "FAILED" else ""
            self.outcome = ("FAILED", earlier + f"{subtest}\n" + self.describe(test, err))

    def addSkip(self, test, reason):
        if isinstance(test, unittest.TestCase):
            self.outcome = ("skipped", reason)
        else:
            self.record(str(test), 0.0, "skipped", reason)

    def addUnexpectedSuccess(self, test):
        self.outcome = ("FAILED", "expected to fail, but passed")


def runs_on(engine, suite):
    """The suite without the tests of classes whose `engines` do not have this one; none says sqlite."""
    kept = unittest.TestSuite()
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            kept.addTest(runs_on(engine, test))
        elif engine in getattr(test, "engines", ("sqlite",)):
            kept.addTest(test)
    return kept


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("part", nargs="?", default="")
    arguments.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    given = arguments.parse_args()
    folder, part = given.folder.resolve(), given.part
    os.environ["DEV_ENGINE"] = given.engine
    sys.path.insert(0, str(folder))
    loader = unittest.TestLoader()
    if part:
        loader.testNamePatterns = [f"*{part}*"]
    results = Results()
    suite = loader.discover(str(folder), pattern="*_test.py", top_level_dir=str(folder))
    runs_on(given.engine, suite).run(results)
    if os.environ.get("DEV_RESULTS"):
        xml.ElementTree(results.suite).write(os.environ["DEV_RESULTS"])
    print(f"{results.counts['ok']} passed, {results.counts['FAILED']} failed, {results.counts['skipped']} skipped")
    return 1 if results.counts["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
