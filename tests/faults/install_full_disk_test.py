"""A disk that is full at one write of installing, upgrading, rolling back and removing, or from there on: said so, the old one serves
on, nothing is left, and it is done when there is room."""

import collections
import concurrent.futures
import contextlib
import dataclasses
import errno
import shutil
import subprocess
import traceback
import unittest

from calls import Calls, may_trace
from plugin_changes import CHANGES, TITLE, Place, Stock, tenon
from sampling import FULL, chance, repeat

# Where there are more writes than that, every STEP-th fails, else every FEW_STEP-th; which ones is left to the seed.
FEW, FEW_THAT_STAY = 24, 8
STEP, FEW_STEP = (1, 1) if FULL else (16, 4)
REMOVALS = [change for change in CHANGES if change.name.startswith("remove")]
WORDS = ("No space left", "no room", "disk is full", "disk_full", "Make room", "Free disk space", "Look after the disk",
         "could not be opened")  # SQLite does not say why


def refused_alone(place, change, calls, at, stays):
    """Without a server: what it was refused with, or nothing."""
    calls.arm(at, errno.ENOSPC, stays)
    done = subprocess.run([*calls.prefix, *place.command(change)], capture_output=True, text=True, timeout=120, check=False)
    calls.disarm()
    assert done.returncode in (0, 1), done
    place.start()
    return done.stderr if done.returncode else ""


def refused_in_server(place, change, calls, at, stays):
    """In a server, which goes on."""
    place.start(calls.prefix)
    calls.arm(at, errno.ENOSPC, stays)
    answer = place.change(change)
    if stays and calls.was_hit():
        serve_on_a_full_disk(place)
    calls.disarm()
    heal(place)
    return "" if answer.status in (200, 204) else f"{answer.status} {answer.body.decode()}"


def serve_on_a_full_disk(place):
    """Reads are answered, and a write is refused for what it is."""
    notes = place.ada.get("/api/notes/notes")
    assert notes.status == 200 and [note["title"] for note in notes.json()["items"]] == [TITLE], notes
    refused = place.ada.post("/api/notes/notes", {"title": "There is no room", "text": ""})
    assert (refused.status, refused.json()["code"]) == (507, "data.disk_full"), refused
    plugin = place.ada.get("/api/core/plugins/multi-version")
    assert plugin.status in (200, 404), plugin
    if plugin.status == 200 and plugin.json()["state"] == "active":
        version = place.ada.get("/api/multi-version/version")
        assert (version.status, version.body.decode()) == (200, plugin.json()["version"]), version


def heal(place):
    """There is room again: whoever was refused for the disk writes, without a restart."""
    def is_well():
        place.ada.post("/api/multi-version/quick", b"")
        plugin = place.ada.get("/api/core/plugins/multi-version").json()
        return plugin["reason"] is None
    if place.ada.get("/api/core/plugins/multi-version").status == 200 and not place.is_waiting():
        tenon.eventually(is_well)


class WithStock(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if reason := may_trace():
            raise unittest.SkipTest(reason)
        cls.stock = Stock()


class Sweep(WithStock):
    def meet(self, change, refused, at, stays):
        """What came of it: "done", "refused", "waits" for a start, or "ended" before that write."""
        place = Place(self.stock, change.data)
        calls = Calls(place.data)
        said, waits = "", False
        try:
            said = refused(place, change, calls, at, stays)
            was_hit = calls.was_hit()
            assert was_hit or not said, "refused for nothing"
            assert not said or any(word in said for word in WORDS), "the disk is not named"
            if said and stays and place.is_waiting():
                # What was begun cannot be undone without room. Named, and the next change ends it.
                reason = place.ada.get("/api/core/plugins/multi-version").json()["reason"]
                assert any(word in reason["message"] for word in WORDS), reason
                answer = place.change(change)
                if answer.status == 409 and answer.json()["code"] == "plugins.no_previous_version":
                    # A rollback that was decided: a start ends it.
                    place.close()
                    place.start()
                else:
                    assert answer.status in (200, 204), f"not again: {answer}"
                said, waits = "", True
            if said and place.is_waiting():
                # Decided, and not begun: the next start ends it.
                assert change.request[1].endswith("rollback"), "it does not serve"
                said = ""
                place.close()
                place.start()
                waits = True
            state = place.state()
            if not said and state != change.after and change.name == "remove and export":
                # It is removed and its export written: a start gives it its name, and removes the data.
                assert state == dataclasses.replace(change.after, has_data=True, exports=0), f"neither old nor new: {state}"
                place.close()
                place.start()
                state, waits = place.state(), True
            assert state == (change.before if said else change.after), f"neither old nor new: {state}"
            if said:
                if not stays:  # what it began may wait for room to be undone
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
            where = f"{change.name}, {refused.__name__}, write {at}{' and all behind it' if stays else ''}"
            raise AssertionError(f"{where}: {met} {said} ({repeat()})\n"
                                 f"{traceback.format_exc()}{log}") from None
        finally:
            calls.close()
            place.remove()

    def writes(self, change, refused):
        """How many there are."""
        place = Place(self.stock, change.data)
        calls = Calls(place.data)
        try:
            self.assertEqual("", refused(place, change, calls, 0, False))
            return len(calls.seen())
        finally:
            calls.close()
            place.remove()

    def sweep(self, refused, stays=False):
        total = collections.Counter()
        for change in CHANGES:
            with self.subTest(change.name):
                writes = self.writes(change, refused)
                self.assertGreater(writes, 3)
                with concurrent.futures.ThreadPoolExecutor(2) as threads:
                    step = min(STEP if writes > (FEW_THAT_STAY if stays else FEW) else FEW_STEP, writes)
                    first = chance(f"{change.name} {refused.__name__} {stays}").randrange(1, step + 1)
                    points = [threads.submit(self.meet, change, refused, at, stays) for at in range(first, writes + 1, step)]
                failures = [str(point.exception()) for point in points if point.exception()]
                outcomes = collections.Counter(point.result() for point in points if not point.exception())
                failed = f"{len(points)} fail{' with all behind them' if stays else ''}"
                print(f"        {change.name}, {refused.__name__}: {writes} writes, {failed}: {outcomes['refused']} refused, "
                      f"{outcomes['done']} done, {outcomes['waits']} wait {'until there is room' if stays else 'for a start'}", flush=True)
                self.assertFalse(failures, f"{len(failures)} of {len(points)} points:\n" + "\n".join(failures[:4]))
                total += outcomes
        # Of one change alone there may be none: a write that the host makes with those of others is made again.
        self.assertTrue(total["refused"], "none is refused")


class OneWriteOfCommands(Sweep):
    def test_is_refused_or_done(self):
        self.sweep(refused_alone)


class OneWriteOfRequests(Sweep):
    def test_is_refused_or_done(self):
        """fault: no room for one write of an install, upgrade, rollback or removal
        | refused or done; the old one serves on; done by the next try
        | the answer names the disk"""
        self.sweep(refused_in_server)


class FullFileSystem(WithStock):
    @contextlib.contextmanager
    def place_on_a_small_disk(self, change):
        """A server with 700 kB left on its disk, and the file that takes the rest."""
        place = Place(self.stock, change.data)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tenon", place.data], capture_output=True, text=True,
                                 check=False)
        if mounted.returncode:
            place.remove()
            self.skipTest(f"only root may mount: {mounted.stderr.strip()}")
        try:
            shutil.copytree(self.stock.root / change.data, place.data, dirs_exist_ok=True)
            place.start()
            tenon.eventually(lambda: (place.data / "space-reserve").exists() and (place.data / "space-reserve").stat().st_size > 0)
            ballast = place.data / "ballast"
            ballast.write_bytes(bytes(shutil.disk_usage(place.data).free - 700_000))
            yield place, ballast
        finally:
            place.close()
            subprocess.run(["umount", "--lazy", place.data], check=True)
            place.remove()

    def test_is_refused_before_anything_is_stopped(self):
        """fault: a change of a plugin on a file system without room
        | refused before anything is stopped: what runs goes on; done when there is room
        | 507 `data.disk_full`: how much is needed, and how much is free"""
        for change in CHANGES:
            if change in REMOVALS:
                continue
            with self.subTest(change.name), self.place_on_a_small_disk(change) as (place, ballast):
                answer = place.change(change)
                self.assertEqual((507, "data.disk_full"), (answer.status, answer.json()["code"]), answer)
                self.assertEqual(change.before, place.state())
                place.check_rest()
                ballast.unlink()
                self.assertIn(place.change(change).status, (200, 204))
                self.assertEqual(change.after, place.state())
                place.check_rest()

    def test_a_removal_uses_the_reserved_space(self):
        """fault: an admin removes a plugin on a file system without room
        | removed, with the space that is reserved for that
        | the log: only admins can write until there is space"""
        for change in REMOVALS:
            with self.subTest(change.name), self.place_on_a_small_disk(change) as (place, ballast):
                with open(ballast, "ab", buffering=0) as file, contextlib.suppress(OSError):
                    while True:
                        file.write(bytes(4096))
                answer = place.change(change)
                self.assertIn(answer.status, (200, 204), answer)
                self.assertEqual(change.after, place.state())
                self.assertIn("only admins can write until there is space", place.server.log(1000))
                ballast.unlink()
                self.assertEqual(201, place.ada.post("/api/notes/notes", {"title": "There is room", "text": ""}).status)


class EveryWriteOfCommands(Sweep):
    def test_is_refused_or_done(self):
        self.sweep(refused_alone, stays=True)


class EveryWriteOfRequests(Sweep):
    def test_is_refused_or_done(self):
        """fault: no room from a write of the same on, until there is room
        | refused, done, or the plugin waits for room with its data; the others serve what needs none
        | the answer, and the reason of the plugin in the list, name the disk"""
        self.sweep(refused_in_server, stays=True)


if __name__ == "__main__":
    unittest.main()
