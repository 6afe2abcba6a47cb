"""Runs the unittest files of a folder and its subfolders: python3 tests/run.py FOLDER [NAME-PART] [--engine sqlite|postgresql] [--class MODULE.CLASS]

Prints one line a test, writes JUnit to $DEV_RESULTS when set, returns 1 when something failed.
"""

import argparse
import json
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
        """Returns the traceback and the details of the test (the log of a server)."""
        notes = test.diagnostics() if hasattr(test, "diagnostics") else ""
        return self._exc_info_to_string(err, test) + notes

    def fail(self, text):
        """Adds the error after those of subtests or of the test before its tearDown."""
        earlier = self.outcome[1] + "\n" if self.outcome[0] == "FAILED" else ""
        self.outcome = ("FAILED", earlier + text)

    def addFailure(self, test, err):
        self.fail(self.describe(test, err))

    def addError(self, test, err):
        text = self.describe(test, err)
        if isinstance(test, unittest.TestCase):
            self.fail(text)
        else:  # setUpClass or setUpModule: there is no test to blame
            self.record(str(test), 0.0, "FAILED", text)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.fail(f"{subtest}\n" + self.describe(test, err))

    def addSkip(self, test, reason):
        if isinstance(test, unittest.TestCase):
            self.outcome = ("skipped", reason)
        else:
            self.record(str(test), 0.0, "skipped", reason)

    def addUnexpectedSuccess(self, test):
        self.outcome = ("FAILED", "expected to fail, but passed")


def classes_of(folder, engine, part, modules="*_test"):
    """The test classes of a folder that run on this engine, each with its tests whose name contains `part`."""
    loader = unittest.TestLoader()
    if part:
        loader.testNamePatterns = [f"*{part}*"]
    found = {}
    # The folder and its subfolders are no packages: a module has the name of its file, which no two of them share.
    for parent in sorted({path.parent for path in folder.rglob(f"{modules}.py")}):
        for test in flat(loader.discover(str(parent), pattern=f"{modules}.py", top_level_dir=str(parent))):
            # A module that cannot be imported is a test of unittest's own that fails: it runs on any engine.
            if engine in getattr(test, "engines", ("sqlite",)) or isinstance(test, unittest.loader._FailedTest):
                found.setdefault(type(test), []).append(test)
    return found


def flat(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def name_of(kind, tests):
    """`module.Class`; of a module that cannot be imported, the module."""
    return tests[0].id().rpartition(".")[2] if kind is unittest.loader._FailedTest else f"{kind.__module__}.{kind.__qualname__}"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("part", nargs="?", default="")
    arguments.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    arguments.add_argument("--class", dest="one", metavar="MODULE.CLASS", help="run this class alone")
    arguments.add_argument("--list", action="store_true", help="print the classes as JSON lines and run nothing")
    given = arguments.parse_args()
    folder = given.folder.resolve()
    os.environ["DEV_ENGINE"] = given.engine
    sys.path.insert(0, str(folder))
    found = classes_of(folder, given.engine, given.part, given.one.partition(".")[0] if given.one else "*_test")
    if given.list:
        for kind, tests in found.items():
            print(json.dumps({"class": name_of(kind, tests), "tests": len(tests), "alone": getattr(kind, "alone", False) is True}))
        return 0
    results = Results()
    suite = unittest.TestSuite(unittest.TestSuite(tests) for kind, tests in found.items()
                               if given.one in (None, name_of(kind, tests)))
    if given.one and not suite.countTestCases():
        sys.exit(f"tests/run.py: {given.folder} has no class {given.one} for {given.engine}")
    suite.run(results)
    if os.environ.get("DEV_RESULTS"):
        xml.ElementTree(results.suite).write(os.environ["DEV_RESULTS"])
    print(f"{results.counts['ok']} passed, {results.counts['FAILED']} failed, {results.counts['skipped']} skipped")
    return 1 if results.counts["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
