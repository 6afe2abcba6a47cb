"""A data directory that cannot be written: when the server starts, and from one moment on while people work."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest
import uuid

from bad_versions import ID, Versions
from faults_case import FaultsTest, plugin_arguments, tenon

SYSTEM = "Read-only file system"


class ReadOnly(FaultsTest):
    """The data directory is below `root`, on a file system that the test may mount to be read only."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.packages_root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-read-only-"))
        cls.packages = Versions(cls.packages_root)
        ada = tenon.Client(cls.server).sign_in("ada")
        made = ada.post("/api/core/keys", {"key": (cls.packages_root / "ada.pub").read_text(), "name": "Ada"})
        assert made.status == 201, made
        ada.close()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.packages_root, ignore_errors=True)
        super().tearDownClass()

    def send(self, version):
        return self.ada.post("/api/core/plugins", self.packages.package(version), headers={"Content-Type": "application/octet-stream"})

    def install(self, version="1.0.0"):
        if self.ada.get(f"/api/core/plugins/{ID}").status == 404:
            response = self.send(version)
            self.assertEqual((200, "active"), (response.status, response.json().get("state")), response)

    def files(self):
        """Returns the files of the data directory, without those that a running process keeps for itself."""
        return sorted(str(path.relative_to(self.data)) for path in self.data.rglob("*")
                      if not path.name.endswith(("-shm", "-wal")) and "run" not in path.relative_to(self.data).parts)

    def test_serves_reads_and_refuses_changes(self):
        """fault: the data directory becomes read only while the server runs, under writers
        | reads continue, writes and changes of plugins are refused, none is half done; writes continue when the directory is writable again
        | 503 `data.io`, `plugins.package_write_failed` with the system's message, in the responses, the list, `/readyz` and the log"""
        self.install()
        acknowledged, refused = [], []
        lock, over = threading.Lock(), threading.Event()

        def write(client):
            while not over.is_set():
                note, response = self.write_note("x", client)
                with lock:
                    (acknowledged if response.status == 201 else refused).append(note if response.status == 201 else (note, response))

        for _ in range(2):
            over.clear()
            writers = [threading.Thread(target=write, args=(self.another_window(),)) for _ in range(4)]
            for writer in writers:
                writer.start()
            tenon.eventually(lambda: len(acknowledged) > 20)
            files = self.files()
            self.disk.remount_read_only()
            tenon.eventually(lambda: len(refused) > 20)
            over.set()
            for writer in writers:
                writer.join()
            for _, response in refused:
                self.assertIn((response.status, response.json()["code"]), {(503, "data.io"), (503, "data.group_rolled_back")}, response)
            self.assert_reads(acknowledged)
            self.changes_are_refused()
            self.assertEqual(files, self.files())
            self.assert_reads(acknowledged)

            self.disk.heal()
            self.wait_for_health("notes")
            self.wait_for_health("my-plugin")
            self.assertEqual("active", self.plugin("my-plugin")["state"])
            tenon.eventually(self.is_host_well)
            refused.clear()
        changed = self.send("1.1.0")
        self.assertEqual((200, "1.1.0", "active"), (changed.status, changed.json().get("version"), changed.json().get("state")), changed)
        self.assertEqual("disabled", self.ada.post("/api/core/plugins/my-plugin/disable", {}).json()["state"])
        self.assertEqual("active", self.ada.post("/api/core/plugins/my-plugin/enable", {}).json()["state"])
        self.again(kill=True)
        self.assertEqual("1.1.0", self.plugin(ID)["version"])
        with self.copied() as folder:
            self.check_files(folder, acknowledged)

    def is_host_well(self):
        """Returns whether the host is ready after a write of its own."""
        self.assertEqual(201, self.ada.post("/api/core/groups", {"name": str(uuid.uuid4()), "description": ""}).status)
        return self.client().get("/readyz").body == b"ready\n"

    def assert_reads(self, acknowledged):
        for note in acknowledged[-3:]:
            self.assertEqual(200, self.response("GET", f"/notes/{note}").status)
        for path in ("/api/my-plugin/guests", "/api/core/plugins", "/api/core/users", "/healthz", f"/api/{ID}/version"):
            self.assertEqual(200, self.ada.get(path).status, path)

    def changes_are_refused(self):
        """Checks that changes by an admin fail with the reason, and that the running plugins continue."""
        plugin = self.wait_for_reason("notes", "data.io")
        self.assertEqual("active", plugin["state"])
        self.assertIn(SYSTEM, plugin["reason"]["message"])
        self.assertIn("notes active data.io", self.client().get("/readyz").body.decode())
        self.assert_logged(SYSTEM)
        # Only admins see the message of the system.
        user = {"login": "mira", "name": "Mira", "role": "member", "password": tenon.PASSWORD}
        self.assert_problem(self.ada.post("/api/core/users", user), 503, "data.io")
        refused = self.send("1.1.0")
        self.assertEqual((503, "plugins.package_write_failed"), (refused.status, refused.json()["code"]), refused)
        self.assertIn(SYSTEM, refused.json()["detail"])
        for method, path in (("POST", f"{ID}/disable"), ("POST", "my-plugin/disable"), ("DELETE", f"{ID}?data=keep"),
                             ("DELETE", f"{ID}?data=purge"), ("DELETE", f"{ID}?data=export")):
            response = self.ada.request(method, f"/api/core/plugins/{path}", {} if method == "POST" else None)
            self.assertEqual(503, response.status, (path, response))
            name = path.partition("/")[0].partition("?")[0]
            self.assertEqual("active", self.plugin(name)["state"], path)
        self.assertEqual("1.0.0", self.plugin(ID)["version"])


class ReadOnlyStart(unittest.TestCase):
    """Mounted to be read only: by root alone."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-read-only-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.data, self.mounted_data = self.root / "data", self.root / "mounted_data"
        self.data.mkdir()
        self.mounted_data.mkdir()
        mounted = self.mount("--bind", self.data, self.mounted_data)
        if mounted.returncode != 0:
            self.skipTest(f"a read-only mount cannot be made here: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.mounted_data], check=False)
        self.server = tenon.Server(*plugin_arguments(), data=self.mounted_data).start()
        self.addCleanup(self.server.close)
        ada = tenon.Client(self.server)
        self.addCleanup(ada.close)
        made = ada.post("/api/core/setup", {"token": self.server.setup_link_token(), "login": "ada", "name": "Ada",
                                            "password": tenon.PASSWORD})
        self.assertEqual(201, made.status, made)
        note = ada.post("/api/notes/notes", {"title": "It stays", "text": ""})
        self.assertEqual(201, note.status, note)
        self.note = note.json()["id"]

    @staticmethod
    def mount(*arguments):
        return subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True)

    def content(self):
        return {path.relative_to(self.data).as_posix(): path.read_bytes() for path in self.data.rglob("*") if path.is_file()}

    def test_a_start_on_it_is_refused_clearly(self):
        """fault: a start, and commands, on a data directory that is read only; after a clean shutdown and after a kill
        | the server ends with code 1 before it serves, a command that changes something too; nothing is changed, nothing is lost
        | stderr: the file and the system's words; `tenon doctor`: `data.read_only`"""
        packages = Versions(self.root)
        package = self.root / "faulty-versions.tenon"
        package.write_bytes(packages.package("1.0.0"))
        for end in (self.server.stop, self.server.kill):
            end()
            before = self.content()
            remounted = self.mount("-o", "remount,bind,ro", self.mounted_data)
            self.assertEqual(0, remounted.returncode, remounted.stderr)
            for command in (("serve", "--listen", "127.0.0.1:0"), ("serve", "--listen", "127.0.0.1:0", "--no-supervisor"),
                            ("plugin", "install", package), ("plugin", "trust", self.root / "ada.pub"),
                            ("plugin", "disable", "notes"), ("user", "list")):
                done = tenon.tenon(*command, "--data", self.mounted_data)
                self.assertEqual(1, done.returncode, (command, done))
                self.assertIn(str(self.mounted_data), done.stderr, command)
                self.assertIn(SYSTEM, done.stderr, command)
                self.assertNotIn("ready", done.stdout)
            examined = tenon.tenon("doctor", "--data", self.mounted_data, "--json")
            codes = [finding["code"] for check in json.loads(examined.stdout)["checks"] for finding in check["findings"]]
            self.assertIn("data.read_only", codes)
            self.assertEqual(before, self.content())
            self.assertEqual(0, self.mount("-o", "remount,bind,rw", self.mounted_data).returncode)
            self.server.start()
            ada = tenon.Client(self.server).sign_in("ada")
            self.addCleanup(ada.close)
            self.assertEqual("It stays", ada.get(f"/api/notes/notes/{self.note}").json()["title"])
            self.assertEqual(201, ada.post("/api/notes/notes", {"title": "Another", "text": ""}).status)


if __name__ == "__main__":
    unittest.main()
