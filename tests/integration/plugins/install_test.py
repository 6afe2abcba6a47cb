"""Packages in the real server: installed, upgraded under load, rolled back with their data, removed; and what is refused."""

import json
import threading
import unittest
import urllib.parse

from install_case import LATER, SLOW, InstallCase
from tenon import BOTH, Client, eventually, tenon


class InstallTest(InstallCase):
    engines = BOTH

    def test_installs_upgrades_rolls_back_and_removes(self):
        installed = self.install("1.0.0")
        self.assertEqual((self.version(), installed["previous"]), ("1.0.0", ""))
        listed = [item["id"] for item in self.ada.get("/api/core/plugins").json()["items"]]
        self.assertEqual((listed.count("multi-version"), listed.count("")), (1, 0), listed)
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "one"}).status, 201)
        # The plan of an upgrade says what would be, and changes nothing.
        upgrade = self.package("1.1.0", tables=(LATER, SLOW))
        plan = self.send(upgrade, "/api/core/plugins/plan").json()
        self.assertEqual((plan["change"], plan["from"], plan["to"], plan["consents"], plan["refusals"]),
                         ("upgrade", "1.0.0", "1.1.0", [], []), plan)
        self.assertEqual([(step["kind"], step["field"]) for step in plan["data"]["steps"]], [("add_field", "done")], plan)
        self.assertEqual(self.version(), "1.0.0")
        # It is kept, and installed by its name.
        response = self.ada.post("/api/core/plugins", {"package": plan["package"], "consents": []})
        self.assertEqual((response.status, response.json()["version"], response.json()["previous"]), (200, "1.1.0", "1.0.0"), response)
        self.assertEqual(self.version(), "1.1.0")
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "two", "done": True}).status, 201)
        # A restart finds the same.
        self.server.restart()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        self.assertEqual((self.version(), self.titles(), self.plugin()["previous"]), ("1.1.0", ["one", "two"], "1.0.0"))
        # Back, code and data.
        plan = self.ada.get("/api/core/plugins/multi-version/rollback").json()
        self.assertEqual((plan["from"], plan["to"], plan["restores_data"]), ("1.1.0", "1.0.0", True), plan)
        self.assertEqual([(one["table"], one["added"], one["changed"], one["removed"], one["whole"]) for one in plan["changes"]],
                         [("items", 1, 0, 0, True)], plan)
        response = self.ada.post("/api/core/plugins/multi-version/rollback", {})
        self.assertEqual(response.status, 200, response)
        self.assertEqual((response.status, response.json()["version"], response.json()["previous"]), (200, "1.0.0", ""), response)
        self.assertEqual((self.version(), self.titles()), ("1.0.0", ["one"]))
        self.assert_problem(self.ada.post("/api/core/plugins/multi-version/rollback", {}), 409, "plugins.no_previous_version")
        self.assertEqual(len(self.folders()), 1, self.folders())
        # Away, data kept; again, and they are there.
        self.assertEqual(self.ada.delete("/api/core/plugins/multi-version?data=keep").status, 204)
        self.assertEqual((self.version(), self.ada.get("/api/core/plugins/multi-version").status, self.folders()), (404, 404, []))
        self.install("1.0.0")
        self.assertEqual(self.titles(), ["one"])
        # Away with all.
        self.assertEqual(self.ada.delete("/api/core/plugins/multi-version?data=purge").status, 204)
        self.assertEqual((self.folders(), list(self.server.data.glob("multi-version.*"))), ([], []))
        self.install("1.0.0")
        self.assertEqual(self.titles(), [])

    def test_requires_consent_for_changed_files_of_same_version(self):
        first = self.package("1.0.0").rename(self.root / "first.tenon")
        self.assertEqual(200, self.send(first).status)
        before = self.plugin()
        other = self.package("1.0.0", description="Changed without a new version.")
        plan = self.send(other, "/api/core/plugins/plan").json()
        self.assertEqual(("reinstall", ["replace"]), (plan["change"], [one["code"] for one in plan["consents"]]), plan)
        problem = self.assert_problem(self.send(other), 409, "plugins.consent_required")
        self.assertEqual(["replace"], [error["field"] for error in problem["errors"]])
        refused = self.tenon_plugin("install", other)
        self.assertEqual(1, refused.returncode, refused)
        self.assertIn("installed with other files", refused.stderr)
        self.assertEqual(before, self.plugin())
        # Its own files again are nothing to agree to.
        self.assertEqual(200, self.send(first).status)
        done = self.tenon_plugin("install", other, "--replace")
        self.assertEqual(0, done.returncode, done)
        self.assertEqual(200, self.send(other).status)

    def tenon_plugin(self, *arguments):
        return tenon("plugin", *arguments, "--data", self.server.data)

    def test_reports_loss_before_rollback(self):
        self.install("1.0.0")
        kept, changed, removed = (self.ada.post("/api/multi-version/items", {"title": title}).json()["id"] for title in ("a", "b", "c"))
        self.install("1.1.0", tables=(LATER, SLOW))
        untouched = self.ada.get("/api/core/plugins/multi-version/rollback").json()
        self.assertEqual((untouched["restores_data"], untouched["changes"]), (True, []), untouched)
        said = self.run_plugin("rollback", "multi-version", "--plan", "--data", self.server.data).stdout
        self.assertIn("nothing changed since", said)
        self.assertEqual(self.ada.patch(f"/api/multi-version/items/{changed}", {"title": "B"}).status, 200)
        self.rows(f"DELETE FROM items WHERE id = '{removed}'")
        for _ in range(3):
            self.assertEqual(self.ada.post("/api/multi-version/quick", b"").status, 200)
        slow = [row[0] for row in self.rows("SELECT id FROM slow ORDER BY rowid")]
        same = {"new_values": 0, "whole": True, "not_compared": []}
        expected = [{"table": "items", "added": 0, "changed": 1, "removed": 1, **same,
                     "records": {"added": [], "changed": [changed], "removed": [removed]}},
                    {"table": "slow", "added": 3, "changed": 0, "removed": 0, **same,
                     "records": {"added": slow, "changed": [], "removed": []}}]
        plan = self.ada.get("/api/core/plugins/multi-version/rollback").json()
        self.assertEqual(plan["changes"], expected, plan)
        # It changed nothing, and is the same while another process has the file open.
        self.assertEqual((self.version(), self.titles()), ("1.1.0", ["B", "a"]))
        self.assertEqual(self.ada.post("/api/core/plugins/multi-version/disable", {}).status, 200)
        self.assertEqual(self.ada.get("/api/core/plugins/multi-version/rollback").json(), plan)
        self.server.stop()
        planned = self.run_plugin("rollback", "multi-version", "--plan", "--json", "--data", self.server.data)
        self.assertEqual(json.loads(planned.stdout), plan)
        said = self.run_plugin("rollback", "multi-version", "--plan", "--data", self.server.data).stdout
        self.assertEqual(said, f"multi-version 1.1.0 → 1.0.0: rollback\n  data: this discards all changes since {plan['left']}\n"
                               f"  data: items: 1 changed, 1 removed\n    changed: {changed}\n    removed: {removed}\n"
                               f"  data: slow: 3 added\n    added: {' '.join(slow)}\n")
        self.run_plugin("disable", "multi-version", "--plan", "--data", self.server.data, code=2)
        self.server.start()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        # If nothing was there before, everything is removed.
        self.assertEqual(self.ada.post("/api/core/plugins/multi-version/enable", {}).status, 200)
        self.assertEqual(self.ada.post("/api/core/plugins/multi-version/rollback", {}).status, 200)
        self.assertEqual(sorted(item["id"] for item in self.ada.get("/api/multi-version/items").json()["items"]), sorted([kept, changed, removed]))
        self.assert_problem(self.ada.get("/api/core/plugins/multi-version/rollback"), 409, "plugins.no_previous_version")

    def test_sends_resync_to_subscribers_after_rollback(self):
        """Even if the upgrade changed no table: later events are gone, and their change log positions are used again."""
        self.install("1.0.0")
        self.install("1.1.0")

        def next_of(stream, *kinds):
            while (event := stream.next()).get("event") not in kinds:
                pass
            return event
        stream = self.ada.events("multi-version.items")
        for title in ("one", "two"):
            self.assertEqual(self.ada.post("/api/multi-version/items", {"title": title}).status, 201)
            self.assertEqual(next_of(stream, "resync", "multi-version.items")["data"]["record"]["title"], title)
            position = next_of(stream, None)["id"]
        stream.close()
        self.assertEqual(self.ada.post("/api/core/plugins/multi-version/rollback", {}).status, 200)
        for title in ("three", "four", "five"):
            self.assertEqual(self.ada.post("/api/multi-version/items", {"title": title}).status, 201)
        again = self.ada.events(f"multi-version.items&last={position}")
        self.addCleanup(again.close)
        event = next_of(again, "resync", "multi-version.items")
        self.assertEqual((event["event"], event["data"]), ("resync", {"topic": "multi-version.items"}))
        self.assertEqual(self.titles(), ["five", "four", "three"])

    def test_requires_consent(self):
        """fault: an upgrade asks for new permissions or comes from another signer; an older version is sent
        | nothing is changed until an admin consents by name; data of a newer version with other tables are never given to an older one
        | `plugins.consent_required` with each consent that is missing"""
        self.install("1.0.0")
        more = {"tables": (LATER, SLOW),
                "permissions": [{"id": "multi-version.use", "title": "Use it", "roles": ["admin", "member"]},
                                {"id": "multi-version.more", "title": "Do more", "roles": ["member"]}],
                "response_headers": ["Access-Control-Allow-Origin"]}
        self.key("ben")
        self.trust("ben")
        asked = self.assert_problem(self.send(self.package("1.1.0", key="ben", **more)), 409, "plugins.consent_required")
        codes = sorted(error["field"] for error in asked["errors"])
        self.assertEqual(codes, ["header:Access-Control-Allow-Origin", "permission:multi-version.more", "permission:multi-version.use", "signer"],
                         asked)
        self.assertEqual(self.version(), "1.0.0")
        file = self.package("1.1.0", key="ben", **more)
        plan = self.send(file, "/api/core/plugins/plan").json()
        self.assertEqual(plan["response_headers"], more["response_headers"])
        self.assert_problem(self.ada.post("/api/core/plugins", {"package": plan["package"], "consents": codes[1:]}), 409,
                            "plugins.consent_required")
        self.assertEqual(self.ada.post("/api/core/plugins", {"package": plan["package"], "consents": codes}).status, 200)
        self.assertEqual(self.ada.get("/api/core/plugins/multi-version").json()["response_headers"], more["response_headers"])
        self.assertEqual((self.version(), self.plugin()["signer"]), ("1.1.0", plan["signer"]["key"]))
        # By the command line, an older one by the first key: the data is of a newer one, whatever is consented to.
        older = self.package("1.0.1")
        refused = tenon("plugin", "upgrade", older, "--data", self.server.data)
        self.assertEqual(refused.returncode, 1, refused)
        self.assertIn("older than 1.1.0", refused.stderr)
        done = tenon("plugin", "upgrade", older, "--data", self.server.data, "--consent", "signer,downgrade")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("The data was written by version 1.1.0", done.stderr)
        self.assertEqual(self.version(), "1.1.0")
        # The plan and the refusal both say what can be done, with a server and without.
        plan = self.send(older, "/api/core/plugins/plan").json()
        self.assertEqual([one["code"] for one in plan["refusals"]], ["data.newer"], plan)
        self.server.stop()
        alone = tenon("plugin", "upgrade", older, "--data", self.server.data, "--consent", "signer,downgrade")
        self.assertEqual(alone.returncode, 1, alone)
        for words in (done.stderr, plan["refusals"][0]["message"], alone.stderr):
            self.assertIn("Version 1.0.0 is kept with its data", words)
            self.assertIn("tenon plugin rollback multi-version", words)
        self.server.start()
        self.ada.close()
        self.assertEqual(tenon("plugin", "rollback", "multi-version", "--data", self.server.data).returncode, 0)
        self.assertEqual(self.version(), "1.0.0")
        # Also if no earlier version is kept: 1.0.0 has none before it.
        refused = self.send(self.package("0.9.0", tables=(SLOW,)), "/api/core/plugins/plan").json()["refusals"]
        self.assertIn("tenon plugin remove multi-version --data-policy export", refused[0]["message"])

    def test_removes_failed_version_and_keeps_old_one(self):
        self.install("1.0.0")
        self.assertEqual(self.ada.post("/api/multi-version/quick", b"").status, 200)
        before = self.plugin()
        for version, code in (("1.1.8", "plugins.create_failed"), ("1.1.9", "plugins.start_failed")):
            response = self.send(self.package(version, tables=(LATER, SLOW)))
            self.assert_problem(response, 409, code)
            after = self.plugin()
            self.assertEqual((after["version"], after["state"], after["reason"], after["previous"]),
                             ("1.0.0", "active", None, ""), after)
            self.assertEqual(self.version(), "1.0.0")
            self.assertEqual(self.rows("SELECT version FROM slow"), [("1.0.0",)])
            self.assertNotIn("done", self.ada.get("/api/multi-version/items").body.decode())
        self.assertGreater(self.plugin()["generation"], before["generation"])
        # The first of all leaves nothing.
        self.assertEqual(self.ada.delete("/api/core/plugins/multi-version?data=purge").status, 204)
        self.assert_problem(self.send(self.package("1.1.9")), 409, "plugins.start_failed")
        self.assertEqual((self.ada.get("/api/core/plugins/multi-version").status, list(self.server.data.glob("multi-version.db*"))), (404, []))

    def test_fails_no_request_during_upgrades_under_load(self):
        self.install("1.0.0")
        stop = threading.Event()
        failed, written = [], []

        def load(path):
            client = Client(self.server)
            while not stop.is_set():
                response = client.post(f"/api/multi-version/{path}", b"")
                (written if response.status == 200 else failed).append(response)
            client.close()

        threads = [threading.Thread(target=load, args=(path,)) for path in ("quick", "quick", "quick", "slow", "slow")]
        for thread in threads:
            thread.start()
        for number in range(1, 9):
            # The first one changes the table, too.
            self.install(f"1.{number}.0", tables=(LATER, SLOW))
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertEqual(self.rows("SELECT count(*) FROM slow"), [(str(len(written)),)])
        self.assertEqual(len({response.body for response in written}), 9)

    def test_finishes_old_request_without_writes_after_upgrade(self):
        self.install("1.0.0")
        responses = []

        begun, end = self.root / "begun", self.root / "end"
        self.addCleanup(end.touch)

        def ask():
            client = Client(self.server)
            responses.append(client.post("/api/multi-version/slower?" + urllib.parse.urlencode({"begun": begun, "end": end}), b""))
            client.close()

        def end_after_the_switch():
            client = Client(self.server)
            eventually(lambda: client.get("/api/multi-version/version").body == b"1.1.0")
            end.touch()
            client.close()

        threads = [threading.Thread(target=target) for target in (ask, end_after_the_switch)]
        threads[0].start()
        eventually(begun.exists)
        threads[1].start()
        self.install("1.1.0")
        self.assertEqual(self.version(), "1.1.0")
        for thread in threads:
            thread.join()
        [response] = responses
        self.assert_problem(response, 503, "plugins.upgraded")
        self.assertEqual(self.rows("SELECT count(*) FROM slow"), [("0",)])
        self.assertEqual(self.ada.post("/api/multi-version/quick", b"").status, 200)

    def test_rejects_changed_file_and_revoked_key(self):
        self.install("1.0.0")
        number = self.ada.get("/api/core/keys").json()["items"][0]["number"]
        [manifest] = (self.server.data / "plugins").rglob("plugin.json")
        text = manifest.read_bytes()
        manifest.write_bytes(text + b" ")
        self.server.restart()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        self.assertEqual((self.plugin()["state"], self.plugin()["reason"]["code"]), ("failed", "plugins.files_modified"))
        manifest.write_bytes(text)
        self.assertEqual(self.ada.post("/api/core/plugins/multi-version/enable", {}).status, 200)
        self.assertEqual(self.ada.post(f"/api/core/keys/{number}/revoke", {"reason": "stolen"}).status, 200)
        self.assert_problem(self.send(self.package("1.1.0")), 409, "plugins.signer_revoked")
        self.server.restart()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        self.assertEqual((self.plugin()["state"], self.plugin()["reason"]["code"]), ("failed", "plugins.signer_revoked"))
        self.assert_problem(self.ada.post("/api/core/keys", {"key": (self.root / "ada.pub").read_text(), "name": "ada"}), 409,
                            "plugins.signature_key_revoked")

    def test_installs_offline(self):
        self.server.stop()
        file = self.package("1.0.0")
        done = tenon("plugin", "install", file, "--data", self.server.data)
        self.assertEqual((done.returncode, done.stdout), (0, "multi-version 1.0.0 is discovered\n"), done)
        self.server.start()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        self.assertEqual(self.version(), "1.0.0")
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "one"}).status, 201)
        self.server.stop()
        self.assertEqual(tenon("plugin", "upgrade", self.package("1.1.0", tables=(LATER, SLOW)), "--data", self.server.data).returncode, 0)
        self.server.start()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        self.assertEqual((self.version(), self.titles()), ("1.1.0", ["one"]))
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "two"}).status, 201)
        self.server.stop()
        self.assertEqual(tenon("plugin", "rollback", "multi-version", "--data", self.server.data).returncode, 0)
        self.server.start()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        self.assertEqual((self.version(), self.titles()), ("1.0.0", ["one"]))


class Refusals(InstallCase):
    engines = BOTH
    plugins = ("notes",)

    def test_rejects_invalid_packages(self):
        self.assert_problem(self.send(self.package("1.0.0", key=None)), 422, "plugins.package_unsigned")
        self.key("ben")
        self.assert_problem(self.send(self.package("1.0.0", key="ben")), 409, "plugins.signer_unknown")
        plan = self.send(self.package("1.0.0", key="ben"), "/api/core/plugins/plan").json()
        self.assertEqual([one["code"] for one in plan["refusals"]], ["plugins.signer_unknown"], plan)
        whole = self.package("1.0.0").read_bytes()
        cut = self.root / "cut.tenon"
        cut.write_bytes(whole[:-1])
        self.assert_problem(self.send(cut), 422, "plugins.package_invalid")
        self.assert_problem(self.send(self.package("1.0.0", requires={"nowhere": "^1.0"})), 409, "plugins.requires_missing")
        self.assert_problem(self.send(self.package("1.0.0", conflicts={"notes": "*"})), 409, "plugins.conflict")
        plan = self.send(self.package("1.0.0", conflicts={"notes": "*"}), "/api/core/plugins/plan").json()
        self.assertEqual([one["code"] for one in plan["refusals"]], ["plugins.conflict"], plan)
        self.assert_problem(self.ada.post("/api/core/plugins", {"package": "0" * 128}), 404, "plugins.package_unknown")
        self.assert_problem(self.ada.delete("/api/core/plugins/notes?data=keep"), 409, "plugins.not_installed")
        self.assert_problem(self.ada.delete("/api/core/plugins/multi-version?data=keep"), 404, "plugins.unknown")
        self.assertEqual((self.folders(), self.ada.get("/api/core/plugins/multi-version").status), ([], 404))
        self.ada.post("/api/core/users", {"login": "eve", "name": "Eve", "role": "member", "password": "correct horse battery"})
        eve = Client(self.server).sign_in("eve")
        self.addCleanup(eve.close)
        for path in ("/api/core/plugins", "/api/core/plugins/plan", "/api/core/keys"):
            self.assertEqual(eve.post(path, {}).status, 403)


if __name__ == "__main__":
    unittest.main()
