"""Records and callbacks of a plugin in the real server: it checks, changes, refuses, extends and receives writes of any caller."""

import json
import pathlib
import shutil
import tempfile
import threading
import unittest
import urllib.parse
import uuid

from tenon import BOTH_IN_FULL, BUILD, SANITIZED, Client, TenonTest, eventually, plugin_rows

ZOO = BUILD / "tests/plugins/zoo/record_hooks"


class Tables(TenonTest):
    engines = BOTH_IN_FULL
    arguments = ("--plugins", str(ZOO), "--plugins-drain", "5s")
    url = "/api/record-hooks"

    def setUp(self):
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        self.ada.id = self.ada.get("/api/core/session").json()["user"]["id"]

    def create(self, title, path="notes", **more):
        return self.ada.post(f"{self.url}/{path}", json.dumps({"title": title, "owner": self.ada.id, **more}).encode(),
                             headers={"Content-Type": "application/json"})

    def made(self, title, **more):
        response = self.create(title, **more)
        self.assertEqual(response.status, 201, response)
        return response.json()

    def titles(self, title):
        query = urllib.parse.quote(f"title = '{title}'")
        return [item["title"] for item in self.ada.get(f"{self.url}/notes?filter={query}").json()["items"]]

    def journal(self, what):
        query = urllib.parse.quote(f"what = '{what}'")
        return len(self.ada.get(f"{self.url}/journal?filter={query}").json()["items"])

    def acts_of(self, record):
        return [change["act"] for change in self.ada.get(f"{self.url}/hooks").json()["changes"] if change["id"] == record]

    def change(self, what):
        response = self.ada.post(f"/api/core/plugins/record-hooks/{what}")
        self.assertEqual(response.status, 200, response)


class BeforeWrites(Tables):
    def test_sets_fields_and_writes_other_records(self):
        note = self.made("  spaces")
        self.assertEqual((note["title"], note["stamp"]), ("spaces", f"by {self.ada.id}"))
        self.assertNotIn("secret", note)
        self.assertEqual(self.journal("create   spaces"), 1)
        changed = self.ada.patch(f"{self.url}/notes/{note['id']}", {"title": "other"})
        self.assertEqual((changed.status, changed.json()["title"]), (200, "other"))
        self.assertEqual(self.journal("update other"), 1)
        self.assertEqual(self.ada.delete(f"{self.url}/notes/{note['id']}").status, 204)
        self.assertEqual(self.journal(f"gone {note['id']}"), 1)

    def test_fills_in_a_required_field(self):
        def handle(**fields):
            return self.ada.post(f"{self.url}/handles", fields)

        made = handle(title="a").json()
        self.assertEqual(made["slug"], "of a")
        self.assertEqual(handle(title="b", slug="own").json()["slug"], "own")
        problem = self.assert_problem(handle(title="blank"), 422, "records.validation")
        self.assertEqual([(error["field"], error["code"]) for error in problem["errors"]], [("slug", "required")])

    def test_sees_the_result_of_an_increment(self):
        made = self.ada.post(f"{self.url}/handles", {"title": "c", "clicks": 3}).json()
        url = f"{self.url}/handles/{made['id']}"
        self.assertEqual(self.ada.patch(url, {"clicks": {"increment": 2}}).json()["clicks"], 5)
        problem = self.assert_problem(self.ada.patch(url, {"clicks": {"increment": 1}}), 422, "records.validation")
        self.assertEqual(problem["errors"][0]["code"], "many")
        self.assert_problem(self.ada.patch(url, {"title": "adds"}), 500, "plugins.callback_failed")

    def test_rejects_write_and_keeps_nothing(self):
        for title, status, code in (("teapot", 418, "record-hooks.teapot"), ("bad", 422, "records.validation"),
                                    ("fields", 422, "records.validation"), ("throws", 500, "plugins.callback_failed"),
                                    ("number", 500, "plugins.callback_failed"), ("wrong", 500, "plugins.callback_failed"),
                                    ("rolls back", 500, "plugins.callback_failed"), ("waits", 500, "plugins.callback_failed"),
                                    ("sleeps", 503, "plugins.callback_too_slow"), ("swallows", 422, "records.validation")):
            with self.subTest(title=title):
                problem = self.assert_problem(self.create(title), status, code)
                self.assertNotIn("secret", json.dumps(problem))
                self.assertEqual(self.titles(title), [])
                self.assertEqual(self.journal(f"create {title}"), 0)
        self.assert_logged("the secret inside")
        self.assert_logged("took too long")
        fields = self.create("bad").json()["errors"]
        self.assertEqual(fields, [{"field": "title", "code": "bad", "message": "This title is bad."}])
        self.assertEqual(self.create("fields").json()["errors"][0]["field"], "owner")
        self.assertEqual(self.made("after all that")["title"], "after all that")

    def test_runs_no_callback_for_writes_of_callback(self):
        before = self.ada.get(f"{self.url}/hooks").json()["asked"]
        self.made("again")
        self.assertEqual(self.ada.get(f"{self.url}/hooks").json()["asked"], before + 1)
        child = self.ada.get(f"{self.url}/notes?filter=title%20%3D%20'child'").json()["items"][0]
        self.assertEqual((child["owner"], child["stamp"]), (self.ada.id, None))

    def test_rejects_delete_but_not_cascaded_delete(self):
        locked = self.made("locked")
        self.assert_problem(self.ada.delete(f"{self.url}/notes/{locked['id']}"), 409, "record-hooks.locked")
        board = self.ada.post(f"{self.url}/boards", {"name": "one"}).json()["id"]
        note = self.made("locked", board=board)
        self.assertEqual(self.ada.delete(f"{self.url}/boards/{board}").status, 204)
        self.assertEqual(self.ada.get(f"{self.url}/notes/{note['id']}").status, 404)
        self.assertEqual(self.ada.get(f"{self.url}/notes/{locked['id']}").status, 200)

    def test_checks_rules_before_callbacks(self):
        before = self.ada.get(f"{self.url}/hooks").json()["asked"]
        self.assert_problem(self.create("x" * 41), 422, "records.validation")
        self.assert_problem(self.ada.patch(f"{self.url}/notes/nothing", {"title": "x"}), 404, "records.not_found")
        self.assertEqual(self.ada.get(f"{self.url}/hooks").json()["asked"], before)

    def test_runs_callbacks_for_batches_upserts_and_imports(self):
        batch = {"create": [{"title": "first of two", "owner": self.ada.id}, {"title": "teapot", "owner": self.ada.id}]}
        problem = self.assert_problem(self.ada.post(f"{self.url}/notes/batch", batch), 418, "record-hooks.teapot")
        self.assertEqual(problem["errors"][0]["field"], "create/1")
        self.assertEqual((self.titles("first of two"), self.journal("create first of two")), ([], 0))
        upsert = {"id": str(uuid.uuid4()), "title": "put", "owner": self.ada.id}
        for act in ("create", "update"):
            self.assertIn(self.ada.put(f"{self.url}/notes?key=id", upsert).status, (200, 201))
            self.assertEqual(self.journal(f"{act} put"), 1)
        rows = [{"title": title, "owner": self.ada.id} for title in ("row 1", "teapot", "bad", "row 4")]
        started = self.ada.post(f"{self.url}/notes/import", {"format": "json", "text": json.dumps(rows)})
        self.assertEqual(started.status, 202, started)
        state = f"{self.url}/notes/import/{started.json()['job']}"
        eventually(lambda: self.ada.get(state).json()["state"] == "done")
        done = self.ada.get(state).json()
        self.assertEqual((done["created"], [error["code"] for error in done["errors"]]), (2, ["record-hooks.teapot", "bad"]))
        self.assertEqual((self.journal("create row 1"), self.journal("create row 4")), (1, 1))

    def test_abandons_callback_that_does_not_return(self):
        """fault: a callback before a write never returns
        | 503 after a second, the write is undone; the next write succeeds, the plugin can be disabled and enabled
        | the log names the plugin and the table"""
        for _ in range(2):
            self.assert_problem(self.create("hangs"), 503, "plugins.callback_too_slow")
            self.made("the next one")
        self.assertEqual(self.titles("hangs"), [])
        self.assertIn("returned=no", self.assert_logged("a callback before a write took too long"))
        # So many that run on are enough: no other is begun.
        for _ in range(2):
            self.assert_problem(self.create("hangs"), 503, "plugins.callback_too_slow")
        before = self.ada.get(f"{self.url}/hooks").json()["asked"]
        self.assert_problem(self.create("slow write"), 503, "plugins.callback_too_slow")
        self.assertEqual(self.ada.get(f"{self.url}/hooks").json()["asked"], before)
        # Those that come back late change nothing.
        self.assertEqual(self.ada.post(f"{self.url}/come-back", b"").status, 204)
        eventually(lambda: self.create("they came back").status == 201)
        self.assertEqual(self.titles("too late"), [])
        self.change("disable")
        self.change("enable")
        self.made("there again")

    @unittest.skipIf(SANITIZED, "the thread of the callback is never joined, which a sanitizer reports")
    def test_disables_plugin_with_stuck_callback(self):
        self.assert_problem(self.create("hangs"), 503, "plugins.callback_too_slow")
        self.change("disable")
        self.change("enable")
        self.made("there again")

    def test_unloads_plugin_after_callback_returns(self):
        responses = []
        other = Client(self.server).sign_in("ada")
        self.addCleanup(other.close)
        before = self.ada.get(f"{self.url}/hooks").json()["asked"]
        body = {"title": "sleeps", "owner": self.ada.id}
        writer = threading.Thread(target=lambda: responses.append(other.post(f"{self.url}/notes", body)))
        writer.start()
        eventually(lambda: self.ada.get(f"{self.url}/hooks").json()["asked"] > before)
        self.change("disable")
        writer.join()
        self.assert_problem(responses[0], 503, "plugins.callback_too_slow")
        self.change("enable")
        self.assertEqual(self.titles("sleeps"), [])
        self.made("there again")


class Access(Tables):
    def test_enforces_rules_and_callbacks_for_plugin_routes(self):
        response = self.create("by route", "by-route")
        routed = self.ada.post(f"{self.url}/as/{self.ada.id}", json.dumps({"title": "by id", "owner": self.ada.id}).encode())
        self.assertEqual((routed.status, routed.json()["created_by"], routed.json()["stamp"]), (201, self.ada.id, f"by {self.ada.id}"))
        refused = self.ada.post(f"{self.url}/as/{self.ada.id}", b'{"title": 7}')
        problem = self.assert_problem(refused, 422, "records.validation")
        self.assertEqual([error["field"] for error in problem["errors"]], ["title"])
        self.assert_problem(self.ada.post(f"{self.url}/as/anonymous", b'{"title": "x"}'), 401, "identity.signed_out")
        self.assert_problem(self.ada.post(f"{self.url}/as/{'0' * 32}", b'{"title": "x"}'), 403, "identity.unknown_user")
        self.assert_problem(self.ada.post(f"{self.url}/as/{self.ada.id}", b'{"title": "not mine"}'), 403, "records.forbidden")
        self.assert_problem(self.ada.post(f"{self.url}/as/{self.ada.id}", b'{"title": "x", "stamp": "mine"}'), 422,
                            "records.validation")
        self.assertEqual(response.status, 201)

    def test_enforces_no_rules_for_the_plugin_itself(self):
        made = self.ada.post(f"{self.url}/as/plugin", b'{"title": "for no user", "secret": "s"}')
        self.assertEqual((made.status, made.json()["created_by"], made.json()["secret"]), (201, None, "plugin"))
        record = made.json()["id"]
        self.assertEqual(self.ada.get(f"{self.url}/notes/{record}").status, 404)
        self.assert_problem(self.ada.get(f"{self.url}/one/{record}"), 404, "records.not_found")
        self.assertEqual(self.ada.get(f"{self.url}/one/{record}?as=plugin").json()["title"], "for no user")
        freely = self.ada.post(f"{self.url}/as/freely", b'{"title": "hers"}')
        self.assertEqual((freely.status, freely.json()["created_by"]), (201, self.ada.id))

    def test_binds_values_of_lists(self):
        for title in ("it's ? here", "' or true or title = '"):
            self.made(title, open=True)
            found = self.ada.get(f"{self.url}/find?title={urllib.parse.quote(title)}")
            self.assertEqual(([item["title"] for item in found.json()["items"]], found.json()["total"]), ([title], 1))

    def test_changes_conditionally_and_returns_the_record(self):
        note = self.made("first")
        changed = self.ada.patch(f"{self.url}/notes-by-rule/{note['id']}", b'{"title": "second"}', headers={"If-Match": '"1-x"'})
        self.assertEqual((changed.status, changed.json()["version"]), (200, 2), changed)
        late = self.ada.patch(f"{self.url}/notes-by-rule/{note['id']}", b'{"title": "third"}', headers={"If-Match": '"1-x"'})
        self.assertEqual(self.assert_problem(late, 412, "records.conflict")["record"]["title"], "second")
        self.assertEqual(self.ada.delete(f"{self.url}/notes-by-rule/{note['id']}").status, 204)
        self.assert_problem(self.ada.delete(f"{self.url}/notes-by-rule/{note['id']}"), 404, "records.not_found")

    def test_writes_record_and_sql_in_one_transaction(self):
        drafts = len(self.ada.get(f"{self.url}/drafts").json())
        body = {"title": "in one", "owner": self.ada.id}
        done = self.ada.post(f"{self.url}/queued", json.dumps(body).encode())
        self.assertEqual((done.status, done.json()["stamp"]), (201, f"by {self.ada.id}"))
        self.assertEqual(len(self.ada.get(f"{self.url}/drafts").json()), drafts + 1)
        for refused, status in (({"title": 1}, 422), ({"title": "teapot", "owner": self.ada.id}, 418)):
            self.assertEqual(self.ada.post(f"{self.url}/queued", json.dumps(refused).encode()).status, status)
        self.assert_problem(self.ada.post(f"{self.url}/swallowed", b""), 422, "records.validation")
        self.assertEqual(len(self.ada.get(f"{self.url}/drafts").json()), drafts + 1)


class Extras(Tables):
    def test_extends_a_page_in_one_call(self):
        notes = [self.made(title) for title in ("one", "three", "seventeen")]
        before = self.ada.get(f"{self.url}/hooks").json()["pages"]
        items = self.ada.get(f"{self.url}/notes?sort=-created&limit=3&fields=title&count=true").json()
        self.assertEqual([item["extra"] for item in items["items"]],
                         [{"letters": letters, "reader": self.ada.id} for letters in (9, 5, 3)])
        self.assertGreaterEqual(items["total"], 3)
        self.assertEqual(self.ada.get(f"{self.url}/hooks").json()["pages"], before + 1)
        one = self.ada.get(f"{self.url}/notes/{notes[0]['id']}")
        self.assertEqual(one.json()["extra"]["letters"], 3)
        again = self.ada.get(f"{self.url}/notes/{notes[0]['id']}", **{"If-None-Match": one.headers["etag"]})
        self.assertEqual((again.status, again.json()["extra"]["letters"]), (200, 3))
        changed = self.ada.patch(f"{self.url}/notes/{notes[0]['id']}", {"title": "uno"}, headers={"If-Match": one.headers["etag"]})
        self.assertEqual(changed.status, 200)

    def test_describes_added_fields(self):
        schemas = self.ada.get("/api/core/openapi.json").json()["components"]["schemas"]
        self.assertIn("extra", schemas["record-hooks.notes"]["properties"])
        self.assertNotIn("extra", schemas["record-hooks.boards"]["properties"])

    def test_extends_no_empty_pages_or_groups(self):
        before = self.ada.get(f"{self.url}/hooks").json()["pages"]
        self.assertEqual(self.ada.get(f"{self.url}/notes?filter=false").json()["items"], [])
        self.assertEqual(self.ada.get(f"{self.url}/notes?group=open").status, 200)
        self.assertEqual(self.ada.get(f"{self.url}/hooks").json()["pages"], before)

    def test_omits_extension_that_fails(self):
        note = self.made("plain")
        self.ada.post(f"{self.url}/fail/yes")
        self.addCleanup(lambda: self.ada.post(f"{self.url}/fail/no"))
        response = self.ada.get(f"{self.url}/notes/{note['id']}")
        self.assertEqual(response.status, 200)
        self.assertNotIn("extra", response.json())
        self.assert_logged("a plugin could not add to its records")


class AfterWrites(Tables):
    def test_delivers_changes_in_order(self):
        note = self.made("ordered")
        self.ada.patch(f"{self.url}/notes/{note['id']}", {"title": "retold"})
        self.ada.delete(f"{self.url}/notes/{note['id']}")
        eventually(lambda: self.acts_of(note["id"]) == ["create", "update", "remove"])

    def test_does_not_report_upsert_as_removal(self):
        note, other = self.made("met"), self.made("removed")
        values = f"INSERT INTO notes (id, title, owner) VALUES ('{note['id']}', 'met', '{self.ada.id}') ON CONFLICT (id) DO"
        for then in ("NOTHING", "UPDATE SET title = 'met again'"):
            plugin_rows(self.server, "record-hooks", f"{values} {then}")
        self.ada.delete(f"{self.url}/notes/{other['id']}")
        eventually(lambda: self.acts_of(other["id"]) == ["create", "remove"])
        # Changes that are read together are one, so there may be an update for each.
        self.assertEqual((self.acts_of(note["id"])[0], set(self.acts_of(note["id"])[1:])), ("create", {"update"}))

    def test_redelivers_rejected_changes(self):
        self.ada.post(f"{self.url}/fail/yes")
        note = self.made("later")
        self.assert_logged("a callback after writes failed")
        self.assertEqual(self.acts_of(note["id"]), [])
        self.ada.post(f"{self.url}/fail/no")
        eventually(lambda: self.acts_of(note["id"]) == ["create"])

    def test_delivers_at_most_a_hundred_at_once(self):
        self.ada.post(f"{self.url}/fail/yes")
        made = []
        for count in (50, 60):
            notes = [{"title": f"many {number}", "owner": self.ada.id} for number in range(count)]
            response = self.ada.post(f"{self.url}/notes/batch", {"create": notes})
            made += [note["id"] for note in response.json()["create"]]
        self.ada.post(f"{self.url}/fail/no")
        eventually(lambda: all(self.acts_of(record) for record in (made[0], made[-1])))
        now = self.ada.get(f"{self.url}/hooks").json()
        self.assertEqual([change["id"] for change in now["changes"] if change["id"] in set(made)], made)
        self.assertLessEqual(now["largest"], 100)
        self.assertGreater(now["largest"], 1)

    def test_delivers_pending_changes_after_restart(self):
        note = self.made("kept")
        eventually(lambda: self.acts_of(note["id"]) == ["create"])
        self.ada.post(f"{self.url}/fail/yes")
        other = self.made("untold")
        self.change("disable")
        self.assert_problem(self.ada.get(f"{self.url}/notes"), 404, "plugins.not_active")
        self.change("enable")
        eventually(lambda: self.acts_of(other["id"]) == ["create"])
        self.assertEqual(self.acts_of(note["id"]), [])  # it was delivered before, once
        self.ada.post(f"{self.url}/fail/yes")
        third = self.made("killed")
        self.server.kill()
        self.server.restart()
        self.setUp()
        eventually(lambda: self.acts_of(third["id"]) == ["create"])


    def test_reports_gap_in_change_log(self):
        note = self.made("before the gap")
        eventually(lambda: self.acts_of(note["id"]) == ["create"])
        self.ada.post(f"{self.url}/fail/yes")
        lost = self.made("lost")
        self.change("disable")
        plugin_rows(self.server, "record-hooks", "DELETE FROM tenon_changes")
        self.change("enable")
        eventually(lambda: self.acts_of("") == ["gap"])
        after_gap = self.made("after the gap")
        eventually(lambda: self.acts_of(after_gap["id"]) == ["create"])
        self.assertEqual((self.acts_of(lost["id"]), self.acts_of("")), ([], ["gap"]))
        self.change("disable")
        self.change("enable")
        last = self.made("and on")
        eventually(lambda: self.acts_of(last["id"]) == ["create"])
        self.assertEqual((self.acts_of(""), self.acts_of(after_gap["id"])), ([], []))


class Refused(TenonTest):
    """Callbacks of tables that are not there."""

    engines = BOTH_IN_FULL

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-tables-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        shutil.copytree(ZOO / "record-hooks", folder / "record-hooks")
        file = folder / "record-hooks/tables.json"
        tables = json.loads(file.read_text())
        next(table for table in tables["tables"] if table["name"] == "notes")["publish"] = False
        file.write_text(json.dumps(tables))
        cls.arguments = ("--plugins", str(folder))
        super().setUpClass()

    def test_rejects_plugin_with_callback_of_unpublished_table(self):
        ada = Client(self.server).sign_in("ada")
        self.addCleanup(ada.close)
        item = next(item for item in ada.get("/api/core/plugins").json()["items"] if item["id"] == "record-hooks")
        self.assertEqual((item["state"], item["reason"]["code"]), ("failed", "plugins.callback_unknown_table"))
        self.assertIn('"notes", which is not published', item["reason"]["message"])
