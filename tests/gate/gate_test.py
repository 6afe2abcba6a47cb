"""./dev test itself: its scheduler, its second tries, what it counts and prints."""

import contextlib
import datetime
import io
import pathlib
import sys
import tempfile
import textwrap
import time
import types
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "dev"))

import gate as gate_module  # noqa: E402
import report  # noqa: E402
from scheduler import Job, Scheduler  # noqa: E402

JUNIT = """<testsuite>{}</testsuite>"""
PASSED = '<testcase classname="Suite" name="passes"/>'
FAILED = '<testcase classname="Suite" name="{}"><failure>expected 1, got 2</failure></testcase>'


class Silent:
    def ended(self, *_):
        pass

    def quiet(self, *_):
        pass


class GateCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scheduler = self.new_scheduler(4)

    def new_scheduler(self, capacity):
        return Scheduler(self.folder, {"PATH": "/usr/bin:/bin"}, Silent(), capacity)

    def job(self, name, script, part="unit", **options):
        return Job(name, part, ["sh", "-c", f"cd {self.folder}; {script}"], options.pop("environment", {}), **options)

    def order(self):
        return (self.folder / "order").read_text().split()


class Scheduling(GateCase):
    def test_reports_how_each_job_ended(self):
        outcomes = self.scheduler.run([self.job("good", "true"), self.job("bad", "exit 3"), self.job("killed", "kill -9 $$")])
        self.assertEqual({"good": 0, "bad": 3, "killed": -9}, {one.job.name: one.code for one in outcomes})

    def test_starts_the_longest_first(self):
        jobs = [self.job(name, f"echo {name} >> order", wall=wall) for name, wall in (("short", 1), ("long", 9), ("middle", 5))]
        self.new_scheduler(1).run(jobs)
        self.assertEqual(["long", "middle", "short"], self.order())

    def test_never_exceeds_its_capacity(self):
        jobs = [self.job(f"heavy {at}", "mkdir lock && sleep 0.03 && rmdir lock", weight=1.5) for at in range(4)]
        self.assertEqual([0] * 4, [one.code for one in self.new_scheduler(2.5).run(jobs)])

    def test_runs_jobs_side_by_side(self):
        # Each waits for the other.
        waits_for = "touch {0}; while [ ! -e {1} ]; do sleep 0.01; done"
        outcomes = self.scheduler.run([self.job("a", waits_for.format("a", "b"), timeout=30), self.job("b", waits_for.format("b", "a"), timeout=30)])
        self.assertEqual([0, 0], [one.code for one in outcomes])

    def test_runs_a_job_alone_after_the_others(self):
        alone = self.job("alone", "echo alone >> order; mkdir lock && sleep 0.03 && rmdir lock", wall=100, alone=True, weight=0.1)
        second = self.job("second", "echo alone >> order; mkdir lock && rmdir lock", alone=True, weight=0.1)
        others = [self.job(f"other {at}", "mkdir lock 2>/dev/null; sleep 0.02; echo other >> order; rmdir lock 2>/dev/null; true", weight=0.1)
                  for at in range(5)]
        self.assertEqual({0}, {one.code for one in self.scheduler.run([alone, second, *others])})
        self.assertEqual(["other"] * 5 + ["alone"] * 2, self.order())

    def test_runs_a_job_after_those_that_it_needs(self):
        self.scheduler.run([self.job("test", "echo test >> order", wall=9, needs=("build",)), self.job("build", "sleep 0.02; echo build >> order")])
        self.assertEqual(["build", "test"], self.order())

    def test_fails_a_job_whose_build_failed(self):
        outcomes = self.scheduler.run([self.job("test", "touch ran", needs=("build",)), self.job("build", "false")])
        self.assertEqual({"build": 1, "test": 1}, {one.job.name: one.code for one in outcomes})
        self.assertFalse((self.folder / "ran").exists())

    def test_adds_the_jobs_that_follow(self):
        outcomes = self.scheduler.run([self.job("build", "true", then=lambda: [self.job("test", "true")])])
        self.assertEqual(["build", "test"], [one.job.name for one in outcomes])

    def test_fails_a_job_whose_followers_cannot_be_listed(self):
        def cannot():
            raise RuntimeError("no such folder")
        outcome = self.scheduler.run([self.job("build", "true", then=cannot)])[0]
        self.assertEqual(1, outcome.code)
        self.assertIn("no such folder", outcome.problem)

    def test_refuses_jobs_that_wait_for_nothing(self):
        with self.assertRaisesRegex(RuntimeError, "lost"):
            self.scheduler.run([self.job("lost", "true", needs=("never",))])

    def test_kills_a_late_job_with_its_children(self):
        outcome = self.scheduler.run([self.job("late", "(sleep 2; touch survived) & sleep 60", timeout=0.2)])[0]
        self.assertIn("killed after", outcome.problem)
        self.assertLess(outcome.wall, 50)
        self.assertFalse((self.folder / "survived").exists())

    def test_ends_what_a_job_left_running(self):
        self.scheduler.run([self.job("leaves", "sleep 60 & echo $! > child")])
        stat = pathlib.Path("/proc", (self.folder / "child").read_text().strip(), "stat")
        deadline = time.monotonic() + 60
        # Killed, and perhaps not reaped yet.
        while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] not in "ZX":
            self.assertLess(time.monotonic(), deadline, "still running")
            time.sleep(0.01)

    def test_counts_the_processor_time_of_children(self):
        outcome = self.scheduler.run([self.job("busy", "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'")])[0]
        self.assertGreater(outcome.cpu, 0.02)


class Counting(GateCase):
    def setUp(self):
        super().setUp()
        given = types.SimpleNamespace(preset="gate", full=False, filter="", only=None, record=False, seed=7, fixed_addresses="", parts=gate_module.PARTS)
        self.gate = gate_module.Gate(given)
        self.gate.results, self.gate.scheduler = self.folder, self.scheduler
        self.gate.part_seconds = {}

    def junit_job(self, name="job", cases=PASSED, code=0, again=None, part="unit"):
        """A job that writes these results, and others when it runs again."""
        script = f"cat > $DEV_RESULTS <<'END'\n{JUNIT.format(cases)}\nEND\nexit {code}"
        if again is not None:
            script = f"if [ -e {name} ]; then\ncat > $DEV_RESULTS <<'END'\n{JUNIT.format(again)}\nEND\nexit 0\nfi\ntouch {name}\n" + script
        return self.gate.job(part, name, ["sh", "-c", f"cd {self.folder}; {script}"])

    def run_gate(self, *jobs):
        """(exit code, lines that were printed)."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            outcomes = self.scheduler.run(list(jobs))
            code = report.close(self.gate, outcomes, gate_module.retry(self.gate, self.scheduler, outcomes), 12)
        return code, printed.getvalue().splitlines()

    def test_ends_with_the_counts(self):
        code, lines = self.run_gate(self.junit_job("a"), self.junit_job("b", PASSED + '<testcase classname="Suite" name="two"/>'))
        self.assertEqual((0, "3 passed, 0 failed", "0 flaky"), (code, lines[-1], lines[-2]))
        self.assertRegex("\n".join(lines), r"\nwhole run: 12 s, \d+ s CPU, \d+ processors\n")

    def test_a_failing_test_fails_it(self):
        code, lines = self.run_gate(self.junit_job("a", PASSED + FAILED.format("fails"), code=1, part="faults"))
        self.assertEqual((1, "1 passed, 1 failed"), (code, lines[-1]))
        self.assertIn("FAILED faults: Suite > fails", lines)
        self.assertEqual("failed faults: Suite > fails", lines[-3])

    def test_shows_every_traceback_before_a_long_log(self):
        (self.folder / "long_test.py").write_text(textwrap.dedent("""
            import unittest
            class Long(unittest.TestCase):
                def test_fails(self):
                    for at in range(2):
                        with self.subTest(at=at):
                            self.fail(f"reason {at}")
                    self.fail("reason 2")
                def tearDown(self):
                    self.fail("reason 3")
                def diagnostics(self):
                    return "server log:\\n" + "a line\\n" * 80
        """))
        job = self.gate.job("faults", "long", [sys.executable, str(report.ROOT / "tests" / "run.py"), str(self.folder)])
        code, lines = self.run_gate(job)
        self.assertEqual((1, "0 passed, 1 failed"), (code, lines[-1]))
        for reason in range(4):
            self.assertIn(f"    AssertionError: reason {reason}", lines)
        self.assertLess(len(lines), 200)

    def test_a_failing_test_with_exit_0_fails(self):
        code, lines = self.run_gate(self.junit_job("a", PASSED + FAILED.format("fails"), code=0))
        self.assertEqual((1, "1 passed, 1 failed"), (code, lines[-1]))

    def test_a_crash_without_results_fails_it(self):
        job = self.junit_job("a")
        job.command = ["sh", "-c", "echo so far; kill -SEGV $$"]
        code, lines = self.run_gate(job, self.junit_job("b"))
        self.assertEqual((1, "1 passed, 1 failed"), (code, lines[-1]))
        self.assertIn("    so far", lines)

    def test_a_crash_after_results_fails_it(self):
        code, lines = self.run_gate(self.junit_job("a", PASSED, code=139))
        self.assertEqual((1, "1 passed, 1 failed"), (code, lines[-1]))

    def test_no_tests_at_all_fail_it(self):
        code, lines = self.run_gate(self.junit_job("a", ""))
        self.assertEqual((1, "0 passed, 0 failed"), (code, lines[-1]))

    def test_a_test_that_passes_later_is_flaky(self):
        code, lines = self.run_gate(self.junit_job("a", PASSED + FAILED.format("may"), code=1, again=PASSED))
        self.assertEqual((0, "2 passed, 0 failed", "1 flaky"), (code, lines[-1], lines[-2]))
        self.assertTrue(any(line.startswith("FLAKY Suite > may") for line in lines))
        self.assertTrue(any("add: " in line and "Suite_>_may" in line for line in lines))

    def test_a_test_that_fails_twice_has_failed(self):
        code, lines = self.run_gate(self.junit_job("a", FAILED.format("fails"), code=1))
        self.assertEqual((1, "0 passed, 1 failed", "0 flaky"), (code, lines[-1], lines[-2]))

    def test_a_second_try_with_a_failure_fails(self):
        code, lines = self.run_gate(self.junit_job("a", FAILED.format("fails"), code=1, again=FAILED.format("fails")))
        self.assertEqual((1, "0 passed, 1 failed", "0 flaky"), (code, lines[-1], lines[-2]))

    def test_no_second_try_for_race_prone_tests(self):
        for part in ("faults", "abi", "package", "fuzz", "architecture", "lint"):
            with self.subTest(part):
                code, lines = self.run_gate(self.junit_job(part, FAILED.format("may"), code=1, again=PASSED, part=part))
                self.assertEqual((1, "0 passed, 1 failed"), (code, lines[-1]))
        for name in ("IsWholeWhereverItIsKilled", "test_a_crash"):
            with self.subTest(name):
                code, lines = self.run_gate(self.junit_job(name, FAILED.format(name), code=1, again=PASSED))
                self.assertEqual((1, "0 passed, 1 failed"), (code, lines[-1]))

    def test_no_second_try_under_a_sanitizer(self):
        self.gate.sanitizer = True
        code, lines = self.run_gate(self.junit_job("a", FAILED.format("may"), code=1, again=PASSED))
        self.assertEqual((1, "0 passed, 1 failed"), (code, lines[-1]))

    def test_more_than_three_flaky_tests_fail_it(self):
        cases = "".join(FAILED.format(f"may_{at}") for at in range(4))
        code, lines = self.run_gate(self.junit_job("a", cases, code=1, again=PASSED))
        self.assertEqual((1, "0 passed, 4 failed"), (code, lines[-1]))

    def test_warns_of_a_part_that_grew(self):
        known = {"unit": 100, "e2e": 100, "lint": 100, "build": 100}
        # Twice as slow a machine, and e2e in addition.
        found = list(report.growth_warnings(known, {"unit": 200, "e2e": 260, "lint": 200, "build": 900}))
        self.assertEqual(1, len(found))
        self.assertIn("e2e", found[0])
        self.assertEqual([], list(report.growth_warnings(known, {"unit": 200, "e2e": 240, "lint": 200})))

    def test_warns_of_flaky_tests_that_stay(self):
        today = datetime.date(2026, 3, 20)
        listed = self.folder / "flaky.txt"
        listed.write_text("# date name what\n2026-03-01 Suite_>_old failed under load\n2026-03-19 Suite_>_new failed once\n")
        with unittest.mock.patch.object(report, "FLAKY", listed):
            found = list(report.flaky_warnings({"unit/a": ["Suite > new", "Suite > other"]}, today))
        self.assertEqual(2, len(found), found)
        self.assertIn("add: 2026-03-20 Suite_>_other", found[0])
        self.assertIn("Suite_>_old", found[1])

    def test_warns_if_the_last_whole_run_is_old(self):
        def warning(counted, days, ancestor=0):
            def git(*words):
                return types.SimpleNamespace(returncode=ancestor, stdout=f"{counted}\n")
            with unittest.mock.patch.object(report, "git", git), unittest.mock.patch.object(report, "FULL_RUN", self.folder / "full-run.txt"):
                return report.full_run_warning(datetime.date(2026, 3, 1) + datetime.timedelta(days))
        self.assertIn("no whole run", warning(0, 0))
        (self.folder / "full-run.txt").write_text("abc 2026-03-01 seed 7: 5 passed, 0 failed\n")
        self.assertIsNone(warning(40, 7))
        self.assertIn("41 commits", warning(41, 0))
        self.assertIn("8 days", warning(0, 8))
        self.assertIn("no ancestor", warning(0, 0, ancestor=1))

    def test_writes_durations_that_it_reads(self):
        outcomes = self.scheduler.run([self.junit_job("a"), self.junit_job("b")])
        report.record(self.folder / "durations.json", outcomes, {"unit": 3.4})
        with unittest.mock.patch.object(gate_module, "ROOT", self.folder):
            (self.folder / "tests").mkdir()
            (self.folder / "durations.json").rename(self.folder / "tests" / "durations.json")
            known = gate_module.Gate(self.gate.given)
        self.assertEqual({"unit": 3}, known.part_seconds)
        self.assertEqual({"unit/a", "unit/b"}, set(known.durations))


if __name__ == "__main__":
    unittest.main()
