"""A disk that is full at one write of installing, upgrading, rolling back and removing: said so, the old one serves on, nothing is left."""

import collections
import concurrent.futures
import errno
import os
import random
import subprocess
import traceback
import unittest

from calls import Calls, may_trace
from faults_case import ALL
from plugin_changes import CHANGES, Place, Stock

SEED = int(os.environ.get("DEV_FAULTS_SEED", random.randrange(1_000_000)))
# Where there are more writes than that, every STEP-th fails, from another one each run.
FEW = 24
STEP = 1 if ALL else 4
WORDS = ("No space left", "no room", "disk is full", "disk_full", "Make room", "Look after the disk",
         "could not be opened")  # SQLite does not say why


def refused_alone(place, change, calls, at):
    """Without a server: what it was refused with, or nothing."""
    calls.arm(at, errno.ENOSPC)
    done = subprocess.run([*calls.prefix, *place.command(change)], capture_output=True, text=True, timeout=120, check=False)
    calls.disarm()
    assert done.returncode in (0, 1), done
    place.start()
    return done.stderr if done.returncode else ""


def refused_in_server(place, change, calls, at):
    """In a server, which goes on."""
    place.start(calls.prefix)
    calls.arm(at, errno.ENOSPC)
    answer = place.change(change)
    calls.disarm()
    return "" if answer.status in (200, 204) else f"{answer.status} {answer.body.decode()}"


class InstallFullDisk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if reason := may_trace():
            raise unittest.SkipTest(reason)
        cls.stock = Stock()
        cls.chance = random.Random(SEED)

    @classmethod
    def tearDownClass(cls):
        cls.stock.close()

    def meet(self, change, refused, at):
        """What came of it: "done", "refused", "waits" for a start, or "ended" before that write."""
        place = Place(self.stock, change.data)
        calls = Calls(place.data)
        said, waits = "", False
        try:
            said = refused(place, change, calls, at)
            was_hit = calls.was_hit()
            assert was_hit or not said, "refused for nothing"
            assert not said or any(word in said for word in WORDS), "the disk is not named"
            if said and place.is_waiting():
                # Decided, and not begun: the next start ends it.
                assert change.request[1].endswith("rollback"), "it does not serve"
                said = ""
                place.close()
                place.start()
                waits = True
            state = place.state()
            assert state == (change.before if said else change.after), f"neither old nor new: {state}"
            if said:
                place.check_rest(was_full=True)
                answer = place.change(change)
                assert answer.status in (200, 204), f"not again: {answer}"
                assert place.state() == change.after, f"not again: {place.state()}"
            place.close()
            place.start()
            assert place.state() == change.after, f"after a restart: {place.state()}"
            place.check_rest()
            return "ended" if not was_hit else "waits" if waits else "refused" if said else "done"
        except Exception:
            log = place.server.log(40) if place.server else ""
            met = calls.seen()[at - 1:at]
            raise AssertionError(f"{change.name}, {refused.__name__}, write {at}: {met} {said} (DEV_FAULTS_SEED={SEED})\n"
                                 f"{traceback.format_exc()}{log}") from None
        finally:
            calls.close()
            place.remove()

    def writes(self, change, refused):
        """How many there are."""
        place = Place(self.stock, change.data)
        calls = Calls(place.data)
        try:
            self.assertEqual("", refused(place, change, calls, 0))
            return len(calls.seen())
        finally:
            calls.close()
            place.remove()

    def sweep(self, refused):
        total = collections.Counter()
        for change in CHANGES:
            with self.subTest(change.name):
                writes = self.writes(change, refused)
                self.assertGreater(writes, 3)
                with concurrent.futures.ThreadPoolExecutor(2) as threads:
                    step = STEP if writes > FEW else 1
                    first = self.chance.randrange(1, step + 1)
                    points = [threads.submit(self.meet, change, refused, at) for at in range(first, writes + 1, step)]
                failures = [str(point.exception()) for point in points if point.exception()]
                outcomes = collections.Counter(point.result() for point in points if not point.exception())
                print(f"        {change.name}, {refused.__name__}: {writes} writes, {len(points)} fail: {outcomes['refused']} refused, "
                      f"{outcomes['done']} done, {outcomes['waits']} wait for a start", flush=True)
                self.assertFalse(failures, f"{len(failures)} of {len(points)} points:\n" + "\n".join(failures[:4]))
                total += outcomes
        # Of one change alone there may be none: a write that the host makes with those of others is made again.
        self.assertTrue(total["refused"], "none is refused")

    def test_by_the_command_line_without_a_server(self):
        print(f"        seed {SEED}, every {STEP}. write of more than {FEW}", flush=True)
        self.sweep(refused_alone)

    def test_in_a_running_server(self):
        self.sweep(refused_in_server)


if __name__ == "__main__":
    unittest.main()
