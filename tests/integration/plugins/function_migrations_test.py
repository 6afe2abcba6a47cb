"""Migrations that are functions of the plugin: in batches, in the real server, which is killed in the middle of one."""

import json
import pathlib
import shutil
import tempfile
import unittest

from tenon import BOTH_IN_FULL, BUILD, Client, Server, eventually, plugin_rows

ID = "migrates-in-batches"
ROWS = 400
TABLES = {"tables": [
    {"name": "items", "publish": True, "rules": {"read": "true", "create": "true"},
     "fields": [{"name": "title", "type": "text"}, {"name": "visits", "type": "integer", "required": True, "default": 0}]},
]}


class FunctionMigrations(unittest.TestCase):
    engines = BOTH_IN_FULL

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-migrations-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        source = next((BUILD / "tests/plugins/zoo/migrates_in_batches").rglob("plugin.json")).parent
        shutil.copytree(source, self.root / "plugins" / ID)
        (self.root / "plugins" / ID / "tables.json").write_text(json.dumps(TABLES))
        self.server = None
        server = self.start(0)
        self.ada = Client(server)
        self.addCleanup(self.ada.close)
        made = self.ada.post("/api/core/setup", {"token": server.setup_link_token(), "login": "ada", "name": "Ada",
                                                 "password": "correct horse battery"})
        self.assertEqual(made.status, 201, made)
        for first in range(0, ROWS, 100):
            batch = {"create": [{"title": f"item {first + number}"} for number in range(100)]}
            self.assertEqual(self.ada.post(f"/api/{ID}/items/batch", batch).status, 200)

    def start(self, newest, pace=0):
        """The version of the plugin whose newest migration has this number."""
        environment = {"ZOO_MIGRATION": str(newest), "ZOO_PACE": str(pace)}
        if self.server is None:
            self.server = Server("--plugins", str(self.root / "plugins"), "--plugins", str(BUILD / "lib/tenon/plugins"),
                                 data=self.root / "data", environment=environment).start()
            self.addCleanup(self.server.close)
            return self.server
        self.server.stop()
        self.server.environment.update(environment)
        self.server.start()
        self.ada.close()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        return self.server

    def plugin(self):
        return self.ada.get(f"/api/core/plugins/{ID}").json()

    def rows(self, sql):
        """Rows of the plugin's tables, each a tuple of numbers; or what a statement changes."""
        return [tuple(map(int, row)) for row in plugin_rows(self.server, ID, sql)]

    def visits(self):
        """How many items have been visited how often."""
        return dict(self.rows("SELECT visits, count(*) FROM items GROUP BY visits"))

    def test_continues_where_it_was_killed(self):
        """fault: kill -9 in the middle of a migration that is a function, at a start
        | the next start continues after the last batch; each row once
        | how far it is in the list and the log"""
        self.start(1, pace=25)
        # The server is there; the plugin is not yet, and says so.
        refused = self.ada.get(f"/api/{ID}/items")
        self.assertEqual((refused.status, refused.json()["code"]), (503, "plugins.migrating"), refused)
        self.assertEqual(self.ada.get("/api/tasks/boards").status, 200)
        # The console shows the progress, at most once a second.
        progress = eventually(lambda: self.plugin()["migration"])
        self.assertEqual((progress["number"], progress["name"], progress["total"]), (1, "visit", ROWS), progress)
        self.assertGreater(progress["done"], 0)
        self.server.kill()
        done = self.visits()
        [(checkpoint, reported, finished)] = self.rows("SELECT bookmark, done, is_over FROM tenon_function_migrations")
        self.assertEqual(set(done), {0, 1}, "it was killed in the middle")
        self.assertEqual((done[1], finished), (reported, 0))
        self.assertEqual(self.rows(f"SELECT count(*) FROM items WHERE rowid <= {checkpoint}"), [(reported,)], "batch and checkpoint are one")
        self.start(1)
        eventually(lambda: self.plugin()["state"] == "active")
        self.assertIsNone(self.plugin()["migration"])
        self.assertEqual(self.visits(), {1: ROWS}, "every item once")
        self.assertEqual(self.ada.get(f"/api/{ID}/items?count=true&filter=visits%20%3D%201").json()["total"], ROWS)
        self.assertIn("the data of a plugin is migrated", self.server.log(500))
        # Once in the life of the data.
        self.start(1)
        self.assertEqual(self.plugin()["state"], "active", "no request had to wait")
        self.assertEqual(self.visits(), {1: ROWS})

    def test_keeps_data_and_checkpoint_on_failure(self):
        self.rows("UPDATE items SET title = 'poison' WHERE rowid = 200")
        self.start(1)
        eventually(lambda: self.plugin()["state"] == "failed")
        reason = self.plugin()["reason"]
        self.assertEqual(reason["code"], "plugins.migration_failed", reason)
        self.assertIn("1 (visit) failed: There is poison.", reason["message"])
        gone = self.ada.get(f"/api/{ID}/items")
        self.assertEqual((gone.status, gone.json()["code"]), (404, "plugins.not_active"), gone)
        self.assertEqual(self.visits(), {0: ROWS - 190, 1: 190}, "what was done is kept, the batch that failed is undone")
        again = self.ada.post(f"/api/core/plugins/{ID}/enable")
        self.assertEqual((again.status, again.json()["code"]), (409, "plugins.migration_failed"), again)
        self.assertEqual(self.visits(), {0: ROWS - 190, 1: 190})
        self.rows("UPDATE items SET title = 'cured' WHERE rowid = 200")
        enabled = self.ada.post(f"/api/core/plugins/{ID}/enable")
        self.assertEqual(enabled.status, 200, enabled)
        self.assertEqual(self.visits(), {1: ROWS})

    def test_stops_between_batches_when_disabled(self):
        self.start(2, pace=25)
        eventually(lambda: self.plugin()["migration"])
        disabled = self.ada.post(f"/api/core/plugins/{ID}/disable")
        self.assertEqual((disabled.status, disabled.json()["state"]), (200, "disabled"), disabled)
        self.assertEqual(set(self.visits()), {0, 1}, "it was stopped in the middle")
        self.start(2)
        self.assertEqual(self.plugin()["state"], "disabled")
        self.assertEqual(self.ada.post(f"/api/core/plugins/{ID}/enable").json()["state"], "active")
        self.assertEqual(self.visits(), {2: ROWS}, "both, one after the other")
        # A version that knows less than the data has been through is refused.
        self.start(1)
        self.assertEqual(self.plugin()["reason"]["code"], "data.newer")

    def test_does_not_delay_server_stop(self):
        self.start(1, pace=500)
        eventually(lambda: self.plugin()["migration"])
        self.assertEqual(self.server.stop(), 0)
        self.assertEqual(set(self.visits()), {0, 1})


if __name__ == "__main__":
    unittest.main()
