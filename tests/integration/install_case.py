"""A server with an admin and a trusted key, and packages of the plugin `multi-version` of the zoo in any version."""

import json
import pathlib
import shutil
import tempfile
import unittest

from tenon import BUILD, Client, Server, plugin_rows, tenon

SOURCE = BUILD / "tests/plugins/zoo/multi_version/multi-version"
SLOW = {"name": "slow", "fields": [{"name": "version", "type": "text"}]}
NOTES = {"name": "items", "publish": True, "rules": {"read": "true", "create": "true", "update": "true"},
         "fields": [{"name": "title", "type": "text"}]}
LATER = {**NOTES, "fields": [*NOTES["fields"], {"name": "done", "type": "boolean", "required": True, "default": False}]}


class InstallCase(unittest.TestCase):
    arguments = ()
    plugins = ()  # none of those included in Tenon; their tables take most of the time of a first start

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-install-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        folder = self.root / "plugins"
        folder.mkdir()
        for plugin in self.plugins:
            (folder / plugin).symlink_to(BUILD / "lib/tenon/plugins" / plugin)
        self.server = Server("--plugins", folder, *self.arguments, data=self.root / "data").start()
        self.addCleanup(self.server.close)
        self.ada = Client(self.server)
        self.addCleanup(self.ada.close)
        made = self.ada.post("/api/core/setup", {"token": self.server.setup_link_token(), "login": "ada", "name": "Ada",
                                                 "password": "correct horse battery"})
        self.assertEqual(made.status, 201, made)
        self.key("ada")
        self.trust("ada")

    def run_plugin(self, *arguments, code=0):
        done = tenon("plugin", *arguments)
        self.assertEqual(done.returncode, code, done)
        return done

    def key(self, name):
        self.run_plugin("keygen", self.root / name, "--no-password")

    def trust(self, name):
        key = (self.root / f"{name}.pub").read_text()
        response = self.ada.post("/api/core/keys", {"key": key, "name": name})
        self.assertEqual(response.status, 201, response)
        return response.json()["number"]

    def package(self, version, tables=(NOTES, SLOW), key="ada", migrations=(), phases=(), **manifest):
        """A signed package of the plugin in this version; `migrations` are pairs of a file's name and its text, `phases` those of its functions."""
        folder = self.root / "build" / version / "multi-version"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SOURCE, folder)
        [library] = folder.rglob("multi-version.so")
        library.write_bytes(library.read_bytes().replace(b"1.0.0", version.encode()))
        own = json.loads((folder / "plugin.json").read_text())
        if phases:
            own["migrations"] = list(phases)
        (folder / "plugin.json").write_text(json.dumps({**own, "version": version, **manifest}))
        (folder / "tables.json").write_text(json.dumps({"tables": list(tables)}))
        for name, text in migrations:
            (folder / "migrations").mkdir(exist_ok=True)
            (folder / "migrations" / name).write_text(text)
        file = self.root / f"multi-version-{version}.tenon"
        self.run_plugin("pack", folder, "--output", file)
        if key:
            self.run_plugin("sign", file, "--key", self.root / f"{key}.key")
        return file

    def send(self, file, path="/api/core/plugins"):
        return self.ada.post(path, file.read_bytes(), headers={"Content-Type": "application/octet-stream"})

    def install(self, version, **options):
        response = self.send(self.package(version, **options))
        self.assertEqual(response.status, 200, response)
        self.assertEqual((response.json()["version"], response.json()["state"]), (version, "active"), response)
        return response.json()

    def plugin(self):
        return self.ada.get("/api/core/plugins/multi-version").json()

    def version(self):
        response = self.ada.get("/api/multi-version/version")
        return response.body.decode() if response.status == 200 else response.status

    def titles(self):
        return [item["title"] for item in self.ada.get("/api/multi-version/items?sort=title").json()["items"]]

    def folders(self):
        root = self.server.data / "plugins"
        return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir() and path.parent != root
                      and path.parent.parent == root) if root.exists() else []

    def assert_problem(self, response, status, code):
        self.assertEqual((response.status, response.json()["code"]), (status, code), response)
        return response.json()

    def rows(self, sql):
        return [tuple(row) for row in plugin_rows(self.server, "multi-version", sql)]
