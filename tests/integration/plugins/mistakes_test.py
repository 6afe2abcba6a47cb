"""Planted mistakes of authors: `tenon plugin check` names each with its code and its location."""

import json
import pathlib
import shutil
import tempfile
import unittest

from tenon import tenon

# A plugin without mistakes.
MANIFEST = {
    "id": "crm", "name": "CRM", "version": "1.0.0", "description": "Contacts", "license": "MIT",
    "permissions": [{"id": "crm.use", "title": "Use", "roles": ["member"]}],
    "ui": {"navigation": [{"id": "crm", "title": "CRM", "path": "/app/crm", "icon": "users"}],
           "contributions": {"commands": [{"id": "add", "title": "Add a contact", "path": "/app/crm?add", "icon": "plus"}],
                             "search": [{"id": "contacts", "title": "Contacts"}], "home.widgets": [{"id": "newest", "title": "Newest"}]}},
    "settings": {"type": "object", "properties": {"limit": {"type": "integer", "title": "Limit", "description": "Of a page.", "default": 5}}},
    "schedules": [{"name": "purge", "cron": "@daily", "delete": {"table": "contacts", "where": "created < days_ago(30)"}},
                  {"name": "close", "cron": "0 3 * * *", "update": {"table": "contacts", "where": "open", "set": {"open": False}}}],
}
TABLES = {"tables": [
    {"name": "contacts", "timestamps": True, "publish": True, "rules": {"read": "can('crm.use')", "create": "can('crm.use')"},
     "fields": [{"name": "name", "type": "text", "required": True}, {"name": "open", "type": "boolean"},
                {"name": "state", "type": "choice", "choices": ["new", "old"]}, {"name": "parent", "type": "reference", "table": "contacts"},
                {"name": "title", "type": "computed", "expression": "upper(name)"}]}]}
ENTRY = 'import { definePlugin } from "@tenon/host";\nexport default { search: { contacts: 1 }, widgets: { newest: 2 } };\n'
UI = {"entry": "entry.js"}
INVALID, TABLES_INVALID, SCHEDULE, CONTRIBUTION = ("plugins.manifest_invalid", "data.tables_invalid", "plugins.schedule_invalid",
                                                   "plugins.lint_contribution")


def put(value, path, new):
    """A copy of a JSON value with another value at a path; None removes it."""
    copy = json.loads(json.dumps(value))
    at = copy
    for step in path[:-1]:
        at = at[step]
    if new is None:
        del at[path[-1]]
    else:
        at[path[-1]] = new
    return copy


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-mistakes-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)

    def findings(self, manifest=None, tables=None, files=None):
        """The errors and warnings of a plugin with these files."""
        folder = self.root / "crm"
        shutil.rmtree(folder, ignore_errors=True)
        written = {"plugin.json": MANIFEST if manifest is None else manifest, "tables.json": TABLES if tables is None else tables,
                   "ui/manifest.json": UI, "ui/entry.js": ENTRY, **(files or {})}
        for name, content in written.items():
            if content is None:
                continue
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
        done = tenon("plugin", "check", folder, "--json")
        report = json.loads(done.stdout)
        self.assertEqual(done.returncode, 1 if report["errors"] else 0, done)
        return [(one["code"], f"{one['file']}: {one['message']}") for one in report["errors"] + report["warnings"]]

    def check(self, *cases):
        for code, location, changes in cases:
            with self.subTest(location=location):
                found = self.findings(**changes)
                self.assertTrue(any(one == code and location in text for one, text in found), (code, location, found))

    def test_finds_nothing_in_a_correct_plugin(self):
        self.assertEqual(self.findings(), [])

    def test_accepts_points_of_plugins(self):
        entries = [{"id": "newest", "title": "Newest"}]
        actions = [{"id": "newest", "title": "Newest", "icon": "plus"}]
        changed = put(MANIFEST, ("ui", "points"), [{"id": "card.aside", "title": "Next to a card"}, {"id": "actions", "title": "Menu"}])
        changed = put(changed, ("ui", "contributions"),
                      {"account.panels": entries, "settings.panels": entries, "crm.card.aside": entries, "crm.actions": actions,
                       "notes.note.sidebar": entries, "notes.note.actions": actions})
        self.assertEqual(self.findings(put(changed, ("optional",), {"notes": "*"})), [])

    def test_refuses_points_named_like_those_of_the_shell(self):
        point = {"points": [{"id": "panels", "title": "Panels"}]}
        manifest = {**MANIFEST, "id": "account", "permissions": [], "schedules": [], "ui": point}
        self.check((CONTRIBUTION, '"account.panels"', {"manifest": manifest, "tables": {"tables": []}}))

    def test_names_mistakes_of_the_manifest(self):
        def manifest(*path, new):
            return {"manifest": put(MANIFEST, path, new)}

        self.check(
            (INVALID, "plugin.json", {"manifest": '{"id": "crm",'}),
            (INVALID, "id", manifest("id", new="CRM")),
            ("plugins.reserved_id", "id", manifest("id", new="core")),
            (INVALID, "name", manifest("name", new=None)),
            (INVALID, "name", manifest("name", new=7)),
            (INVALID, "version", manifest("version", new="1.0")),
            (INVALID, "versoin", manifest("versoin", new="1.0.0")),
            (INVALID, "abi", manifest("abi", new={"major": 0})),
            (INVALID, "isolation", manifest("isolation", new="preferred")),
            (INVALID, "migrations", manifest("migrations", new=[{"number": 1, "phase": "expand"}])),
            (INVALID, "requires.notes", manifest("requires", new={"notes": "new"})),
            (INVALID, "permissions[0].id", manifest("permissions", 0, "id", new="use")),
            (INVALID, "permissions[0].roles[0]", manifest("permissions", 0, "roles", new=["boss"])),
            (INVALID, "ui.navigation[0].path", manifest("ui", "navigation", 0, "path", new="/app/crn")),
            (INVALID, "ui.navigation[0].permission", manifest("ui", "navigation", 0, "permission", new="crm.usr")),
            (INVALID, "settings", manifest("settings", "properties", "limit", "default", new="five")),
            (INVALID, "settings", manifest("settings", "properties", "limit", "type", new="int")),
        )

    def test_names_mistakes_of_contributions(self):
        def contributions(*path, new):
            return {"manifest": put(MANIFEST, ("ui", "contributions", *path), new)}

        self.check(
            ("plugins.lint_icon", "ui.navigation[0].icon", {"manifest": put(MANIFEST, ("ui", "navigation", 0, "icon"), "user-s")}),
            ("plugins.lint_icon", "ui.contributions.commands[0].icon", contributions("commands", 0, "icon", new="pluss")),
            (CONTRIBUTION, "ui.contributions.command", contributions("command", new=[])),
            (CONTRIBUTION, "ui.contributions.notes.note.sidebar", contributions("notes.note.sidebar", new=[{"id": "newest", "title": "A"}])),
            (CONTRIBUTION, "ui.contributions.crm.card.aside", contributions("crm.card.aside", new=[{"id": "newest", "title": "A"}])),
            (CONTRIBUTION, "ui.contributions.home.widgets[0].icon", contributions("home.widgets", 0, "icon", new="plus")),
            (INVALID, "ui.points[1].id", {"manifest": put(MANIFEST, ("ui", "points"), [{"id": "card", "title": "A"}] * 2)}),
            (CONTRIBUTION, "ui.contributions.search", contributions("search", new={"id": "contacts"})),
            (CONTRIBUTION, "ui.contributions.commands[0].id", contributions("commands", 0, "id", new=None)),
            (CONTRIBUTION, "ui.contributions.commands[0].title", contributions("commands", 0, "title", new=None)),
            (CONTRIBUTION, "ui.contributions.commands[0].path", contributions("commands", 0, "path", new="/crm")),
            (CONTRIBUTION, "ui.contributions.commands[0].keyword", contributions("commands", 0, "keyword", new="x")),
            (CONTRIBUTION, "ui.contributions.search[0].id", contributions("search", 0, "id", new="contact")),
            (CONTRIBUTION, "ui.contributions.home.widgets[0].id", contributions("home.widgets", 0, "id", new="latest")),
            (CONTRIBUTION, "ui.contributions.search[1].id", contributions("search", new=[{"id": "contacts", "title": "A"}] * 2)),
        )

    def test_names_bundled_packages_without_license(self):
        def bundled(*packages):
            return {"files": {"ui/licenses.json": list(packages)}}

        sound = {"name": "d3-scale", "version": "4.0.2", "license": "ISC"}
        self.assertEqual(self.findings(**bundled(sound)), [])
        self.check(
            ("plugins.lint_license", "contains left-pad", bundled(sound, {"name": "left-pad", "license": None})),
            ("plugins.lint_license", "contains left-pad", bundled({"name": "left-pad", "license": "UNLICENSED"})),
            ("plugins.lint_license", "contains a package", bundled(7)),
            ("plugins.lint_license", "no list", {"files": {"ui/licenses.json": {}}}),
            ("plugins.lint_license", "licenses.json", {"files": {"ui/licenses.json": "["}}),
        )

    def test_names_mistakes_of_schedules(self):
        def schedules(*path, new):
            return {"manifest": put(MANIFEST, ("schedules", *path), new)}

        self.check(
            (INVALID, "schedules[0]", schedules(0, "delete", new=None)),
            (INVALID, "schedules[1].name", schedules(1, "name", new="purge")),
            (INVALID, "schedules[0].delete.were", schedules(0, "delete", "were", new="true")),
            (SCHEDULE, "schedules[0].cron", schedules(0, "cron", new="0 25 * * *")),
            (SCHEDULE, "schedules[0].time_zone", schedules(0, "time_zone", new="Berlin")),
            (SCHEDULE, "schedules[0].delete.table", schedules(0, "delete", "table", new="contact")),
            (SCHEDULE, "schedules[0].delete.where", schedules(0, "delete", "where", new="create < @now")),
            (SCHEDULE, "schedules[0].delete.where", schedules(0, "delete", "where", new="created < days_ago('30')")),
            (SCHEDULE, "schedules[1].update.set.opened", schedules(1, "update", "set", new={"opened": False})),
            (SCHEDULE, "schedules[1].update.set.open", schedules(1, "update", "set", new={"open": "no"})),
            (SCHEDULE, "schedules[1].update.set.title", schedules(1, "update", "set", new={"title": "A"})),
        )

    def test_names_mistakes_of_tables(self):
        def table(*path, new):
            return {"tables": put(TABLES, ("tables", 0, *path), new)}

        self.check(
            (TABLES_INVALID, "tables.json", {"tables": '{"tables": [}'}),
            (TABLES_INVALID, "/tables/0/name", table("name", new="Contacts")),
            (TABLES_INVALID, "/tables/0/publsh", table("publsh", new=True)),
            (TABLES_INVALID, "/tables/0/fields/0/type", table("fields", 0, "type", new="txt")),
            (TABLES_INVALID, "/tables/0/fields/1/name", table("fields", 1, "name", new="name")),
            (TABLES_INVALID, "/tables/0/fields/2", table("fields", 2, "choices", new=None)),
            (TABLES_INVALID, "/tables/0/fields/3/table", table("fields", 3, "table", new="people")),
            (TABLES_INVALID, "/tables/0/fields/4/expression", table("fields", 4, "expression", new="uper(name)")),
            (TABLES_INVALID, "/tables/0/fields/0/default", table("fields", 0, "default", new=7)),
            (TABLES_INVALID, "/tables/0/fields/0/message", table("fields", 0, "message", new="Write a name.")),
            (TABLES_INVALID, "/tables/0/rules/read", table("rules", "read", new="nme = 'a'")),
            (TABLES_INVALID, "/tables/0/rules/raed", table("rules", "raed", new="true")),
            ("plugins.lint_permission", "crm.usee", table("rules", "read", new="can('crm.usee')")),
            ("plugins.lint_foreign_permission", "tasks.use", table("rules", "read", new="can('tasks.use')")),
        )

    def test_names_mistakes_of_files(self):
        react = "x.__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE = 1;\n"
        self.check(
            ("data.migration_invalid", "migrations", {"files": {"migrations/1.sql": "SELECT 1;"}}),
            ("plugins.lint_no_page", "ui/manifest.json", {"manifest": put(MANIFEST, ("ui", "contributions"), None),
                                                          "files": {"ui/manifest.json": None, "ui/entry.js": None}}),
            ("plugins.lint_ui_invalid", "ui/manifest.json", {"files": {"ui/manifest.json": '{"entry":'}}),
            ("plugins.lint_ui_invalid", "missing.js", {"files": {"ui/manifest.json": {"entry": "missing.js"}}}),
            ("plugins.lint_ui_invalid", "reason", {"files": {"ui/manifest.json": {**UI, "budget": {"entry": 100}}}}),
            ("plugins.lint_import", "lodash", {"files": {"ui/entry.js": 'import "lodash";\n' + ENTRY}}),
            ("plugins.lint_bundled", "react", {"files": {"ui/entry.js": ENTRY + react}}),
            ("plugins.abi_missing", "crm.so", {"files": {"lib/x86_64/crm.so": "x"}}),
            ("plugins.package_name_invalid", "a b.txt", {"files": {"a b.txt": "x"}}),
        )

    def test_grades_plugins(self):
        done = tenon("plugin", "check", self.write_graded())
        self.assertIn("grade: bronze\n  for silver: Name the author in plugin.json. (author)", done.stdout)
        done = tenon("plugin", "check", self.write_graded({"author": "Ada"}), "--json")
        report = json.loads(done.stdout)
        self.assertEqual(report["grade"], "silver", report)
        self.assertEqual({rule["id"] for rule in report["rules"] if not rule["satisfied"]},
                         {"readme", "changelog", "table-descriptions", "screenshots"})
        folder = self.write_graded({"author": "Ada"}, described=True)
        for name in ("README.md", "CHANGELOG.md", "screenshots/page.png"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text("x")
        self.assertIn("grade: platinum\n", tenon("plugin", "check", folder).stdout)

    def write_graded(self, more=None, described=False):
        self.findings(manifest={**MANIFEST, **(more or {})},
                      tables=put(TABLES, ("tables", 0, "description"), "People.") if described else None)
        return self.root / "crm"
