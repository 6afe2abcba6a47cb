"""Plugins without a library: plugin.json and tables.json are enough."""

import json
import platform
import shutil

from install_case import LATER, NOTES, SOURCE, InstallCase
from tenon import BOTH_IN_FULL, core_rows, eventually

LINKS = {"name": "links", "publish": True, "authorship": True, "rules": {"read": "true", "create": "true", "update": "created_by = @user"},
         "fields": [{"name": "url", "type": "text", "required": True, "max": 200},
                    {"name": "is_long", "type": "computed", "expression": "length(url) > 20"}]}


class PluginsWithoutLibrary(InstallCase):
    engines = BOTH_IN_FULL

    def write(self, plugin, tables, parent="source", **manifest):
        """A folder with the two files, and no more."""
        folder = self.root / parent / plugin
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "plugin.json").write_text(json.dumps({"id": plugin, "name": plugin.capitalize(), "version": "1.0.0", **manifest}))
        (folder / "tables.json").write_text(json.dumps({"tables": tables}))
        return folder

    def packed(self, folder):
        file = self.root / f"{folder.name}.tenon"
        self.run_plugin("pack", folder, "--output", file)
        self.run_plugin("sign", file, "--key", self.root / "ada.key")
        return file

    def restart(self):
        self.server.stop()
        self.server.start()
        self.ada.sign_in("ada", "correct horse battery")

    def state(self, plugin):
        shown = self.ada.get(f"/api/core/plugins/{plugin}").json()
        return shown["state"], shown["reason"] and shown["reason"]["code"]

    def test_serves_tables_of_a_folder(self):
        self.write("links", [LINKS], "plugins")
        self.restart()
        shown = self.ada.get("/api/core/plugins/links").json()
        self.assertEqual((shown["state"], shown["abi"], shown["tables"]), ("active", None, ["links"]))
        made = self.ada.post("/api/links/links", {"url": "https://example.org/a/long/path"})
        self.assertEqual((made.status, made.json()["is_long"]), (201, True), made)
        refused = self.ada.post("/api/links/links", {})
        self.assertEqual((refused.status, refused.json()["errors"][0]["field"]), (422, "url"), refused)
        self.assertEqual(self.ada.post("/api/core/plugins/links/disable").status, 200)
        self.assertEqual(self.ada.get("/api/links/links").status, 404)
        self.assertEqual(self.ada.post("/api/core/plugins/links/enable").json()["state"], "active")
        self.assertEqual([item["url"] for item in self.ada.get("/api/links/links").json()["items"]], ["https://example.org/a/long/path"])

    def test_reloads_changed_files_of_a_folder(self):
        self.write("links", [LINKS], "plugins")
        self.restart()
        self.assertEqual(self.ada.post("/api/links/links", {"url": "a"}).status, 201)
        note = {"name": "note", "type": "text"}
        self.write("links", [{**LINKS, "fields": [*LINKS["fields"], note]}], "plugins")
        self.run_plugin("reload", "links", "--data", self.server.data)
        self.assertEqual(self.ada.get("/api/links/links").json()["items"][0]["note"], None)
        # A refused change leaves the plugin as it was.
        self.write("links", [{**LINKS, "fields": [{"name": "url", "type": "integer", "required": True}]}], "plugins")
        refused = self.ada.post("/api/core/plugins/links/reload")
        self.assertEqual((refused.status, refused.json()["code"]), (409, "data.migration_refused"), refused)
        self.assertEqual((self.state("links"), self.ada.get("/api/links/links").json()["items"][0]["url"]), (("active", None), "a"))
        self.write("links", [{**LINKS, "fields": [{"name": "Url", "type": "text"}]}], "plugins")
        self.assertEqual(self.ada.post("/api/core/plugins/links/reload").status, 422)
        self.assertEqual(self.state("links"), ("active", None))
        (self.root / "plugins/links/plugin.json").write_text("{")
        self.assertEqual(self.ada.post("/api/core/plugins/links/reload").status, 409)
        self.assertEqual((self.state("links"), len(self.ada.get("/api/links/links").json()["items"])), (("active", None), 1))

    def test_runs_schedules_of_the_manifest(self):
        fields = [*LINKS["fields"], {"name": "state", "type": "text", "read_only": True, "default": "new"}]
        schedules = [{"name": "forget", "cron": "@yearly", "delete": {"table": "links", "where": "url like 'old%' and created < @now"}},
                     {"name": "age", "cron": "@yearly", "update": {"table": "links", "where": "state = 'new' and created > days_ago(1)",
                                                                   "set": {"state": "seen"}}}]
        self.write("links", [{**LINKS, "timestamps": True, "fields": fields}], "plugins", schedules=schedules)
        self.restart()
        for number in range(230):
            self.assertEqual(self.ada.post("/api/links/links", {"url": f"{'old' if number % 2 else 'new'}-{number}"}).status, 201)
        # As if the runs of a year had been missed.
        self.server.stop()
        core_rows(self.server, "UPDATE jobs_schedules SET next_ms = next_ms - 31622400000 WHERE plugin = 'links'")
        self.server.start()
        self.ada.sign_in("ada", "correct horse battery")
        jobs = eventually(lambda: self.finished_jobs(2))
        self.assertEqual({(job["schedule"], job["state"], job["kind"]) for job in jobs},
                         {("forget", "done", "records.action"), ("age", "done", "records.action")}, jobs)
        left = self.ada.get("/api/links/links?count=true&limit=200").json()
        self.assertEqual((left["total"], {item["state"] for item in left["items"]}), (115, {"seen"}))

    def finished_jobs(self, count):
        jobs = [job for job in self.ada.get("/api/core/jobs?plugin=links").json()["items"] if job["state"] in ("done", "failed")]
        return jobs if len(jobs) == count else None

    def test_refuses_wrong_schedules(self):
        def refusal(**schedule):
            folder = self.write("links", [LINKS], schedules=[{"name": "forget", "cron": "@daily", **schedule}])
            checked = self.run_plugin("check", folder, "--json", code=1)
            error, = json.loads(checked.stdout)["errors"]
            return error["code"], error["message"].split(": ")[0]

        condition = {"table": "links", "where": "url = 'a'"}
        self.assertEqual(refusal(delete={**condition, "table": "link"}), ("plugins.schedule_invalid", "schedules[0].delete.table"))
        self.assertEqual(refusal(delete={**condition, "where": "link = 'a'"}), ("plugins.schedule_invalid", "schedules[0].delete.where"))
        self.assertEqual(refusal(update={**condition, "set": {"url": 1}}), ("plugins.schedule_invalid", "schedules[0].update.set.url"))
        self.assertEqual(refusal(cron="@often", delete=condition), ("plugins.schedule_invalid", "schedules[0].cron"))
        self.assertEqual(refusal(time_zone="Mars", delete=condition), ("plugins.schedule_invalid", "schedules[0].time_zone"))

    def test_shows_all_about_a_plugin(self):
        self.write("links", [LINKS], "plugins", description="Short links", permissions=[{"id": "links.use", "title": "Use", "roles": ["member"]}])
        self.restart()
        show = ("show", "links", "--data", self.server.data, "--plugins", self.root / "plugins")
        lines = [line.split() for line in self.run_plugin(*show).stdout.splitlines()]
        self.assertEqual(lines[0], ["links", "1.0.0", "is", "active"])
        for line in (["description", "Short", "links"], ["library", "none"], ["page", "none"], ["tables", "links"],
                     ["permissions", "links.use", "(Use):", "member"]):
            self.assertIn(line, lines)
        (self.root / "plugins/links/plugin.json").write_text("{")
        self.restart()
        shown = self.run_plugin(*show).stdout
        self.assertIn("links is failed", shown)
        self.assertIn("plugins.manifest_invalid", shown)
        self.server.stop()
        self.assertEqual(json.loads(self.run_plugin(*show, "--json").stdout)["state"], "failed")
        self.assertIn("There is no plugin", self.run_plugin("show", "nothing", *show[2:], code=1).stderr)

    def test_does_not_reload_an_installed_package(self):
        self.assertEqual(self.send(self.packed(self.write("links", [LINKS]))).status, 200)
        refused = self.ada.post("/api/core/plugins/links/reload")
        self.assertEqual((refused.status, refused.json()["code"]), (409, "plugins.installed_from_package"), refused)

    def test_installs_upgrades_and_rolls_back_a_package(self):
        first = self.packed(self.write("links", [LINKS]))
        plan = self.send(first, "/api/core/plugins/plan").json()
        self.assertEqual(plan["refusals"], [], plan)
        self.assertEqual(self.send(first).json()["state"], "active")
        self.assertEqual(self.ada.post("/api/links/links", {"url": "a"}).status, 201)
        visits = {"name": "visits", "type": "integer", "required": True, "default": 0}
        second = self.packed(self.write("links", [{**LINKS, "fields": [*LINKS["fields"], visits]}], version="1.1.0"))
        upgraded = self.send(second)
        self.assertEqual((upgraded.status, upgraded.json()["version"]), (200, "1.1.0"), upgraded)
        self.assertEqual([item["visits"] for item in self.ada.get("/api/links/links").json()["items"]], [0])
        rolled_back = self.ada.post("/api/core/plugins/links/rollback")
        self.assertEqual((rolled_back.status, rolled_back.json()["version"]), (200, "1.0.0"), rolled_back)
        self.assertNotIn("visits", self.ada.get("/api/links/links").json()["items"][0])
        self.assertEqual(self.ada.delete("/api/core/plugins/links?data=purge").status, 204)
        self.assertEqual(self.ada.get("/api/links/links").status, 404)

    def test_upgrades_from_a_library_to_none_and_back(self):
        self.install("1.0.0", tables=[NOTES])
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "kept"}).status, 201)
        permissions = json.loads((SOURCE / "plugin.json").read_text())["permissions"]
        replaced = self.send(self.packed(self.write("multi-version", [NOTES], version="2.0.0", permissions=permissions)))
        self.assertEqual((replaced.status, replaced.json()["abi"]), (200, None), replaced)
        self.assertEqual((self.titles(), self.version()), (["kept"], 404))
        self.install("3.0.0", tables=[LATER])
        self.assertEqual((self.titles(), self.version()), (["kept"], "3.0.0"))

    def test_checks_a_folder_and_a_package(self):
        folder = self.write("links", [{**LINKS, "rules": {"read": "can('links.sue')"}}],
                            permissions=[{"id": "links.use", "title": "Use"}])
        done = self.run_plugin("check", folder, code=1)
        self.assertIn("error plugins.lint_permission\n  tables.json: /tables/0/rules/read: can('links.sue'): ", done.stdout)
        self.assertIn("It declares: links.use.", done.stdout)
        self.assertIn("1 errors, 0 warnings", done.stdout)
        self.assertIn("can('links.sue')", self.run_plugin("pack", folder, "--output", self.root / "x.tenon", code=1).stderr)
        folder = self.write("links", [LINKS])
        self.assertTrue(self.run_plugin("check", folder).stdout.startswith("0 errors, 0 warnings\ngrade: none\n"))
        report = json.loads(self.run_plugin("check", self.packed(folder), "--json").stdout)
        self.assertEqual((report["errors"], report["warnings"], report["grade"]), ([], [], "none"))
        (folder / "tables.json").write_text("{")
        [found] = json.loads(self.run_plugin("check", folder, "--json", code=1).stdout)["errors"]
        self.assertEqual(found["code"], "data.tables_invalid", found)
        missing = self.run_plugin("check", self.root / "nothing", code=1)
        self.assertIn("error ", missing.stdout)

    def test_refuses_a_library_without_abi(self):
        folder = self.write("links", [LINKS])
        library = folder / "lib" / platform.machine() / "links.so"
        library.parent.mkdir(parents=True)
        library.write_bytes(b"\x7fELF")
        refused = self.run_plugin("pack", folder, "--output", self.root / "links.tenon", code=1)
        self.assertIn('its plugin.json has no "abi"', refused.stderr)
        shutil.copytree(folder, self.root / "plugins/links")
        self.restart()
        self.assertEqual(self.state("links"), ("failed", "plugins.abi_missing"))

    def test_refuses_members_that_need_a_library(self):
        self.write("links", [LINKS], "plugins", isolation="preferred")
        self.restart()
        shown = self.ada.get("/api/core/plugins/links").json()
        self.assertEqual((shown["state"], shown["reason"]["code"], shown["reason"]["path"]),
                         ("failed", "plugins.manifest_invalid", "isolation"), shown)
