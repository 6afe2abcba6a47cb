"""A disk that is full at one write of an install, upgrade, rollback or removal, or from that write on. The error names the disk, the
old version continues, no files are left over, and the change succeeds when the disk has space."""

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
from plugin_changes import CHANGES, TITLE, Site, Stock, tenon
from sampling import FULL, chance, repeat

# If there are more writes than FEW, every STEP-th fails, else every FEW_STEP-th. The seed decides which ones.
FEW, FEW_THAT_STAY = 24, 8
STEP, FEW_STEP = (1, 1) if FULL else (16, 4)
REMOVALS = [change for change in CHANGES if change.name.startswith("remove")]
WORDS = ("No space left", "store this", "disk is full", "disk_full", "free space", "Free disk space", "Look after the disk",
         "could not be opened")  # SQLite does not say why


def refused_alone(site, change, calls, at, stays):
    """Runs a change without a server. Returns the error, or nothing."""
    calls.arm(at, errno.ENOSPC, stays)
    done = subprocess.run([*calls.prefix, *site.command(change)], capture_output=True, text=True, timeout=120, check=False)
    calls.disarm()
    assert done.returncode in (0, 1), done
    site.start()
    return done.stderr if done.returncode else ""


def refused_in_server(site, change, calls, at, stays):
    """Runs a change in a server, which continues to run. Returns the error, or nothing."""
    site.start(calls.prefix)
    calls.arm(at, errno.ENOSPC, stays)
    response = site.change(change)
    if stays and calls.was_hit():
        serve_on_a_full_disk(site)
    calls.disarm()
    heal(site)
    return "" if response.status in (200, 204) else f"{response.status} {response.body.decode()}"


def serve_on_a_full_disk(site):
    """Checks that reads succeed, and that a write fails with the code of a full disk."""
    notes = site.ada.get("/api/notes/notes")
    assert notes.status == 200 and [note["title"] for note in notes.json()["items"]] == [TITLE], notes
    refused = site.ada.post("/api/notes/notes", {"title": "The disk is full", "text": ""})
    assert (refused.status, refused.json()["code"]) == (507, "data.disk_full"), refused
    plugin = site.ada.get("/api/core/plugins/multi-version")
    assert plugin.status in (200, 404), plugin
    if plugin.status == 200 and plugin.json()["state"] == "active":
        version = site.ada.get("/api/multi-version/version")
        assert (version.status, version.body.decode()) == (200, plugin.json()["version"]), version


def heal(site):
    """The disk has space again: waits until writes succeed, without a restart."""
    def is_well():
        site.ada.post("/api/multi-version/quick", b"")
        plugin = site.ada.get("/api/core/plugins/multi-version").json()
        return plugin["reason"] is None
    if site.ada.get("/api/core/plugins/multi-version").status == 200 and not site.is_waiting():
        tenon.eventually(is_well)


class WithStock(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if reason := may_trace():
            raise unittest.SkipTest(reason)
        cls.stock = Stock()


class Sweep(WithStock):
    def run_change(self, change, refused, at, stays):
        """Returns the outcome: "done", "refused", "waits" for a start, or "ended" before that write."""
        site = Site(self.stock, change.data)
        calls = Calls(site.data)
        said, waits = "", False
        try:
            said = refused(site, change, calls, at, stays)
            was_hit = calls.was_hit()
            assert was_hit or not said, "refused for nothing"
            assert not said or any(word in said for word in WORDS), "the disk is not named"
            if said and stays and site.is_waiting():
                # The change cannot be rolled back without space. The reason says so, and the next change ends it.
                reason = site.ada.get("/api/core/plugins/multi-version").json()["reason"]
                assert any(word in reason["message"] for word in WORDS), reason
                response = site.change(change)
                if response.status == 409 and response.json()["code"] == "plugins.no_previous_version":
                    # The rollback was decided: a start ends it.
                    site.close()
                    site.start()
                else:
                    assert response.status in (200, 204), f"not again: {response}"
                said, waits = "", True
            if said and site.is_waiting():
                # Decided, and not begun: the next start ends it.
                assert change.request[1].endswith("rollback"), "it does not serve"
                said = ""
                site.close()
                site.start()
                waits = True
            state = site.state()
            if not said and state != change.after and change.name == "remove and export":
                # It is removed and its export written: a start gives it its name, and removes the data.
                assert state == dataclasses.replace(change.after, has_data=True, exports=0), f"neither old nor new: {state}"
                site.close()
                site.start()
                state, waits = site.state(), True
            assert state == (change.before if said else change.after), f"neither old nor new: {state}"
            if said:
                if not stays:  # a rollback of the change may wait for space
                    site.check_rest(was_full=True)
                response = site.change(change)
                assert response.status in (200, 204), f"not again: {response}"
                assert site.state() == change.after, f"not again: {site.state()}"
            site.close()
            site.start()
            assert site.state() == change.after, f"after a restart: {site.state()}"
            site.check_rest()
            return "ended" if not was_hit else "waits" if waits else "refused" if said else "done"
        except Exception:
            log = site.server.log(40) if site.server else ""
            call = calls.seen()[at - 1:at]
            where = f"{change.name}, {refused.__name__}, write {at}{' and all after it' if stays else ''}"
            raise AssertionError(f"{where}: {call} {said} ({repeat()})\n"
                                 f"{traceback.format_exc()}{log}") from None
        finally:
            calls.close()
            site.remove()

    def writes(self, change, refused):
        """How many there are."""
        site = Site(self.stock, change.data)
        calls = Calls(site.data)
        try:
            self.assertEqual("", refused(site, change, calls, 0, False))
            return len(calls.seen())
        finally:
            calls.close()
            site.remove()

    def sweep(self, refused, stays=False):
        total = collections.Counter()
        for change in CHANGES:
            with self.subTest(change.name):
                writes = self.writes(change, refused)
                self.assertGreater(writes, 3)
                with concurrent.futures.ThreadPoolExecutor(2) as threads:
                    step = min(STEP if writes > (FEW_THAT_STAY if stays else FEW) else FEW_STEP, writes)
                    first = chance(f"{change.name} {refused.__name__} {stays}").randrange(1, step + 1)
                    points = [threads.submit(self.run_change, change, refused, at, stays) for at in range(first, writes + 1, step)]
                failures = [str(point.exception()) for point in points if point.exception()]
                outcomes = collections.Counter(point.result() for point in points if not point.exception())
                failed = f"{len(points)} fail{' with all after them' if stays else ''}"
                print(f"        {change.name}, {refused.__name__}: {writes} writes, {failed}: {outcomes['refused']} refused, "
                      f"{outcomes['done']} done, {outcomes['waits']} wait {'until the disk has space' if stays else 'for a start'}", flush=True)
                self.assertFalse(failures, f"{len(failures)} of {len(points)} points:\n" + "\n".join(failures[:4]))
                total += outcomes
        # A single change may have no refusal: a write that the host makes with those of others is made again.
        self.assertTrue(total["refused"], "none is refused")


class OneWriteOfCommands(Sweep):
    def test_is_refused_or_done(self):
        self.sweep(refused_alone)


class OneWriteOfRequests(Sweep):
    def test_is_refused_or_done(self):
        """fault: no space for one write of an install, upgrade, rollback or removal
        | refused or done; the old version continues; the next try succeeds
        | the response names the disk"""
        self.sweep(refused_in_server)


class FullFileSystem(WithStock):
    @contextlib.contextmanager
    def site_on_small_disk(self, change):
        """A server with 700 kB left on its disk, and the file that takes the rest."""
        site = Site(self.stock, change.data)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tenon", site.data], capture_output=True, text=True,
                                 check=False)
        if mounted.returncode:
            site.remove()
            self.skipTest(f"only root may mount: {mounted.stderr.strip()}")
        try:
            shutil.copytree(self.stock.root / change.data, site.data, dirs_exist_ok=True)
            site.start()
            tenon.eventually(lambda: (site.data / "space-reserve").exists() and (site.data / "space-reserve").stat().st_size > 0)
            ballast = site.data / "ballast"
            ballast.write_bytes(bytes(shutil.disk_usage(site.data).free - 700_000))
            yield site, ballast
        finally:
            site.close()
            subprocess.run(["umount", "--lazy", site.data], check=True)
            site.remove()

    def test_is_refused_before_anything_is_stopped(self):
        """fault: a change of a plugin on a full file system
        | refused before anything is stopped: the running version continues; the change succeeds when there is space
        | 507 `data.disk_full`: how much is needed, and how much is free"""
        for change in CHANGES:
            if change in REMOVALS:
                continue
            with self.subTest(change.name), self.site_on_small_disk(change) as (site, ballast):
                response = site.change(change)
                self.assertEqual((507, "data.disk_full"), (response.status, response.json()["code"]), response)
                self.assertEqual(change.before, site.state())
                site.check_rest()
                ballast.unlink()
                self.assertIn(site.change(change).status, (200, 204))
                self.assertEqual(change.after, site.state())
                site.check_rest()

    def test_a_removal_uses_the_reserved_space(self):
        """fault: an admin removes a plugin on a full file system
        | removed, with the space that is reserved for that
        | the log: only admins can write until there is space"""
        for change in REMOVALS:
            with self.subTest(change.name), self.site_on_small_disk(change) as (site, ballast):
                with open(ballast, "ab", buffering=0) as file, contextlib.suppress(OSError):
                    while True:
                        file.write(bytes(4096))
                response = site.change(change)
                self.assertIn(response.status, (200, 204), response)
                self.assertEqual(change.after, site.state())
                self.assertIn("only admins can write until there is space", site.server.log(1000))
                ballast.unlink()
                self.assertEqual(201, site.ada.post("/api/notes/notes", {"title": "There is space", "text": ""}).status)


class EveryWriteOfCommands(Sweep):
    def test_is_refused_or_done(self):
        self.sweep(refused_alone, stays=True)


class EveryWriteOfRequests(Sweep):
    def test_is_refused_or_done(self):
        """fault: no space from a write of an install, upgrade, rollback or removal on, for a while
        | refused, done, or the plugin waits for space with its data; the others serve what needs none
        | the response, and the reason of the plugin in the list, name the disk"""
        self.sweep(refused_in_server, stays=True)


if __name__ == "__main__":
    unittest.main()
