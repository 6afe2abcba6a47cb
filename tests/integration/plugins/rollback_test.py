"""Rollback plans are correct after SQL of the plugin, and an older version uses unchanged data."""

import json
import unittest
import urllib.parse

from install_case import LATER, NOTES, SLOW, InstallCase
from tenon import BOTH, Client

OPTIONS = {"version": True, "timestamps": True}
FIRST = {**NOTES, **OPTIONS, "fields": [*NOTES["fields"], {"name": "rank", "type": "integer"}]}
# Another name for the title, a new field.
SECOND = {**NOTES, **OPTIONS, "fields": [{"name": "name", "formerly": ["title"], "type": "text"}, FIRST["fields"][1],
                                         {"name": "done", "type": "boolean", "required": True, "default": False}]}
# Another type of the rank.
RANKED = {**FIRST, "fields": [FIRST["fields"][0], {"name": "rank", "type": "number"}]}
TOTALS = [("0001_totals.sql", "CREATE TABLE totals (n bigint NOT NULL, word text);\nINSERT INTO totals VALUES (1, 'a'), (2, 'b'), (2, 'b');\n")]
ROLLBACK = "/api/core/plugins/multi-version/rollback"


def none_of(table, **more):
    return {"table": table, "added": 0, "changed": 0, "removed": 0, "new_values": 0, "whole": True, "not_compared": [],
            "records": {"added": [], "changed": [], "removed": []}, **more}


class RollbackCase(InstallCase):
    engines = BOTH

    def fill(self, *titles):
        return [self.ada.post("/api/multi-version/items", {"title": title}).json()["id"] for title in titles]

    def sql(self, statement):
        """Runs it as the plugin does, with no typed table between."""
        response = self.ada.post("/api/multi-version/sql?" + urllib.parse.urlencode({"statement": statement}), b"")
        self.assertEqual(response.status, 200, response)

    def changes(self):
        plan = self.ada.get(ROLLBACK).json()
        return plan["changes"]

    def said(self):
        return self.run_plugin("rollback", "multi-version", "--plan", "--data", self.server.data).stdout

    def sign_in_again(self):
        self.ada.close()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)


class RollbackPlan(RollbackCase):
    def test_names_writes_after_a_schema_change(self):
        self.install("1.0.0", tables=(FIRST, SLOW))
        same, changed, removed, checked = self.fill("a", "b", "c", "d")
        self.install("1.1.0", tables=(SECOND, SLOW))
        self.assertEqual(self.changes(), [])
        self.assertIn("nothing changed since", self.said())
        self.sql(f"UPDATE items SET name = 'B' WHERE id = '{changed}'")
        self.sql(f"DELETE FROM items WHERE id = '{removed}'")
        self.sql("INSERT INTO items (id, name) VALUES ('01900000-0000-7000-8000-000000000001', 'e')")
        self.sql(f"UPDATE items SET done = true WHERE id = '{checked}'")
        records = {"added": ["01900000-0000-7000-8000-000000000001"], "changed": [changed], "removed": [removed]}
        self.assertEqual(self.changes(), [none_of("items", added=1, changed=1, removed=1, new_values=1, records=records)])
        self.assertIn(f"  data: items: 1 added, 1 changed, 1 removed, 1 with values in new fields\n    added: {records['added'][0]}\n"
                      f"    changed: {changed}\n    removed: {removed}\n", self.said())
        # The plan is the same without a server, and what it names is what goes.
        plan = self.ada.get(ROLLBACK).json()
        self.server.stop()
        self.assertEqual(json.loads(self.run_plugin("rollback", "multi-version", "--plan", "--json", "--data", self.server.data).stdout), plan)
        self.server.start()
        self.sign_in_again()
        self.assertEqual(self.ada.post(ROLLBACK, {}).status, 200)
        self.assertEqual(self.titles(), ["a", "b", "c", "d"])
        self.assertIn(same, [item["id"] for item in self.ada.get("/api/multi-version/items").json()["items"]])

    def test_is_incomplete_when_field_type_differs(self):
        self.install("1.0.0", tables=(FIRST, SLOW))
        [one, _] = self.fill("a", "b")
        self.install("1.1.0", tables=(RANKED, SLOW))
        unknown = none_of("items", whole=False, not_compared=["rank"])
        self.assertEqual(self.changes(), [unknown])
        self.assertIn("  data: items: not all compared (rank has another type now)\n", self.said())
        self.sql(f"UPDATE items SET title = 'A' WHERE id = '{one}'")
        self.assertEqual(self.changes(), [{**unknown, "changed": 1, "records": {"added": [], "changed": [one], "removed": []}}])
        self.assertIn("  data: items: at least 1 changed (rank has another type now)\n", self.said())

    def test_counts_rows_of_tables_that_a_migration_made(self):
        self.install("1.0.0", migrations=TOTALS)
        self.install("1.1.0", tables=(LATER, SLOW), migrations=TOTALS)
        self.assertEqual(self.changes(), [])
        self.sql("UPDATE totals SET word = 'A' WHERE n = 1")
        self.sql("INSERT INTO totals VALUES (2, 'b')")
        self.assertEqual(self.changes(), [none_of("totals", added=2, removed=1)])

    def test_names_twenty_records_of_each_kind(self):
        self.install("1.0.0")
        ids = self.fill(*(str(number) for number in range(21)))
        self.install("1.1.0", tables=(LATER, SLOW))
        self.sql("UPDATE items SET title = 'x' || title")
        [items] = self.changes()
        self.assertEqual((items["changed"], items["records"]["changed"]), (21, ids[:20]), items)
        self.assertIn(f"{ids[19]} …\n", self.said())


class SameData(RollbackCase):
    """Versions that declare the same tables and migrations."""

    def test_keeps_data_between_versions_with_same_tables(self):
        self.install("2.0.0", migrations=TOTALS)
        self.fill("one")
        self.install("2.0.1", migrations=TOTALS)
        self.fill("two")
        plan = self.ada.get(ROLLBACK).json()
        self.assertEqual((plan["may_keep_data"], [one["added"] for one in plan["changes"]]), (True, [1]), plan)
        self.assertIn("--data-policy keep loses no data", self.said())
        back = self.ada.post(ROLLBACK, {"data": "keep"})
        self.assertEqual((back.status, back.json()["version"]), (200, "2.0.0"), back)
        self.assertEqual((self.version(), self.titles()), ("2.0.0", ["one", "two"]))
        self.fill("three")
        self.server.restart()
        self.sign_in_again()
        self.assertEqual((self.version(), self.plugin()["reason"], self.titles()), ("2.0.0", None, ["one", "three", "two"]))
        # Forward again, and back without a server.
        self.install("2.0.1", migrations=TOTALS)
        self.fill("four")
        self.server.stop()
        self.run_plugin("rollback", "multi-version", "--data-policy", "keep", "--data", self.server.data)
        self.server.start()
        self.sign_in_again()
        self.assertEqual((self.version(), self.titles()), ("2.0.0", ["four", "one", "three", "two"]))

    def test_rejects_data_when_tables_or_migrations_differ(self):
        for number, (first, second) in enumerate((({}, {"tables": (LATER, SLOW)}), ({}, {"migrations": TOTALS}))):
            with self.subTest(number):
                self.install(f"2.{number}.0", **first)
                self.fill("one")
                self.install(f"2.{number}.1", **second)
                self.fill("two")
                titles = self.titles()
                self.assertEqual(self.ada.get(ROLLBACK).json()["may_keep_data"], False)
                refused = self.ada.post(ROLLBACK, {"data": "keep"})
                self.assertIn("its tables or migrations differ", self.assert_problem(refused, 409, "plugins.data_not_shared")["detail"])
                self.assertEqual((self.version(), self.titles()), (f"2.{number}.1", titles))
                self.assertEqual(self.ada.post(ROLLBACK, {}).status, 200)

    def test_keeps_data_on_downgrade(self):
        self.install("2.0.1")
        self.fill("one")
        older = self.package("2.0.0")
        self.run_plugin("upgrade", older, "--data", self.server.data, code=1)
        self.run_plugin("upgrade", older, "--consent", "downgrade", "--data", self.server.data)
        self.assertEqual((self.version(), self.titles()), ("2.0.0", ["one"]))

    def test_restores_export_of_newer_version(self):
        self.install("2.0.1", migrations=TOTALS)
        self.fill("one", "two")
        name = self.ada.delete("/api/core/plugins/multi-version?data=export").json()["export"]
        # Not where tables or migrations differ.
        for number, options in enumerate(({"tables": (LATER, SLOW), "migrations": TOTALS}, {})):
            other = self.package(f"1.{number}.0", **options)
            refused = self.send(other, f"/api/core/plugins?data={name}")
            self.assertIn("with other tables or migrations", self.assert_problem(refused, 409, "data.newer")["detail"])
            self.assertEqual(self.ada.get("/api/core/plugins/multi-version").status, 404)
        taken = self.send(self.package("2.0.0", migrations=TOTALS), f"/api/core/plugins?data={name}")
        self.assertEqual((taken.status, taken.json()["version"], taken.json()["state"]), (200, "2.0.0", "active"), taken)
        self.assertEqual(self.titles(), ["one", "two"])
        self.assertEqual(self.rows("SELECT count(*) FROM totals"), [("3",)])
        self.server.restart()
        self.sign_in_again()
        self.assertEqual((self.version(), self.plugin()["reason"], self.titles()), ("2.0.0", None, ["one", "two"]))


if __name__ == "__main__":
    unittest.main()
