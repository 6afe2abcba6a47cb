"""The files of a plugin's pages in the real server: open pages still get those of the previous version, and when not."""

import base64
import hashlib
import json
import pathlib
import shutil
import tempfile
import unittest

from tenon import BUILD, Client, Server, tenon

SOURCE = BUILD / "tests/plugins/zoo/multi_version/multi-version"
CODE = {"Content-Type": "application/octet-stream"}


def write_pages(folder, build):
    """Pages as a build leaves them: every name but the manifest's carries what it was built from."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    entry = f"export default {{id: 'multi-version', build: {build}}};".encode()
    (folder / f"entry.{build}.js").write_bytes(entry)
    (folder / f"later.{build}.js").write_text(f"export default {build};")
    (folder / f"large.{build}.js").write_text(f"// {build}\n" * 20_000)
    integrity = "sha384-" + base64.b64encode(hashlib.sha384(entry).digest()).decode()
    manifest = {"entry": f"entry.{build}.js", "integrity": integrity, "styles": [], "preload": []}
    (folder / "manifest.json").write_text(json.dumps(manifest))


class UiFilesTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-ui-files-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.directory = self.root / "plugins"
        self.directory.mkdir()
        self.server = Server("--plugins", str(self.directory), data=self.root / "data").start()
        self.addCleanup(self.server.close)
        self.ada = Client(self.server)
        self.addCleanup(self.ada.close)
        made = self.ada.post("/api/core/setup", {"token": self.server.setup_link_token(), "login": "ada", "name": "Ada",
                                                 "password": "correct horse battery"})
        self.assertEqual(made.status, 201, made)
        self.numbers = {name: self.key(name) for name in ("ada", "ben")}

    def key(self, name):
        self.assertEqual(tenon("plugin", "keygen", self.root / name, "--no-password").returncode, 0)
        response = self.ada.post("/api/core/keys", {"key": (self.root / f"{name}.pub").read_text(), "name": name})
        self.assertEqual(response.status, 201, response)
        return response.json()["number"]

    def write_plugin(self, folder, build):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SOURCE, folder)
        [library] = folder.rglob("multi-version.so")
        library.write_bytes(library.read_bytes().replace(b"1.0.0", f"{build}.0.0".encode()))
        manifest = json.loads((folder / "plugin.json").read_text())
        (folder / "plugin.json").write_text(json.dumps({**manifest, "version": f"{build}.0.0"}))
        tables = [{"name": "slow", "fields": [{"name": "version", "type": "text"}]}]
        (folder / "tables.json").write_text(json.dumps({"tables": tables}))
        write_pages(folder / "ui", build)

    def install(self, build, key="ada", consents=()):
        folder, file = self.root / "build/multi-version", self.root / f"multi-version-{build}.tenon"
        self.write_plugin(folder, build)
        for arguments in (("pack", folder, "--output", file), ("sign", file, "--key", self.root / f"{key}.key")):
            done = tenon("plugin", *arguments)
            self.assertEqual(done.returncode, 0, done)
        plan = self.ada.post("/api/core/plugins/plan", file.read_bytes(), headers=CODE).json()
        response = self.ada.post("/api/core/plugins", {"package": plan["package"], "consents": list(consents)})
        self.assertEqual((response.status, response.json().get("state")), (200, "active"), response)

    def served(self, name="later"):
        """Builds whose file of this name is served."""
        responses = {build: self.ada.get(f"/ui/plugins/multi-version/{name}.{build}.js") for build in (1, 2, 3)}
        for build, response in responses.items():
            if response.status == 200:
                self.assertIn("immutable", response.headers["cache-control"], response)
                self.assertIn(str(build).encode(), response.body[:20])
            else:
                self.assertEqual(response.status, 404, response)
        return [build for build, response in responses.items() if response.status == 200]

    def act(self, action, status=200):
        response = self.ada.post(f"/api/core/plugins/multi-version/{action}", {})
        self.assertEqual(response.status, status, response)

    def module(self):
        [plugin] = self.ada.get("/api/core/shell").json()["plugins"]
        return plugin["module"].rsplit("/", 1)[-1]

    def restart(self):
        self.server.restart()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)

    def test_keeps_serving_previous_version(self):
        self.install(1)
        self.assertEqual(self.served(), [1])
        self.install(2)
        self.assertEqual((self.module(), self.served(), self.served("large")), ("entry.2.js", [1, 2], [1, 2]))
        # One before, not more.
        self.install(3)
        self.assertEqual(self.served(), [2, 3])
        # A server that is started again finds what is kept.
        self.restart()
        self.assertEqual((self.module(), self.served()), ("entry.3.js", [2, 3]))
        # A rollback takes the newer version from the disk, not from who has its pages open.
        self.act("rollback")
        left = [path.name.split("-")[0] for path in (self.server.data / "plugins/multi-version").iterdir() if path.name != "snapshots"]
        self.assertEqual((self.module(), self.served(), self.served("large"), left), ("entry.2.js", [2, 3], [2, 3], ["2.0.0"]))

    def test_serves_no_files_of_absent_plugins(self):
        self.install(1)
        self.install(2)
        self.act("disable")
        self.assertEqual(self.served(), [])
        self.act("enable")
        self.assertEqual(self.served(), [1, 2])
        # Removed is gone for good, whatever comes next.
        self.assertEqual(self.ada.delete("/api/core/plugins/multi-version?data=keep").status, 204)
        self.assertEqual(self.served(), [])
        self.install(3)
        self.assertEqual(self.served(), [3])

    def test_serves_no_files_of_revoked_key(self):
        self.install(1)
        self.install(2, key="ben", consents=["signer"])
        self.assertEqual(self.served(), [1, 2])
        response = self.ada.post(f"/api/core/keys/{self.numbers['ada']}/revoke", {"reason": "lost"})
        self.assertEqual(response.status, 200, response)
        self.assertEqual(self.served(), [2])
        # Nor when the server finds it on the disk.
        self.restart()
        self.assertEqual(self.served(), [2])
        # A version that ran when its key was revoked never counts as the previous version.
        self.key("carl")
        response = self.ada.post(f"/api/core/keys/{self.numbers['ben']}/revoke", {"reason": "lost"})
        self.assertEqual(response.status, 200, response)
        self.install(3, key="carl", consents=["signer"])
        self.assertEqual(self.served(), [3])

    def test_serves_folder_under_development(self):
        folder = self.directory / "multi-version"
        self.write_plugin(folder, 1)
        self.act("enable")
        # A page was opened; then the folder is rebuilt.
        self.assertEqual(self.ada.get("/ui/plugins/multi-version/entry.1.js").status, 200)
        write_pages(folder / "ui", 2)
        self.assertEqual((self.served(), self.served("large")), ([1], [1]))
        self.act("disable")
        self.assertEqual(self.served(), [])
        self.act("enable")
        self.assertEqual((self.module(), self.served(), self.served("large")), ("entry.2.js", [1, 2], [1, 2]))


if __name__ == "__main__":
    unittest.main()
