"""ENOSPC and EIO at the n-th write, for n swept over what a burst of requests writes."""

import errno
import itertools
import threading

from disk import ALWAYS, READ, WRITE
from faults_case import FaultsTest
from sampling import FULL, chance

BURST = 3
STEP = 1 if FULL else 2
LARGE = "large " * 40_000

# Expected errors of a refused write: the fault itself, or the rollback of its group by another write's fault.
EXPECTED = {errno.ENOSPC: {(507, "data.disk_full"), (503, "data.group_rolled_back")},
            errno.EIO: {(503, "data.io"), (503, "data.group_rolled_back")}}


class Writes(FaultsTest):
    more_arguments = (*FaultsTest.more_arguments, "--http-trusted-proxies", "127.0.0.0/8")

    def burst(self, error, size=BURST, text="x"):
        """(acknowledged, refused); every refusal has its status and code."""
        kept, refused = [], []
        for _ in range(size):
            note, response = self.write_note(text)
            if response.status == 201:
                kept.append(note)
            else:
                problem = self.assert_problem(response, response.status, response.json().get("code"))
                self.assertIn((problem["status"], problem["code"]), EXPECTED[error], response)
                refused.append(note)
        return kept, refused

    def sweep(self, file, error, step, **burst):
        """One write fails, each time a later one, until a burst ends before it; (bursts, with a refusal)."""
        acknowledged, refused_ever, hit = [], [], 0
        for n in itertools.count(0, step):
            self.disk.fail(file, WRITE, error, skip=n)
            kept, refused = self.burst(error, **burst)
            self.assertEqual(201, self.sign_guest_book().status, "the other plugin is not concerned")
            _, failed = self.disk.heal()
            acknowledged += kept
            refused_ever += refused
            self.assertLessEqual(len(refused), failed, "one failed write refuses one request that was alone")
            hit += bool(refused)
            if n % (step * 8) == 0 or not failed:
                with self.copied() as folder:
                    self.check_files(folder, acknowledged, refused_ever)
            if not failed:
                return n // step, hit, acknowledged, refused_ever

    def test_reports_failed_write_to_wal(self):
        """fault: ENOSPC or EIO at any write to the WAL of a plugin's database
        | that write is refused, nothing else is lost
        | 507 `data.disk_full`, 503 `data.io`"""
        for error in (errno.ENOSPC, errno.EIO):
            bursts, hit, acknowledged, refused = self.sweep("notes.db-wal", error, STEP)
            self.assertGreater(bursts, 5)
            self.assertEqual(bursts, hit, "each of them hit a request")
            self.again(kill=True)
            self.assertEqual(200, self.response("GET", f"/notes/{acknowledged[-1]}").status)
            self.assertEqual(404, self.response("GET", f"/notes/{refused[-1]}").status)
            with self.copied() as folder:
                self.check_files(folder, acknowledged, refused)

    def test_reports_result_of_each_write_in_group(self):
        """fault: ENOSPC or EIO under groups of writers
        | each gets the result of its own write
        | the same codes, `data.group_rolled_back` for the others"""
        faults = chance("disk that fails for a while")
        windows = [self.another_window() for _ in range(16)]
        acknowledged, refused, wrong = [], [], []

        def write(window):
            for _ in range(4):
                note, response = self.write_note("many", window)
                if response.status == 201:
                    acknowledged.append(note)
                elif (response.status, response.json()["code"]) in EXPECTED[error]:
                    refused.append(note)
                else:
                    wrong.append(response)

        for error in (errno.ENOSPC, errno.EIO) * (10 if FULL else 3):
            self.disk.fail("notes.db-wal", WRITE, error, skip=faults.randrange(200), times=faults.choice((1, 2, 40)))
            writers = [threading.Thread(target=write, args=(window,)) for window in windows]
            for writer in writers:
                writer.start()
            for writer in writers:
                writer.join()
            self.assertNotEqual(0, self.disk.heal()[1])
            self.assertEqual([], wrong)
            with self.copied() as folder:
                self.check_files(folder, acknowledged, refused)
        self.assertTrue(refused)

    def test_reports_temporary_disk_fault_and_recovers(self):
        """fault: a disk that fails for a while
        | the plugin stays active and heals by itself
        | its reason in the list and in `/readyz` while it lasts"""
        for error, code in ((errno.ENOSPC, "data.disk_full"), (errno.EIO, "data.io")):
            earlier, _ = self.write_note("before")
            self.disk.fail("notes.db-wal", WRITE, error, times=ALWAYS)
            kept, refused = self.burst(error)
            self.assertEqual(([], BURST), (kept, len(refused)))
            self.assertEqual(200, self.response("GET", f"/notes/{earlier}").status, "reading continues")
            self.assertEqual(201, self.sign_guest_book().status)
            plugin = self.wait_for_reason("notes", code)
            self.assertEqual("active", plugin["state"])
            self.assertEqual(str(self.data / "notes.db"), plugin["reason"]["file"])
            self.assertIsNone(self.plugin("my-plugin")["reason"])
            self.assertEqual(f"ready\ndegraded\nnotes active {code}\n", self.client().get("/readyz").body.decode())
            stranger = self.client().get("/readyz", X_Forwarded_For="203.0.113.9")
            self.assertEqual("ready\ndegraded\n", stranger.body.decode(), "strangers learn no names")
            self.assertIn(f'tenon_plugins_trouble{{plugin="notes",code="{code}"}} 1', self.client().get("/metrics").body.decode())
            self.assert_logged(code)
            self.disk.heal()
            self.wait_for_health("notes")
            self.assertEqual("ready\n", self.client().get("/readyz").body.decode())
            with self.copied() as folder:
                self.check_files(folder, [earlier], refused)

    def test_loses_nothing_if_checkpoint_fails(self):
        for error in (errno.ENOSPC, errno.EIO):
            acknowledged = []
            for skip in (0, 1, 7, 200):
                self.disk.fail("notes.db", WRITE, error, skip=skip, times=5)
                for _ in range(200):
                    kept, refused = self.burst(error, size=1, text=LARGE)
                    acknowledged += kept
                    self.assertEqual([], refused, "the log took it")
                    if self.disk.failed:
                        break
                self.assertNotEqual(0, self.disk.heal()[1], "nothing was copied")
                self.assertEqual(201, self.sign_guest_book().status)
                with self.copied() as folder:
                    self.check_files(folder, acknowledged)
            self.again(kill=True)
            with self.copied() as folder:
                self.check_files(folder, acknowledged)

    def test_reports_failed_reads_and_recovers(self):
        notes = [self.write_note(LARGE)[0] for _ in range(20)]
        self.again()
        self.disk.fail("notes.db", READ, errno.EIO, times=ALWAYS)
        responses = [self.response("GET", f"/notes/{note}") for note in notes]
        self.assertEqual({(503, "data.io")}, {(response.status, response.json()["code"]) for response in responses})
        self.assertEqual(201, self.sign_guest_book().status)
        self.assertEqual("active", self.wait_for_reason("notes", "data.io")["state"])
        self.disk.heal()
        self.assertEqual({200}, {self.response("GET", f"/notes/{note}").status for note in notes})
        self.wait_for_health("notes")

    def test_serves_plugins_when_host_database_fails(self):
        """fault: ENOSPC or EIO in the host's own database | its writes are refused, plugins serve on | the log and `/readyz`"""
        for error, (status, code) in ((errno.ENOSPC, (507, "data.disk_full")), (errno.EIO, (503, "data.io"))):
            self.disk.fail("tenon.db-wal", WRITE, error, times=ALWAYS)
            user = {"login": f"m{error}", "name": "Mira", "role": "member", "password": "correct horse battery"}
            self.assert_problem(self.ada.post("/api/core/users", user), status, code)
            note, response = self.write_note()
            self.assertEqual(201, response.status)
            self.wait_for(lambda: f"core {code}" in self.client().get("/readyz").body.decode(), "the host says nothing")
            self.assertIn(f'tenon_storage_trouble{{code="{code}"}} 1', self.client().get("/metrics").body.decode())
            self.disk.heal()
            self.assertEqual(201, self.ada.post("/api/core/users", user).status)
            with self.copied() as folder:
                self.check_files(folder, [note])


if __name__ == "__main__":
    import unittest
    unittest.main()
