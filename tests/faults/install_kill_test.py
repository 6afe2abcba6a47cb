"""kill -9 at each system call by which an install, upgrade, rollback, removal, export or restore changes files: the result is wholly
the old or wholly the new version."""

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
from plugin_changes import CHANGES, EXPORTED, NEW, OLD, PHASED, Site, State, Stock, classes_by_change, tenon
from sampling import FULL, chance, repeat

# If a change makes calls of a kind more than FEW times, every STEP-th of them is killed, else every RARE_STEP-th. The seed decides
# which ones.
FEW = 8
STEP, RARE_STEP = (1, 1) if FULL else (24, 4)
# The order of threads varies, so a run may make fewer calls than the one before. It is then repeated at its own last call, up to TRIES
# times.
TRIES = 4
INSTALL, UPGRADE, ROLLBACK, KEEP, PURGE, EXPORT, TAKE_BACK = CHANGES
# The change that follows a change that was done already, and the state after it.
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


def broken_off(site, change, prefix):
    """Runs a change without a server. Returns the exit code, and whether the command reported success."""
    done = subprocess.run([*prefix, *site.command(change)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, KILLED), done
    return done.returncode, bool(done.stdout)


def broken_off_in_server(site, change, calls, at):
    """Runs a change in a server. Returns the exit code, and whether there was a response."""
    site.start(calls.prefix)
    [server] = tenon.children_of(site.server.process.pid)
    calls.arm(at)
    response = None
    with contextlib.suppress(OSError, http.client.HTTPException):
        response = site.change(change)
    assert response is None or response.status in (200, 204), response
    # The last calls are made after the response.
    tenon.within(lambda: not at or calls.was_hit() or tenon.rests(server), 60)
    calls.disarm()
    if calls.was_hit():
        assert site.server.process.wait(60) == KILLED
        site.ada.close()
    code = site.server.process.poll() or 0
    site.close()
    return code, response is not None


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
        site = Site(self.stock, self.change.data)
        calls = Calls(site.data)
        try:
            if self.is_served:
                code, has_responded = broken_off_in_server(site, self.change, calls, self.at)
            else:
                calls.arm(self.at)
                code, has_responded = broken_off(site, self.change, calls.prefix)
            self.calls = calls.seen()
            self.outcome = self.check(site, code, has_responded)
        except Exception:
            log = site.server.log(40) if site.server else ""
            raise AssertionError(f"{self}\n{traceback.format_exc()}{log}") from None
        finally:
            calls.close()
            site.remove()
        return self

    def check(self, site, code, has_responded):
        change = self.change
        site.start()
        state = site.state()
        assert state in (change.before, change.after), f"neither old nor new: {state}"
        assert state == change.after or code == KILLED and not has_responded, f"said and not done: {state}"
        site.check_rest()
        again, expected = (change, change.after) if state == change.before else FURTHER[change]
        response = site.change(again)
        assert response.status in (200, 204), f"{again.name}: {response}"
        assert site.state() == expected, f"{again.name}: {site.state()}"
        site.check_rest()
        return "ended" if code != KILLED else "old" if state == change.before else "new"

    def __str__(self):
        where = "in a server" if self.is_served else "without a server"
        call = " ".join(self.calls[-1]) if self.calls else "nothing yet"
        return f"{self.change.name}, {where}, killed at call {self.at}: {call} ({repeat()})"


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
        # Few calls come after the change, and the chosen ones may all be before it.
        self.assertTrue(outcomes["old"] and (outcomes["new"] or STEP > 1), "the kills are not around the change")


class SweepOfCommands(Sweep):
    def test_leaves_old_or_new_version(self):
        """fault: kill -9 at any call by which an install, upgrade, rollback or removal without a server changes files
        | wholly the old or wholly the new version, and no leftover files
        | the log of the next start: which change it ended"""
        self.sweep(False)


class SweepOfRequests(Sweep):
    def test_leaves_old_or_new_version(self):
        """fault: kill -9 at any call by which an install, upgrade, rollback or removal in a server changes files
        | wholly the old or wholly the new version; a change with a response is done; also for an upgrade in phases, whose data then serve both
        | the log of the next start: which change it ended"""
        self.sweep(True)


classes_by_change(globals(), "KilledCommand", (*CHANGES, PHASED), SweepOfCommands, WithStock)
classes_by_change(globals(), "KilledServer", (*CHANGES, PHASED), SweepOfRequests, WithStock)


class KilledStart(WithStock):
    def left_open(self, change, last):
        """Returns a site whose change was interrupted without a server, before its call `last`."""
        whole = Point(self.stock, change, False, 0).run()
        site = Site(self.stock, change.data)
        calls = Calls(site.data)
        try:
            calls.arm(1 + whole.calls.index(last))
            self.assertEqual(KILLED, broken_off(site, change, calls.prefix)[0])
            self.assertEqual(1, len(site.rows("SELECT * FROM plugins_changes")))
        except BaseException:
            site.remove()
            raise
        finally:
            calls.close()
        return site

    def recovered(self, left, expected, at):
        """Kills a start on the data of a site, and starts again. Returns how many calls the first start made."""
        site = Site(self.stock, left.data)
        calls = Calls(site.data)
        try:
            calls.arm(at)
            with contextlib.suppress(AssertionError):
                site.start(calls.prefix)
            # Unclaimed files are removed in the background, some time after the start.
            tenon.within(lambda: not at or calls.was_hit(), 60)
            calls.disarm()
            self.assertEqual(bool(at), calls.was_hit(), "nothing was killed")
            made = len(calls.seen())
            site.close()
            site.start()
            self.assertEqual(expected, site.state(), f"killed at call {at} of a start: {calls.seen()[-1]} ({repeat()})")
            site.check_rest()
            return made
        finally:
            calls.close()
            site.remove()

    def test_recovers_when_recovering_start_is_killed(self):
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
    def test_counts_every_call_of_changes(self):
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        for change in CHANGES:
            site = Site(self.stock, change.data)
            try:
                with tempfile.NamedTemporaryFile("r", prefix="tenon-strace-") as trace:
                    done = subprocess.run(["strace", "-f", "-o", trace.name, *site.command(change)], capture_output=True, text=True,
                                          timeout=120, check=False)
                    if "ptrace" in done.stderr:
                        self.skipTest(done.stderr)
                    self.assertEqual(0, done.returncode, done)
                    used = {line.split(None, 1)[1].partition("(")[0] for line in trace if "(" in line}
                self.assertTrue({"fsync", "fdatasync"} & used, used)
                self.assertEqual(set(), used & set(UNKNOWN))
            finally:
                site.remove()


if __name__ == "__main__":
    unittest.main()
