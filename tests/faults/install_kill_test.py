"""kill -9 at each system call by which installing, upgrading, rolling back and removing change files, data that go out and come back too:
wholly the old or wholly the new."""

import collections
import concurrent.futures
import contextlib
import http.client
import shutil
import subprocess
import tempfile
import traceback
import unittest

from calls import KILLED, Calls, may_trace
from plugin_changes import CHANGES, EXPORTED, NEW, OLD, PHASED, Place, State, Stock, classes_by_change, tenon
from sampling import FULL, chance, repeat

# Of the calls of a kind that a change makes more than FEW times, every STEP-th is met, of the others every RARE_STEP-th; which ones is
# left to the seed.
FEW = 8
STEP, RARE_STEP = (1, 1) if FULL else (24, 4)
# Threads take turns, so that a run may make fewer calls than the one before: it is made again at its own last call, so many times.
TRIES = 4
INSTALL, UPGRADE, ROLLBACK, KEEP, PURGE, EXPORT, TAKE_BACK = CHANGES
# What is done where a change was done already, and what is there then.
FURTHER = {
    INSTALL: (UPGRADE, State("1.1.0", (), "1.0.0")),
    UPGRADE: (ROLLBACK, OLD),
    ROLLBACK: (UPGRADE, State("1.1.0", ("one",), "1.0.0")),
    KEEP: (UPGRADE, State("1.1.0", NEW.titles)),
    PURGE: (INSTALL, INSTALL.after),
    EXPORT: (TAKE_BACK, TAKE_BACK.after),
    TAKE_BACK: (PURGE, EXPORTED),
    PHASED: (ROLLBACK, State("1.1.0", NEW.titles)),
}
# Calls that change files and that calls.c does not know.
UNKNOWN = ("creat", "openat2", "truncate", "pwritev2", "sendfile", "splice", "io_uring_setup", "io_submit", "symlink", "symlinkat",
           "mknod", "mknodat", "chmod", "fchmodat", "chown", "utimensat", "setxattr", "fsetxattr", "syncfs", "sync")


def broken_off(place, change, prefix):
    """Without a server: what the command said and how it ended."""
    done = subprocess.run([*prefix, *place.command(change)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, KILLED), done
    return done.returncode, bool(done.stdout)


def broken_off_in_server(place, change, calls, at):
    """In a server: the same."""
    place.start(calls.prefix)
    [server] = tenon.children_of(place.server.process.pid)
    calls.arm(at)
    answer = None
    with contextlib.suppress(OSError, http.client.HTTPException):
        answer = place.change(change)
    assert answer is None or answer.status in (200, 204), answer
    # The last calls are made behind the answer.
    tenon.within(lambda: not at or calls.was_hit() or tenon.rests(server), 60)
    calls.disarm()
    if calls.was_hit():
        assert place.server.process.wait(60) == KILLED
        place.ada.close()
    code = place.server.process.poll() or 0
    place.close()
    return code, answer is not None


class Point:
    """One change, broken off at one call."""

    def __init__(self, stock, change, is_served, at):
        self.stock, self.change, self.is_served, self.at = stock, change, is_served, at
        self.calls, self.outcome = [], None

    def until_killed(self):
        """run(), again at the last call that it made where it ended before the one it was to be killed at."""
        for _ in range(TRIES):
            if self.run().outcome != "ended":
                break
            self.at = min(self.at, len(self.calls))
        return self

    def run(self):
        """Once: `outcome` is "old" or "new" of one that was killed, else "ended"."""
        place = Place(self.stock, self.change.data)
        calls = Calls(place.data)
        try:
            if self.is_served:
                code, is_told = broken_off_in_server(place, self.change, calls, self.at)
            else:
                calls.arm(self.at)
                code, is_told = broken_off(place, self.change, calls.prefix)
            self.calls = calls.seen()
            self.outcome = self.check(place, code, is_told)
        except Exception:
            log = place.server.log(40) if place.server else ""
            raise AssertionError(f"{self}\n{traceback.format_exc()}{log}") from None
        finally:
            calls.close()
            place.remove()
        return self

    def check(self, place, code, is_told):
        change = self.change
        place.start()
        state = place.state()
        assert state in (change.before, change.after), f"neither old nor new: {state}"
        assert state == change.after or code == KILLED and not is_told, f"said and not done: {state}"
        place.check_rest()
        again, expected = (change, change.after) if state == change.before else FURTHER[change]
        answer = place.change(again)
        assert answer.status in (200, 204), f"{again.name}: {answer}"
        assert place.state() == expected, f"{again.name}: {place.state()}"
        place.check_rest()
        return "ended" if code != KILLED else "old" if state == change.before else "new"

    def __str__(self):
        where = "in a server" if self.is_served else "without a server"
        met = " ".join(self.calls[-1]) if self.calls else "nothing yet"
        return f"{self.change.name}, {where}, killed at call {self.at}: {met} ({repeat()})"


class WithStock(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if reason := may_trace():
            raise unittest.SkipTest(reason)
        cls.stock = Stock()


class Sweep:
    """One change, broken off at each call that is chosen."""

    def sweep(self, is_served):
        """Prints what was found."""
        change = self.change
        whole = Point(self.stock, change, is_served, 0).run()
        self.assertEqual("ended", whole.outcome)
        self.assertGreater(len(whole.calls), 20, "calls are not seen")
        times = collections.Counter(what for what, _ in whole.calls)
        calls = chance(f"{change.name} {is_served}")
        first, rare_first = calls.randrange(STEP), calls.randrange(RARE_STEP)
        # The first one always: a rollback has few before it is done.
        rare = [at for at, (what, _) in enumerate(whole.calls, 1) if times[what] <= FEW][rare_first::RARE_STEP]
        chosen = sorted({1, *rare, *(at for at, (what, _) in enumerate(whole.calls, 1) if times[what] > FEW and at % STEP == first)})
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            points = [threads.submit(Point(self.stock, change, is_served, at).until_killed) for at in chosen]
        failures = [str(point.exception()) for point in points if point.exception()]
        outcomes = collections.Counter(point.result().outcome for point in points if not point.exception())
        killed = outcomes["old"] + outcomes["new"]
        print(f"        {change.name}, {'in' if is_served else 'without'} a server: {len(whole.calls)} calls, {killed} kills: "
              f"{outcomes['old']} old, {outcomes['new']} new", flush=True)
        self.assertFalse(failures, f"{len(failures)} of {len(chosen)} points:\n" + "\n".join(failures[:5]))
        self.assertLessEqual(outcomes["ended"], 1)
        # Few calls come behind the change, and the chosen ones may all be before it.
        self.assertTrue(outcomes["old"] and (outcomes["new"] or STEP > 1), "the kills are not around the change")


class SweepOfCommands(Sweep):
    def test_wholly_the_old_or_wholly_the_new(self):
        """fault: kill -9 at any call by which an install, upgrade, rollback or removal without a server changes files
        | wholly the old or wholly the new, and nothing left behind
        | the log of the next start: which change it ended"""
        self.sweep(False)


class SweepOfRequests(Sweep):
    def test_wholly_the_old_or_wholly_the_new(self):
        """fault: kill -9 at any call of the same in a server
        | wholly the old or wholly the new; what was answered is done; of an upgrade in phases too, whose data then serve both
        | the log of the next start: which change it ended"""
        self.sweep(True)


classes_by_change(globals(), "KilledCommand", (*CHANGES, PHASED), SweepOfCommands, WithStock)
classes_by_change(globals(), "KilledServer", (*CHANGES, PHASED), SweepOfRequests, WithStock)


class KilledStart(WithStock):
    def left_open(self, change, last):
        """A place whose change was broken off without a server, before its call `last`."""
        whole = Point(self.stock, change, False, 0).run()
        place = Place(self.stock, change.data)
        calls = Calls(place.data)
        try:
            calls.arm(1 + whole.calls.index(last))
            self.assertEqual(KILLED, broken_off(place, change, calls.prefix)[0])
            self.assertEqual(1, len(place.rows("SELECT * FROM plugins_changes")))
        except BaseException:
            place.remove()
            raise
        finally:
            calls.close()
        return place

    def recovered(self, left, expected, at):
        """A start on the data of a place that is killed, and another one: how many calls the first one made."""
        place = Place(self.stock, left.data)
        calls = Calls(place.data)
        try:
            calls.arm(at)
            with contextlib.suppress(AssertionError):
                place.start(calls.prefix)
            # Files that nothing claims any more are removed beside the work, some time behind the start.
            tenon.within(lambda: not at or calls.was_hit(), 60)
            calls.disarm()
            self.assertEqual(bool(at), calls.was_hit(), "nothing was killed")
            made = len(calls.seen())
            place.close()
            place.start()
            self.assertEqual(expected, place.state(), f"killed at call {at} of a start: {calls.seen()[-1]} ({repeat()})")
            place.check_rest()
            return made
        finally:
            calls.close()
            place.remove()

    def test_a_start_that_ends_a_change_is_killed_too(self):
        """fault: kill -9 at any call by which a start ends a change that was broken off
        | the start after it ends the change
        | the log of the start"""
        for change, last in ((ROLLBACK, ("link", "/multi-version.db-restore")), (PURGE, ("unlink", "/plugins/multi-version/snapshots")),
                             (EXPORT, ("unlink", "/plugins/multi-version/snapshots")), (TAKE_BACK, ("rename", "/multi-version.db-restore"))):
            with self.subTest(change.name):
                left = self.left_open(change, last)
                self.addCleanup(left.remove)
                # Data that come back are not there before the plugin is.
                after = change.before if change is TAKE_BACK else change.after
                calls = self.recovered(left, after, 0)
                self.assertGreater(calls, 20)
                chosen = range(1 + chance(f"start {change.name}").randrange(min(STEP, calls // 2)), calls - calls // 10, STEP)
                with concurrent.futures.ThreadPoolExecutor(2) as threads:
                    points = [threads.submit(self.recovered, left, after, at) for at in chosen]
                for point in points:
                    point.result()
                print(f"        a start that ends \"{change.name}\": {calls} calls, {len(points)} kills: all "
                      f"{'old' if change is TAKE_BACK else 'new'}", flush=True)


class CallsOfChanges(WithStock):
    def test_no_change_uses_a_call_that_is_not_counted(self):
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        for change in CHANGES:
            place = Place(self.stock, change.data)
            try:
                with tempfile.NamedTemporaryFile("r", prefix="tenon-strace-") as trace:
                    done = subprocess.run(["strace", "-f", "-o", trace.name, *place.command(change)], capture_output=True, text=True,
                                          timeout=120, check=False)
                    if "ptrace" in done.stderr:
                        self.skipTest(done.stderr)
                    self.assertEqual(0, done.returncode, done)
                    used = {line.split(None, 1)[1].partition("(")[0] for line in trace if "(" in line}
                self.assertTrue({"fsync", "fdatasync"} & used, used)
                self.assertEqual(set(), used & set(UNKNOWN))
            finally:
                place.remove()


if __name__ == "__main__":
    unittest.main()
