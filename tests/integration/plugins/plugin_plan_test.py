"""tenon plugin plan: what a version of a plugin would do to its data, with a running server and without one."""

import json
import pathlib
import shutil
import tempfile
import unittest

from tenon import BOTH_IN_FULL, BUILD, ENGINE, ROOT, Client, Server, core_rows, tenon

TABLES = {"tables": [{"name": "cards", "fields": [{"name": "title", "type": "text"}, {"name": "size", "type": "integer"}]}]}


class PluginPlan(unittest.TestCase):
    engines = BOTH_IN_FULL

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-plan-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.data = self.root / "data"
        self.folder = self.root / "new" / "sample"
        self.folder.mkdir(parents=True)

    def version(self, version, tables, **more):
        manifest = {"id": "sample", "name": "Sample", "version": version, "abi": {"major": 0, "minor": 1}, **more}
        (self.folder / "plugin.json").write_text(json.dumps(manifest))
        (self.folder / "tables.json").write_text(json.dumps(tables))

    def plan(self, *arguments):
        return tenon("plugin", "plan", f"{self.folder}/", "--data", self.data, *arguments)

    def test_reports_new_plugin_and_creates_nothing(self):
        self.data.mkdir()
        self.version("1.0.0", TABLES)
        done = self.plan()
        self.assertEqual((done.returncode, done.stdout),
                         (0, "sample: new -> 1.0.0\n  create table cards (2 fields)\n"), done.stderr)
        self.assertEqual(list(self.data.iterdir()), [])

    def tasks(self):
        """A server with the tree's own tasks in use, and a copy of their folder to be changed."""
        server = Server(data=self.data).start()
        self.addCleanup(server.close)
        source = ROOT / "plugins" / "tasks"
        self.folder = self.root / "new" / "tasks"
        self.folder.mkdir()
        for name in ("plugin.json", "tables.json"):
            shutil.copy(source / name, self.folder / name)
        shutil.copytree(source / "migrations", self.folder / "migrations")
        return server

    def change(self, edit):
        file = self.folder / "tables.json"
        tables = json.loads(file.read_text())
        edit({table["name"]: table for table in tables["tables"]})
        file.write_text(json.dumps(tables))
        manifest = json.loads((self.folder / "plugin.json").read_text())
        manifest["version"] = "99.0.0"
        (self.folder / "plugin.json").write_text(json.dumps(manifest))

    def test_exits_with_1_for_rejected_change(self):
        server = self.tasks()
        same = self.plan()
        self.assertEqual(same.returncode, 0, same.stderr)
        self.assertIn("nothing to do", same.stdout)

        def edit(tables):
            tables["labels"]["formerly"] = ["tags"]
            tables["comments"]["fields"] = [field for field in tables["comments"]["fields"] if field["name"] != "mentions"]
            tables["views"]["name"], tables["views"]["formerly"] = "filters", ["views"]

        self.change(edit)
        online = self.plan("--json")
        self.assertEqual(online.returncode, 1, online.stderr)
        plan = json.loads(online.stdout)
        self.assertIn({"kind": "rename_table", "table": "filters", "field": "", "text": "rename table views to filters", "phase": ""},
                      plan["steps"])
        self.assertEqual([(one["table"], one["field"], one["kind"]) for one in plan["refusals"]],
                         [("comments", "mentions", "drop_field")])
        server.stop()
        before = {path.name: path.read_bytes() for path in self.data.glob("tasks.db*")}
        alone = self.plan("--json")
        self.assertEqual((alone.returncode, json.loads(alone.stdout)), (1, plan), alone.stderr)
        self.assertEqual({path.name: path.read_bytes() for path in self.data.glob("tasks.db*")}, before)

    def test_returns_same_plan_over_http_to_admins(self):
        self.data.mkdir()
        self.version("1.0.0", TABLES)
        server = Server("--plugins", str(self.folder.parent), "--plugins", str(BUILD / "lib/tenon/plugins"), data=self.data).start()
        self.addCleanup(server.close)
        admin = Client(server)
        self.addCleanup(admin.close)
        made = admin.post("/api/core/setup", {"token": server.setup_link_token(), "login": "ada", "name": "Ada",
                                              "password": "correct horse battery"})
        self.assertEqual(made.status, 201, made)
        # It has no library, so it failed, and has no data yet.
        plan = "/api/core/plugins/sample/plan"
        self.assertEqual(admin.get(plan).json(), json.loads(self.plan("--json").stdout))
        posted = admin.post(plan, {"tables": [{"name": "cards", "fields": [{"name": "title", "type": "text"}]}]})
        self.assertEqual(posted.status, 200, posted)
        self.assertEqual([step["text"] for step in posted.json()["steps"]], ["create table cards (1 field)"])
        wrong = admin.post(plan, {"tables": [{"name": "cards", "fields": [{"name": "title", "type": "odd"}]}]})
        self.assertEqual((wrong.status, wrong.json()["code"]), (422, "data.tables_invalid"), wrong)
        self.assertIn("tables.json: /tables/0/fields/0/type", wrong.json()["detail"])
        self.assertFalse((self.data / "sample.db").exists())
        if ENGINE == "postgresql":
            self.assertEqual(core_rows(server, "SELECT 1 FROM pg_namespace WHERE nspname = 'plugin_sample'"), [])
        self.assertEqual(admin.get("/api/core/plugins/unknown/plan").status, 404)
        # The plan of an active plugin, whose file is open.
        tasks = admin.post("/api/core/plugins/tasks/plan", json.loads((ROOT / "plugins/tasks/tables.json").read_text()))
        self.assertEqual((tasks.status, tasks.json()["steps"], tasks.json()["refusals"]), (200, [], []), tasks)
        dropped = admin.post("/api/core/plugins/tasks/plan", {"tables": []})
        self.assertIn(("cards", "drop_table"), [(one["table"], one.get("kind")) for one in dropped.json()["refusals"]], dropped)
        done = tenon("user", "add", "bob", "--role", "member", "--password-stdin", "--data", self.data, stdin="correct horse battery\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        bob = Client(server).sign_in("bob")
        self.addCleanup(bob.close)
        self.assertEqual((bob.get(plan).status, bob.post(plan, TABLES).status), (403, 403))

    def test_reports_invalid_folder(self):
        self.data.mkdir()
        field = {"name": "who", "type": "reference", "table": "crm:contacts"}
        self.version("1.0.0", {"tables": [{"name": "cards", "fields": [field]}]})
        done = self.plan()
        self.assertEqual(done.returncode, 1)
        self.assertIn("of the plugin 'crm', which plugin.json does not name", done.stderr)
        self.version("1.0.0", {"tables": [{"name": "cards", "fields": [field]}]}, requires={"crm": "^1"})
        self.assertEqual(self.plan().returncode, 0)
        shown = {"name": "shown", "type": "computed", "expression": "upper(secret)"}
        self.version("1.0.0", {"tables": [{"name": "cards", "fields": [{"name": "secret", "type": "text", "hidden": True}, shown]}]})
        self.assertIn("/tables/0/fields/1/expression: the field 'secret' is hidden", self.plan().stderr)
        shown["reveals"] = True
        self.version("1.0.0", {"tables": [{"name": "cards", "fields": [{"name": "secret", "type": "text", "hidden": True}, shown]}]})
        self.assertEqual(self.plan().returncode, 0)
        self.assertEqual(tenon("plugin", "plan", "--data", self.data).returncode, 2)


if __name__ == "__main__":
    unittest.main()
