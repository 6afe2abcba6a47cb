"""A disk that is really full: a small file system with the data and the log of the server on it."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

import faults_case
from disk import Disk
from faults_case import tenon

# The disk must hold the writes of two recoveries, the log, and the private copies of the libraries.
SIZE = 16 * 1024 * 1024 + sum(library.stat().st_size for folder in faults_case.PLUGINS for library in folder.rglob("*.so"))
TEXT = "full " * 2_000
TUS = {"Tus-Resumable": "1.0.0"}


class FullDisk(faults_case.FaultsTest):
    more_arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.disk_folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-small-disk-"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tenon", cls.disk_folder],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            cls.disk_folder.rmdir()
            raise unittest.SkipTest("only root may mount a small disk" if os.geteuid() else mounted.stderr.strip())
        try:
            cls.data = cls.disk_folder / "data"
            cls.disk = Disk(cls.data)
            cls.server = cls.make_server()
            cls.server.log_path.unlink()
            cls.server.log_path = cls.disk_folder / "log.txt"
            cls.server.start()
            cls.set_up_admin()
        except BaseException:
            cls.unmount()
            raise

    @classmethod
    def make_server(cls):
        return tenon.Server(*faults_case.plugin_arguments(), data=cls.data)

    @classmethod
    def tearDownClass(cls):
        try:
            cls.server.close()
        finally:
            cls.disk.close()
            cls.unmount()

    @classmethod
    def unmount(cls):
        subprocess.run(["umount", "--lazy", cls.disk_folder], check=False)
        cls.disk_folder.rmdir()

    def fill(self):
        """Takes all room that is left."""
        with open(self.disk_folder / "ballast", "ab", buffering=0) as file:
            for size in (65536, 4096, 512, 1):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    pass
        self.assertEqual(0, shutil.disk_usage(self.disk_folder).free)

    def wait_for_reserve(self):
        file = self.data / "space-reserve"
        self.wait_for(lambda: file.exists() and file.stat().st_blocks > 0, "no space is reserved")

    def write_until_refused(self, acknowledged, client):
        for _ in range(2000):
            note, response = self.write_note(TEXT, client)
            if response.status != 201:
                return note, response
            acknowledged.append(note)
        raise AssertionError("the disk takes everything")

    def test_refuses_writes_until_disk_has_space(self):
        """fault: a file system that is full, under the log of the server too
        | writes are refused, reads continue; with free space, writes continue automatically
        | 507 `data.disk_full`; the reason of the plugin in the list and in `/readyz`: free disk space"""
        acknowledged, refused = [], []
        lock = threading.Lock()
        for round_number in (1, 2):
            def write(client):
                mine = []
                note, response = self.write_until_refused(mine, client)
                with lock:
                    acknowledged.extend(mine)
                    refused.append((note, response))
            windows = [self.another_window() for _ in range(8)]
            self.fill()
            writers = [threading.Thread(target=write, args=(window,)) for window in windows]
            for writer in writers:
                writer.start()
            for writer in writers:
                writer.join()
            for note, response in refused[-8:]:
                self.assertIn((response.status, response.json()["code"]), {(507, "data.disk_full"), (503, "data.group_rolled_back")})
            note, response = self.write_until_refused(acknowledged, self.ada)
            self.assert_problem(response, 507, "data.disk_full")
            refused.append((note, response))

            # Readers who were here, an admin who comes now, and the probes.
            for known in acknowledged[-3:]:
                self.assertEqual(200, self.response("GET", f"/notes/{known}").status)
            self.assertEqual(200, self.ada.get("/api/my-plugin/guests").status)
            self.assertEqual(200, self.ada.get("/api/core/plugins").status)
            self.assertEqual(200, self.client().get("/healthz").status)
            reason = self.wait_for_reason("notes", "data.disk_full")["reason"]
            self.assertIn("Free disk space", reason["message"])
            self.assertIn("notes active data.disk_full", self.client().get("/readyz").body.decode())
            sign_in = self.client().post("/api/core/session", {"login": "ada", "password": tenon.PASSWORD})
            self.assertEqual(201, sign_in.status, sign_in)

            (self.disk_folder / "ballast").unlink()
            self.wait_for_health("notes")
            self.assertEqual(201, self.sign_guest_book().status)
            mark = f"/api/after-round-{round_number}"
            self.client().get(mark)
            self.wait_for(lambda: mark in self.server.log_path.read_text(), "the access log does not continue")
            with self.copied() as folder:
                self.check_files(folder, acknowledged, [note for note, _ in refused])
        self.again(kill=True)
        with self.copied() as folder:
            self.check_files(folder, acknowledged, [note for note, _ in refused])

    def test_an_admin_signs_in_and_frees_space(self):
        """fault: a full disk, and no admin is signed in
        | an admin signs in and deletes; other writes are refused; with free space, writes continue automatically
        | 507 `data.disk_full`; the log: only admins can write until there is space"""
        self.add_member("ben")
        ben = self.client("ben")
        notes = [self.write_note(TEXT)[0] for _ in range(5)]
        begun = self.ada.post("/api/notes/blobs", headers={**TUS, "Upload-Length": "100000"})
        self.assertEqual(201, begun.status, begun)
        upload = begun.headers["location"]
        self.wait_for_reserve()
        self.fill()

        # The first write on the full disk is a sign-in.
        windows = []
        for _ in range(10):
            admin = self.client()
            self.assertEqual(201, admin.post("/api/core/session", {"login": "ada", "password": tenon.PASSWORD}).status)
            windows.append(admin)
        self.assertEqual(0, (self.data / "space-reserve").stat().st_size)
        self.assertIn("only admins can write until there is space", self.server.log(1000))
        self.assertEqual(200, windows[0].get("/api/core/plugins").status)

        # Neither members nor uploads use the reserve.
        refused = self.client().post("/api/core/session", {"login": "ben", "password": tenon.PASSWORD})
        self.assert_problem(refused, 507, "data.disk_full")
        wrong = self.client().post("/api/core/session", {"login": "ada", "password": "not this one"})
        self.assert_problem(wrong, 401, "identity.wrong_credentials")
        for client in (ben, windows[0]):
            self.assert_problem(self.write_note("more", client)[1], 507, "data.disk_full")
        self.assert_problem(self.response("DELETE", f"/notes/{notes[0]}", client=ben), 507, "data.disk_full")
        piece = windows[0].patch(upload, bytes(50_000), headers={**TUS, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"})
        self.assert_problem(piece, 507, "blobs.disk_full")
        self.assertEqual(200, ben.get("/api/core/session").status)

        # A DELETE moves a note to the trash, a second one deletes it.
        for note in notes:
            for query in ("", "?forever=true"):
                self.assertEqual(204, self.response("DELETE", f"/notes/{note}{query}", client=windows[0]).status)
            self.assertEqual(404, self.response("GET", f"/notes/{note}", client=windows[0]).status)
        self.assertEqual(204, windows[0].delete(upload, headers=TUS).status)
        ben_id = ben.get("/api/core/session").json()["user"]["id"]
        self.assertEqual(200, windows[1].patch(f"/api/core/users/{ben_id}", {"disabled": True}).status)

        # A restart keeps the state.
        self.again()
        self.assert_problem(self.write_note("more")[1], 507, "data.disk_full")
        (self.disk_folder / "ballast").unlink()
        self.assertEqual(201, self.write_note("more")[1].status)
        self.wait_for_health("notes")
        self.wait_for_reserve()

    def test_a_server_starts_or_explains(self):
        """fault: a start on a full disk | it starts, or ends and says what to do; nothing is lost | the log: free disk space"""
        earlier, _ = self.write_note("before")
        for kill in (True, False):
            self.fill()
            self.server.kill() if kill else self.server.stop()
            try:
                self.server.start()
            except AssertionError as ended:
                self.assertRegex(str(ended) + self.server.log(), "Free (disk )?space")
                (self.disk_folder / "ballast").unlink()
                self.server.start()
            self.ada.close()
            self.assertEqual(200, self.response("GET", f"/notes/{earlier}").status)
            (self.disk_folder / "ballast").unlink(missing_ok=True)
            self.wait_for_health("notes")


if __name__ == "__main__":
    unittest.main()
