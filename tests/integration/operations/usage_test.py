"""Mistakes of new users: the message says what is wrong and what to do, and nothing is created by accident."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tables_case import copy_plugin
from tenon import BUILD, Client, Server, TenonTest, eventually


class Words(unittest.TestCase):
    def test_creates_no_installation_without_data_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {name: value for name, value in os.environ.items() if not name.startswith("TENON_")}
            for words in (("user", "list"), ("plugin", "list"), ("plugin", "enable", "notes")):
                done = subprocess.run([BUILD / "bin/tenon", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)
                self.assertEqual(1, done.returncode, done)
                self.assertIn(f"There is no installation in {folder}/tenon-data.", done.stderr)
                self.assertIn("--data DIR", done.stderr)
            self.assertEqual([], os.listdir(folder))


class Folders(unittest.TestCase):
    def test_names_plugin_directory_without_plugins(self):
        with tempfile.TemporaryDirectory() as folder:
            empty, missing = pathlib.Path(folder, "empty"), pathlib.Path(folder, "missing")
            empty.mkdir()
            own = copy_plugin("hello", pathlib.Path(folder, "plugins/hello"))
            server = Server("--plugins", empty, "--plugins", missing, "--plugins", own)
            self.addCleanup(server.close)
            server.start()
            lines = eventually(lambda: (found := [line for line in server.log().splitlines() if "no plugins in a directory" in line])
                               and len(found) == 3 and found)
            for line, directory, reason in zip(lines, (empty, missing, own), (
                    "no folder in it has a plugin.json", "it does not exist", f"name the directory around it: {own.parent}"), strict=True):
                self.assertIn(f"directory={directory} ", line)
                self.assertIn(reason, line)


class Isolation(TenonTest):
    @classmethod
    def setUpClass(cls):
        cls.plugins = pathlib.Path(tempfile.mkdtemp(prefix="tenon-usage-"))
        cls.addClassCleanup(shutil.rmtree, cls.plugins, ignore_errors=True)
        folder = copy_plugin("hello", cls.plugins / "hello")
        manifest = json.loads((folder / "plugin.json").read_text())
        manifest["isolation"] = "required"
        (folder / "plugin.json").write_text(json.dumps(manifest))
        cls.arguments = ("--plugins", str(cls.plugins))
        super().setUpClass()

    def test_rejects_plugin_that_requires_isolation(self):
        ada = Client(self.server).sign_in("ada")
        self.addCleanup(ada.close)
        item = next(item for item in ada.get("/api/core/plugins").json()["items"] if item["id"] == "hello")
        self.assertEqual(("failed", "plugins.isolation_unavailable"), (item["state"], item["reason"]["code"]), item)
        self.assert_problem(ada.post("/api/core/plugins/hello/enable"), 409, "plugins.isolation_unavailable")


if __name__ == "__main__":
    unittest.main()
