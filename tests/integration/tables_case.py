"""A server whose hello plugin has published tables, with people who are members."""

import json
import pathlib
import shutil
import tempfile

from tenon import BOTH_IN_FULL, BUILD, Client, TenonTest, tenon


def copy_plugin(name, target):
    """The built plugin below `name` of the test plugins, under `target`."""
    return pathlib.Path(shutil.copytree(next((BUILD / "tests/plugins" / name).rglob("plugin.json")).parent, target))


class TablesTest(TenonTest):
    """`TABLES`: the content of its tables.json; `PERMISSIONS`: those of its manifest; `MEMBERS`: logins with their names."""

    engines = BOTH_IN_FULL
    TABLES = {"tables": []}
    PERMISSIONS = []
    MEMBERS = {"bob": "bob"}

    @classmethod
    def setUpClass(cls):
        cls.plugins = pathlib.Path(tempfile.mkdtemp(prefix="tenon-tables-"))
        cls.addClassCleanup(shutil.rmtree, cls.plugins, ignore_errors=True)
        folder = copy_plugin("hello", cls.plugins / "hello")
        if cls.PERMISSIONS:
            manifest = json.loads((folder / "plugin.json").read_text())
            manifest["permissions"] = cls.PERMISSIONS
            (folder / "plugin.json").write_text(json.dumps(manifest))
        cls.write_tables(cls.TABLES)
        cls.add_plugins()
        super().setUpClass()
        for login, name in cls.MEMBERS.items():
            done = tenon("user", "add", login, "--role", "member", "--name", name, "--password-stdin", "--data", cls.server.data,
                         stdin="correct horse battery\n")
            assert done.returncode == 0, done.stderr

    @classmethod
    def add_plugins(cls):
        """More of them in `cls.plugins`, before the server starts."""

    @classmethod
    def write_tables(cls, tables):
        (cls.plugins / "hello/tables.json").write_text(json.dumps(tables))

    def client_of(self, login):
        """A signed-in client, whose `id` is that of its user."""
        client = Client(self.server).sign_in(login)
        self.addCleanup(client.close)
        client.id = client.get("/api/core/session").json()["user"]["id"]
        return client
