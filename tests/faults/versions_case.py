"""The base of tests that change one plugin repeatedly: a server whose admin trusts the signer of its versions, and the rows written to it."""

import pathlib
import shutil
import tempfile
import unittest
import uuid

from bad_versions import ID, Versions
from faults_case import rows, tenon
from plugin_changes import MEMORY


class VersionsTest(unittest.TestCase):
    """`root` is a folder for each test. serve() sets `server`, `ada`, its admin, and `packages`, in all versions."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-versions-", dir=MEMORY))  # a busy disk is another fault
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.kept = []

    def serve(self, *arguments, **options):
        """Starts a server with these arguments and the plugins of Tenon."""
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
        """Trusts Ada's key, which signs the versions."""
        made = self.ada.post("/api/core/keys", {"key": (self.root / "ada.pub").read_text(), "name": "Ada"})
        self.assertEqual(201, made.status, made)

    def diagnostics(self):
        return self.server.log(60)

    def send(self, package, path="/api/core/plugins"):
        return self.ada.post(path, package, headers={"Content-Type": "application/octet-stream"})

    def install(self, version):
        """Installs this version over any other. Returns the response."""
        response = self.send(self.packages.package(version))
        self.assertEqual((200, version, "active"), (response.status, response.json().get("version"), response.json().get("state")), response)
        self.keep(version)
        return response

    def keep(self, version):
        """Writes one more row with the running version, which must exist from now on."""
        row = str(uuid.uuid4())
        response = self.ada.post(f"/api/{ID}/keep", {"id": row})
        self.assertEqual((200, version.encode()), (response.status, response.body), response)
        self.kept.append((row, version))

    def assert_kept(self):
        self.assertEqual(sorted(self.kept), sorted(rows(self.server.data / f"{ID}.db", "SELECT id, version FROM kept")))
