"""What the tests share that change one plugin again and again: a server whose admin trusts who signs its versions, and what was kept in it."""

import pathlib
import shutil
import tempfile
import unittest
import uuid

from bad_versions import ID, Versions
from faults_case import rows, tenon
from plugin_changes import MEMORY


class VersionsTest(unittest.TestCase):
    """`root`, a folder for each test; behind serve() a `server` with `ada`, its admin, and `packages`, in all versions."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-versions-", dir=MEMORY))  # a busy disk is another fault
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.kept = []

    def serve(self, *arguments, **options):
        """A server of these arguments with the plugins that Tenon brings."""
        self.packages = Versions(self.root)
        self.server = tenon.Server("--plugins", tenon.BUILD / "lib/tenon/plugins", *arguments, data=self.root / "data", **options).start()
        self.addCleanup(self.server.close)
        self.ada = tenon.Client(self.server)
        self.addCleanup(self.ada.close)
        made = self.ada.post("/api/core/setup", {"token": self.server.setup_link_token(), "login": "ada", "name": "Ada",
                                                 "password": tenon.PASSWORD})
        self.assertEqual(201, made.status, made)
        self.trust()

    def trust(self):
        """Ada's key, by which versions are signed."""
        made = self.ada.post("/api/core/keys", {"key": (self.root / "ada.pub").read_text(), "name": "Ada"})
        self.assertEqual(201, made.status, made)

    def diagnostics(self):
        return self.server.log(60)

    def send(self, package, path="/api/core/plugins"):
        return self.ada.post(path, package, headers={"Content-Type": "application/octet-stream"})

    def install(self, version):
        """This version, whichever was there; the answer."""
        answer = self.send(self.packages.package(version))
        self.assertEqual((200, version, "active"), (answer.status, answer.json().get("version"), answer.json().get("state")), answer)
        self.keep(version)
        return answer

    def keep(self, version):
        """One more row of the version that serves, expected from now on."""
        row = str(uuid.uuid4())
        answer = self.ada.post(f"/api/{ID}/keep", {"id": row})
        self.assertEqual((200, version.encode()), (answer.status, answer.body), answer)
        self.kept.append((row, version))

    def assert_kept(self):
        self.assertEqual(sorted(self.kept), sorted(rows(self.server.data / f"{ID}.db", "SELECT id, version FROM kept")))
