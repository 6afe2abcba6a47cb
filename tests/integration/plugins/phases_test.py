"""Upgrades in phases: the old version keeps running while the data is expanded; its columns are removed once it is gone."""

import json
import shutil
import sqlite3
import threading
import unittest

from install_case import SLOW, InstallCase
from tenon import BOTH, BUILD, Client, eventually, tenon


def items(*fields):
    return {"name": "items", "publish": True, "rules": {"read": "true", "create": "true", "update": "true"},
            "fields": [{"name": name, "type": "text", "required": required} for name, required in fields]}


FIRST = (items(("title", True)), SLOW)
SECOND = (items(("title", False), ("name", False)), SLOW)
THIRD = (items(("name", True)), SLOW)
# Copies the titles, and keeps the copy up to date.
COPY = ("0001_name_from_title", "expand", """UPDATE items SET name = title;
CREATE TRIGGER named AFTER INSERT ON items WHEN new.name IS NULL
BEGIN UPDATE items SET name = new.title WHERE id = new.id; END;
""", """UPDATE items SET name = title;
CREATE FUNCTION named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN IF new.name IS NULL THEN new.name := new.title; END IF; RETURN new; END $$;
CREATE TRIGGER named BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION named();
""")
# Each takes a while, even if every name is set, and writers get the write lock in between.
COUNT = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
         "UPDATE items SET name = title WHERE (SELECT count(*) FROM n) < 0;")
SLOWLY = [(f"000{number}_slow", "expand", COUNT, COUNT) for number in range(2, 6)]
DROP = ("0006_drop_title", "contract", "DROP TRIGGER named;\nALTER TABLE items DROP COLUMN title;\n",
        "DROP TRIGGER named ON items;\nALTER TABLE items DROP COLUMN title;\n")
# Fails if two items have the same name.
ONCE = ("0007_once", "contract", *["CREATE UNIQUE INDEX once ON items (name);\n"] * 2)
EXPANDING = (COPY, *SLOWLY)


def files(*migrations):
    for name, phase, sqlite, postgresql in migrations:
        yield f"{name}.sql", f"-- tenon: phase {phase}\n{sqlite}"
        yield f"{name}.pg.sql", f"-- tenon: phase {phase}\n{postgresql}"


class Writers:
    """Threads that write all the time, each title once; `field` is the name of the title in the version they know."""

    def __init__(self, server, count=2):
        self.server, self.field = server, "title"
        self.written, self.refused = [], []
        self.finished = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(number,)) for number in range(count)]
        for thread in self.threads:
            thread.start()

    def write(self, number):
        client = Client(self.server).sign_in("ada")
        for count in range(1_000_000):
            if self.finished.wait(0.01):
                break
            title = f"{number} {count:06}"
            response = client.post("/api/multi-version/items", {self.field: title})
            if response.status == 201:
                self.written.append((title, "name" in response.json()))
            else:
                self.refused.append(response)
        client.close()

    def codes(self):
        """Returns the codes of refused writes; on a busy machine a write may time out before it gets the write lock."""
        return {response.json()["code"] for response in self.refused}

    def end(self):
        self.finished.set()
        for thread in self.threads:
            thread.join()
        return [title for title, _ in self.written]


class Phases(InstallCase):
    engines = BOTH

    def setUp(self):
        super().setUp()
        self.install("1.0.0", tables=FIRST)
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "one"}).status, 201)

    def sign_in_again(self):
        self.ada.close()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)

    def second(self, version="2.0.0", **more):
        return self.package(version, tables=SECOND, migrations=files(*EXPANDING), **more)

    def third(self, version="3.0.0", *more):
        return self.package(version, tables=THIRD, migrations=files(*EXPANDING, DROP, *more))

    def upgrade(self, file):
        response = self.send(file)
        self.assertEqual((response.status, response.json()["state"]), (200, "active"), response)
        return response.json()

    def is_expanded(self):
        """Whether the new field is there."""
        try:
            self.rows("SELECT name FROM items LIMIT 1")
        except (AssertionError, sqlite3.OperationalError) as error:
            self.assertIn("column", str(error))
            return False
        return True

    def names(self, field="name"):
        return sorted(row[0] for row in self.rows(f"SELECT {field} FROM items"))

    def test_serves_during_expand_without_loss(self):
        file = self.second()
        plan = self.send(file, "/api/core/plugins/plan").json()["data"]
        self.assertEqual((plan["phased"], plan["blocked_by"]), (True, ""), plan)
        self.assertEqual({step["phase"] for step in plan["steps"]}, {"expand"}, plan)
        said = self.run_plugin("plan", file, "--data", self.server.data).stdout
        self.assertIn("run 0001_name_from_title.sql (expand)\n", said)
        self.assertIn("data: requests are served during the migration\n", said)
        writers = Writers(self.server)
        responses = []
        upgrading = threading.Thread(target=lambda: responses.append(self.send(file)))
        upgrading.start()
        # The old version responds while its data already has the new field.
        reader = Client(self.server)
        during_expand = 0
        while not responses:
            during_expand += self.is_expanded() and reader.get("/api/multi-version/version").body == b"1.0.0"
        upgrading.join()
        reader.close()
        self.assertEqual((responses[0].status, responses[0].json()["version"]), (200, "2.0.0"), responses)
        self.assertGreater(during_expand, 0, "requests waited for the expand")
        eventually(lambda: any(is_new for _, is_new in writers.written))
        # Then the next one, which contracts.
        self.upgrade(self.third())
        writers.field = "name"
        eventually(lambda: self.ada.post("/api/multi-version/items", {"name": "last"}).status == 201)
        titles = writers.end()
        # 3.0.0 refuses clients that know only the title.
        self.assertEqual({response.status for response in writers.refused if response.json()["code"] != "data.busy"} - {422}, set(), writers.refused[:3])
        self.assertEqual((self.version(), self.plugin()["reason"]), ("3.0.0", None))
        self.assertLessEqual({"one", "last", *titles}, set(self.names()))
        self.assertFalse(self.has_title())
        self.server.restart()
        self.sign_in_again()
        self.assertEqual((self.version(), self.plugin()["reason"]), ("3.0.0", None))

    def has_title(self, *more):
        """Whether the contract is still to be run."""
        return self.send(self.third("3.0.0", *more), "/api/core/plugins/plan").json()["data"]["pending_contract"] != []

    def test_keeps_writes_when_version_fails_after_expand(self):
        """fault: a version fails in start, after an expand during which the old version kept running
        | the old version keeps running with all that it wrote, now and after a restart; the next version expands from there
        | the response: `plugins.start_failed`; the log: that the data is unchanged"""
        writers = Writers(self.server)
        eventually(lambda: writers.written)
        self.assert_problem(self.send(self.second("2.0.9")), 409, "plugins.start_failed")
        self.assertEqual((self.version(), self.plugin()["state"], self.plugin()["reason"]), ("1.0.0", "active", None))
        before = len(writers.written)
        eventually(lambda: len(writers.written) > before)
        titles = writers.end()
        self.assertFalse(any(is_new for _, is_new in writers.written), "the old version responds")
        self.assertEqual(writers.codes() - {"data.busy"}, set(), writers.refused[:3])
        self.assertIn("the version before continues with its data as it is", self.server.log(500))
        self.assertTrue(self.is_expanded())
        self.server.restart()
        self.sign_in_again()
        self.assertEqual((self.version(), self.plugin()["reason"]), ("1.0.0", None))
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "two"}).status, 201)
        self.assertEqual(self.names("title"), sorted(["one", "two", *titles]))
        self.upgrade(self.second("2.1.0"))
        self.assertEqual(self.names(), self.names("title"))

    def test_removes_failed_version_when_nothing_was_written(self):
        self.assertEqual(self.ada.post("/api/multi-version/quick", b"").status, 200)
        # Its start takes away what others wrote, and fails.
        self.assert_problem(self.send(self.second("2.0.9")), 409, "plugins.start_failed")
        self.assertEqual(self.rows("SELECT version FROM slow"), [("1.0.0",)])
        self.assertFalse(self.is_expanded())

    def test_rolls_back_code_alone_across_expand(self):
        self.upgrade(self.second())
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "two", "name": "zwei"}).status, 201)
        plan = self.ada.get("/api/core/plugins/multi-version/rollback").json()
        self.assertEqual((plan["restores_data"], plan["may_keep_data"]), (True, True), plan)
        self.assertIn("--data-policy keep loses no data",
                      self.run_plugin("rollback", "multi-version", "--plan", "--data", self.server.data).stdout)
        self.assert_problem(self.ada.post("/api/core/plugins/multi-version/rollback", {"data": "purge"}), 422, "plugins.validation")
        back = self.ada.post("/api/core/plugins/multi-version/rollback", {"data": "keep"})
        self.assertEqual((back.status, back.json()["version"], back.json()["previous"]), (200, "1.0.0", ""), back)
        self.assertEqual(self.titles(), ["one", "two"])
        self.server.restart()
        self.sign_in_again()
        self.assertEqual((self.version(), self.titles()), ("1.0.0", ["one", "two"]))
        self.upgrade(self.second("2.1.0"))
        self.assertEqual(self.names(), ["one", "zwei"])
        # After a contract this is impossible.
        self.upgrade(self.third())
        plan = self.ada.get("/api/core/plugins/multi-version/rollback").json()
        self.assertEqual(plan["may_keep_data"], False, plan)
        self.assert_problem(self.ada.post("/api/core/plugins/multi-version/rollback", {"data": "keep"}), 409, "plugins.data_not_shared")
        self.server.stop()
        done = tenon("plugin", "rollback", "multi-version", "--data", "keep", "--data", self.server.data)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("Version 2.1.0 cannot use the current data", done.stderr)
        done = tenon("plugin", "rollback", "multi-version", "--data", self.server.data)
        self.assertEqual(done.returncode, 0, done)
        self.server.start()
        self.sign_in_again()
        self.assertEqual((self.version(), self.names("title")), ("2.1.0", ["one", "two"]))

    def test_reports_and_retries_failed_contract(self):
        """fault: a migration of the phase contract fails, after the switch
        | the new version keeps running with its data unchanged; the migration is retried when the plugin is enabled and at each start
        | `plugins.contract_pending` at the plugin, with the migration and the reason; the log"""
        self.upgrade(self.second())
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "one"}).status, 201)
        upgraded = self.upgrade(self.third("3.0.0", ONCE))
        self.assertEqual((upgraded["version"], upgraded["reason"]["code"]), ("3.0.0", "plugins.contract_pending"), upgraded)
        self.assertIn("(0006_drop_title.sql, 0007_once.sql) failed: ", upgraded["reason"]["message"])
        self.assertIn("plugins.contract_pending", self.ada.get("/readyz").body.decode() + json.dumps(self.plugin()))
        self.assertIn("contract migrations failed", self.server.log(500))
        self.assertEqual(self.ada.post("/api/multi-version/items", {"name": "three"}).status, 201)
        self.assertEqual(self.ada.post("/api/core/plugins/multi-version/enable", {}).json()["reason"]["code"], "plugins.contract_pending")
        self.server.restart()
        self.sign_in_again()
        self.assertEqual(self.version(), "3.0.0")
        eventually(lambda: self.plugin()["reason"])
        self.assertEqual(self.plugin()["reason"]["code"], "plugins.contract_pending")
        self.assertTrue(self.has_title(ONCE))
        self.rows("UPDATE items SET name = id WHERE name = 'one'")
        enabled = self.ada.post("/api/core/plugins/multi-version/enable", {})
        self.assertEqual((enabled.status, enabled.json()["reason"]), (200, None), enabled)
        self.assertFalse(self.has_title(ONCE))
        self.assertEqual((len(self.names()), self.names()[-1]), (3, "three"))

    def test_finishes_pending_contract_at_start(self):
        self.upgrade(self.second())
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "one"}).status, 201)
        self.assertEqual(self.upgrade(self.third("3.0.0", ONCE))["reason"]["code"], "plugins.contract_pending")
        self.rows("UPDATE items SET name = id")
        self.server.restart()
        self.sign_in_again()
        eventually(lambda: not self.has_title(ONCE))
        self.assertEqual((self.version(), self.plugin()["reason"]), ("3.0.0", None))

    def test_runs_expand_function_while_old_version_serves(self):
        for number in range(40):
            self.assertEqual(self.ada.post("/api/multi-version/items", {"title": f"{number:03}"}).status, 201)
        phases = [{"number": 1, "phase": "expand"}]
        self.assert_problem(self.send(self.package("2.0.0", tables=SECOND, phases=phases)), 409, "plugins.migration_unknown")
        self.assertFalse(self.is_expanded())
        file = self.package("4.0.0", tables=SECOND, phases=phases)
        responses = []
        upgrading = threading.Thread(target=lambda: responses.append(self.send(file)))
        upgrading.start()
        reader = Client(self.server)
        versions_seen = set()
        while not responses:
            named = int(self.rows("SELECT count(name) FROM items")[0][0]) if self.is_expanded() else 0
            response = reader.post("/api/multi-version/quick", b"")
            self.assertEqual(response.status, 200, response)
            if 0 < named < 41:
                versions_seen.add(response.body)
        upgrading.join()
        reader.close()
        self.assertEqual((responses[0].status, responses[0].json()["version"]), (200, "4.0.0"), responses)
        self.assertIn(b"1.0.0", versions_seen, "requests waited for the function")
        self.assertEqual(self.names(), self.names("title"))
        # The old version can continue with this data.
        back = self.ada.post("/api/core/plugins/multi-version/rollback", {"data": "keep"})
        self.assertEqual((back.status, back.json()["version"]), (200, "1.0.0"), back)
        self.server.restart()
        self.sign_in_again()
        self.assertEqual((self.version(), self.plugin()["reason"], len(self.names())), ("1.0.0", None, 41))

    def test_explains_waiting_requests_in_plan(self):
        undeclared = [(f"0001_name_from_title{end}", text) for end, text in ((".sql", COPY[2]), (".pg.sql", COPY[3]))]
        file = self.package("2.0.0", tables=SECOND, migrations=undeclared)
        plan = self.send(file, "/api/core/plugins/plan").json()["data"]
        self.assertEqual((plan["phased"], plan["blocked_by"]), (False, "0001_name_from_title.sql declares no phase"), plan)
        self.assertIn("data: requests wait during the migration: 0001_name_from_title.sql declares no phase\n",
                      self.run_plugin("plan", file, "--data", self.server.data).stdout)
        self.upgrade(file)
        self.assertEqual(self.names(), ["one"])
        # A version passed over: its data change as a whole, for the first one cannot do without its titles.
        plan = self.send(self.third(), "/api/core/plugins/plan").json()
        self.assertEqual([one["code"] for one in plan["refusals"]], ["data.migration_changed"], plan)

    def test_rejects_unknown_phase_when_packing(self):
        folder = self.root / "wrong" / "multi-version"
        shutil.copytree(BUILD / "tests/plugins/zoo/multi_version/multi-version", folder)
        (folder / "migrations").mkdir()
        (folder / "migrations/0001_wrong.sql").write_text("-- tenon: phase grow\nSELECT 1;\n")
        done = self.run_plugin("pack", folder, "--output", self.root / "wrong.tenon", code=1)
        self.assertIn("migrations/0001_wrong.sql: '-- tenon: phase grow' is not known; known are", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
