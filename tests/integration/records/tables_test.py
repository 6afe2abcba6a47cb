"""Records and callbacks of a plugin in the real server: what it asks, changes, refuses, adds and is told of, whoever makes the write."""

import json
import pathlib
import shutil
import tempfile
import threading
import unittest
import urllib.parse
import uuid

from tenon import BOTH_IN_FULL, BUILD, SANITIZED, Client, TenonTest, eventually, plugin_rows

ZOO = BUILD / "tests/plugins/zoo/keeps_rules"


class Tables(TenonTest):
    engines = BOTH_IN_FULL
    arguments = ("--plugins", str(ZOO), "--plugins-drain", "5s")
    url = "/api/keeps-rules"

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

    def told(self, record):
        return [change["act"] for change in self.ada.get(f"{self.url}/told").json()["told"] if change["id"] == record]

    def change(self, what):
        response = self.ada.post(f"/api/core/plugins/keeps-rules/{what}")
        self.assertEqual(response.status, 200, response)


class BeforeWrites(Tables):
    def test_a_callback_sets_fields_and_writes_beside(self):
        note = self.made("  spaces")
        self.assertEqual((note["title"], note["stamp"]), ("spaces", f"by {self.ada.id}"))
        self.assertNotIn("secret", note)
        self.assertEqual(self.journal("create   spaces"), 1)
        changed = self.ada.patch(f"{self.url}/notes/{note['id']}", {"title": "other"})
        self.assertEqual((changed.status, changed.json()["title"]), (200, "other"))
        self.assertEqual(self.journal("update other"), 1)
        self.assertEqual(self.ada.delete(f"{self.url}/notes/{note['id']}").status, 204)
        self.assertEqual(self.journal(f"gone {note['id']}"), 1)

    def test_a_callback_refuses_and_nothing_is_kept(self):
        for title, status, code in (("teapot", 418, "keeps-rules.teapot"), ("bad", 422, "records.validation"),
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

    def test_what_a_callback_writes_asks_no_callback(self):
        before = self.ada.get(f"{self.url}/told").json()["asked"]
        self.made("again")
        self.assertEqual(self.ada.get(f"{self.url}/told").json()["asked"], before + 1)
        child = self.ada.get(f"{self.url}/notes?filter=title%20%3D%20'child'").json()["items"][0]
        self.assertEqual((child["owner"], child["stamp"]), (self.ada.id, None))

    def test_a_delete_is_refused_and_one_that_goes_along_asks_nobody(self):
        locked = self.made("locked")
        self.assert_problem(self.ada.delete(f"{self.url}/notes/{locked['id']}"), 409, "keeps-rules.locked")
        board = self.ada.post(f"{self.url}/boards", {"name": "one"}).json()["id"]
        note = self.made("locked", board=board)
        self.assertEqual(self.ada.delete(f"{self.url}/boards/{board}").status, 204)
        self.assertEqual(self.ada.get(f"{self.url}/notes/{note['id']}").status, 404)
        self.assertEqual(self.ada.get(f"{self.url}/notes/{locked['id']}").status, 200)

    def test_rules_and_checks_come_first(self):
        before = self.ada.get(f"{self.url}/told").json()["asked"]
        self.assert_problem(self.create("x" * 41), 422, "records.validation")
        self.assert_problem(self.ada.patch(f"{self.url}/notes/nothing", {"title": "x"}), 404, "records.not_found")
        self.assertEqual(self.ada.get(f"{self.url}/told").json()["asked"], before)

    def test_batches_upserts_and_imports_ask_too(self):
        batch = {"create": [{"title": "first of two", "owner": self.ada.id}, {"title": "teapot", "owner": self.ada.id}]}
        problem = self.assert_problem(self.ada.post(f"{self.url}/notes/batch", batch), 418, "keeps-rules.teapot")
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
        self.assertEqual((done["created"], [error["code"] for error in done["errors"]]), (2, ["keeps-rules.teapot", "bad"]))
        self.assertEqual((self.journal("create row 1"), self.journal("create row 4")), (1, 1))

    def test_a_callback_that_does_not_return_is_left_behind(self):
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
        before = self.ada.get(f"{self.url}/told").json()["asked"]
        self.assert_problem(self.create("no hurry"), 503, "plugins.callback_too_slow")
        self.assertEqual(self.ada.get(f"{self.url}/told").json()["asked"], before)
        # Those that come back late change nothing.
        self.assertEqual(self.ada.post(f"{self.url}/come-back", b"").status, 204)
        eventually(lambda: self.create("they came back").status == 201)
        self.assertEqual(self.titles("too late"), [])
        self.change("disable")
        self.change("enable")
        self.made("there again")

    @unittest.skipIf(SANITIZED, "the thread of the callback is left behind for good, which a sanitizer reports")
    def test_a_plugin_with_a_callback_that_does_not_return_can_be_disabled(self):
        self.assert_problem(self.create("hangs"), 503, "plugins.callback_too_slow")
        self.change("disable")
        self.change("enable")
        self.made("there again")

    def test_a_plugin_leaves_when_its_callback_has_returned(self):
        responses = []
        other = Client(self.server).sign_in("ada")
        self.addCleanup(other.close)
        before = self.ada.get(f"{self.url}/told").json()["asked"]
        body = {"title": "sleeps", "owner": self.ada.id}
        writer = threading.Thread(target=lambda: responses.append(other.post(f"{self.url}/notes", body)))
        writer.start()
        eventually(lambda: self.ada.get(f"{self.url}/told").json()["asked"] > before)
        self.change("disable")
        writer.join()
        self.assert_problem(responses[0], 503, "plugins.callback_too_slow")
        self.change("enable")
        self.assertEqual(self.titles("sleeps"), [])
        self.made("there again")


class Access(Tables):
    def test_a_route_of_the_plugin_asks_rules_checks_and_callbacks(self):
        response = self.create("by route", "by-route")
        routed = self.ada.post(f"{self.url}/as/{self.ada.id}", json.dumps({"title": "by id", "owner": self.ada.id}).encode())
        self.assertEqual((routed.status, routed.json()["created_by"], routed.json()["stamp"]), (201, self.ada.id, f"by {self.ada.id}"))
        refused = self.ada.post(f"{self.url}/as/{self.ada.id}", b'{"title": 7}')
        problem = self.assert_problem(refused, 422, "records.validation")
        self.assertEqual([error["field"] for error in problem["errors"]], ["title"])
        self.assert_problem(self.ada.post(f"{self.url}/as/nobody", b'{"title": "x"}'), 401, "identity.signed_out")
        self.assert_problem(self.ada.post(f"{self.url}/as/{'0' * 32}", b'{"title": "x"}'), 403, "identity.unknown_user")
        self.assert_problem(self.ada.post(f"{self.url}/as/{self.ada.id}", b'{"title": "not mine"}'), 403, "records.forbidden")
        self.assert_problem(self.ada.post(f"{self.url}/as/{self.ada.id}", b'{"title": "x", "stamp": "mine"}'), 422,
                            "records.validation")
        self.assertEqual(response.status, 201)

    def test_the_plugin_itself_is_asked_for_no_rule(self):
        made = self.ada.post(f"{self.url}/as/plugin", b'{"title": "for nobody", "secret": "s"}')
        self.assertEqual((made.status, made.json()["created_by"], made.json()["secret"]), (201, None, "plugin"))
        record = made.json()["id"]
        self.assertEqual(self.ada.get(f"{self.url}/notes/{record}").status, 404)
        self.assert_problem(self.ada.get(f"{self.url}/one/{record}"), 404, "records.not_found")
        self.assertEqual(self.ada.get(f"{self.url}/one/{record}?as=plugin").json()["title"], "for nobody")
        freely = self.ada.post(f"{self.url}/as/freely", b'{"title": "hers"}')
        self.assertEqual((freely.status, freely.json()["created_by"]), (201, self.ada.id))

    def test_a_list_has_its_values_bound(self):
        for title in ("it's ? here", "' or true or title = '"):
            self.made(title, open=True)
            found = self.ada.get(f"{self.url}/find?title={urllib.parse.quote(title)}")
            self.assertEqual(([item["title"] for item in found.json()["items"]], found.json()["total"]), ([title], 1))

    def test_changes_are_conditional_and_tell_the_record(self):
        note = self.made("first")
        changed = self.ada.patch(f"{self.url}/notes-by-rule/{note['id']}", b'{"title": "second"}', headers={"If-Match": '"1-x"'})
        self.assertEqual((changed.status, changed.json()["version"]), (200, 2), changed)
        late = self.ada.patch(f"{self.url}/notes-by-rule/{note['id']}", b'{"title": "third"}', headers={"If-Match": '"1-x"'})
        self.assertEqual(self.assert_problem(late, 412, "records.conflict")["record"]["title"], "second")
        self.assertEqual(self.ada.delete(f"{self.url}/notes-by-rule/{note['id']}").status, 204)
        self.assert_problem(self.ada.delete(f"{self.url}/notes-by-rule/{note['id']}"), 404, "records.not_found")

    def test_a_record_and_sql_are_one_transaction(self):
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
    def test_a_page_is_added_to_at_once(self):
        notes = [self.made(title) for title in ("one", "three", "seventeen")]
        before = self.ada.get(f"{self.url}/told").json()["pages"]
        items = self.ada.get(f"{self.url}/notes?sort=-created&limit=3&fields=title&count=true").json()
        self.assertEqual([item["extra"] for item in items["items"]],
                         [{"letters": letters, "reader": self.ada.id} for letters in (9, 5, 3)])
        self.assertGreaterEqual(items["total"], 3)
        self.assertEqual(self.ada.get(f"{self.url}/told").json()["pages"], before + 1)
        one = self.ada.get(f"{self.url}/notes/{notes[0]['id']}")
        self.assertEqual(one.json()["extra"]["letters"], 3)
        again = self.ada.get(f"{self.url}/notes/{notes[0]['id']}", **{"If-None-Match": one.headers["etag"]})
        self.assertEqual((again.status, again.json()["extra"]["letters"]), (200, 3))
        changed = self.ada.patch(f"{self.url}/notes/{notes[0]['id']}", {"title": "uno"}, headers={"If-Match": one.headers["etag"]})
        self.assertEqual(changed.status, 200)

    def test_the_description_knows_of_what_is_added(self):
        schemas = self.ada.get("/api/core/openapi.json").json()["components"]["schemas"]
        self.assertIn("extra", schemas["keeps-rules.notes"]["properties"])
        self.assertNotIn("extra", schemas["keeps-rules.boards"]["properties"])

    def test_an_empty_page_and_groups_ask_nobody(self):
        before = self.ada.get(f"{self.url}/told").json()["pages"]
        self.assertEqual(self.ada.get(f"{self.url}/notes?filter=false").json()["items"], [])
        self.assertEqual(self.ada.get(f"{self.url}/notes?group=open").status, 200)
        self.assertEqual(self.ada.get(f"{self.url}/told").json()["pages"], before)

    def test_an_answer_goes_out_without_what_fails(self):
        note = self.made("plain")
        self.ada.post(f"{self.url}/fail/yes")
        self.addCleanup(lambda: self.ada.post(f"{self.url}/fail/no"))
        response = self.ada.get(f"{self.url}/notes/{note['id']}")
        self.assertEqual(response.status, 200)
        self.assertNotIn("extra", response.json())
        self.assert_logged("a plugin could not add to its records")


class AfterWrites(Tables):
    def test_changes_are_told_in_their_order(self):
        note = self.made("told")
        self.ada.patch(f"{self.url}/notes/{note['id']}", {"title": "retold"})
        self.ada.delete(f"{self.url}/notes/{note['id']}")
        eventually(lambda: self.told(note["id"]) == ["create", "update", "remove"])

    def test_an_insert_that_meets_a_record_does_not_remove_it(self):
        note, other = self.made("met"), self.made("removed")
        values = f"INSERT INTO notes (id, title, owner) VALUES ('{note['id']}', 'met', '{self.ada.id}') ON CONFLICT (id) DO"
        for then in ("NOTHING", "UPDATE SET title = 'met again'"):
            plugin_rows(self.server, "keeps-rules", f"{values} {then}")
        self.ada.delete(f"{self.url}/notes/{other['id']}")
        eventually(lambda: self.told(other["id"]) == ["create", "remove"])
        # Changes that are read together are one, so there may be an update for each.
        self.assertEqual((self.told(note["id"])[0], set(self.told(note["id"])[1:])), ("create", {"update"}))

    def test_what_was_refused_is_told_again(self):
        self.ada.post(f"{self.url}/fail/yes")
        note = self.made("later")
        self.assert_logged("a callback after writes failed")
        self.assertEqual(self.told(note["id"]), [])
        self.ada.post(f"{self.url}/fail/no")
        eventually(lambda: self.told(note["id"]) == ["create"])

    def test_at_most_a_hundred_are_told_at_once(self):
        self.ada.post(f"{self.url}/fail/yes")
        made = []
        for count in (50, 60):
            notes = [{"title": f"many {number}", "owner": self.ada.id} for number in range(count)]
            response = self.ada.post(f"{self.url}/notes/batch", {"create": notes})
            made += [note["id"] for note in response.json()["create"]]
        self.ada.post(f"{self.url}/fail/no")
        eventually(lambda: all(self.told(record) for record in (made[0], made[-1])))
        now = self.ada.get(f"{self.url}/told").json()
        self.assertEqual([change["id"] for change in now["told"] if change["id"] in set(made)], made)
        self.assertLessEqual(now["largest"], 100)
        self.assertGreater(now["largest"], 1)

    def test_what_was_not_told_before_a_restart_is_told_behind_it(self):
        note = self.made("kept")
        eventually(lambda: self.told(note["id"]) == ["create"])
        self.ada.post(f"{self.url}/fail/yes")
        other = self.made("untold")
        self.change("disable")
        self.assert_problem(self.ada.get(f"{self.url}/notes"), 404, "plugins.not_active")
        self.change("enable")
        eventually(lambda: self.told(other["id"]) == ["create"])
        self.assertEqual(self.told(note["id"]), [])  # it was told before, once
        self.ada.post(f"{self.url}/fail/yes")
        third = self.made("killed")
        self.server.kill()
        self.server.restart()
        self.setUp()
        eventually(lambda: self.told(third["id"]) == ["create"])


    def test_what_the_log_does_not_have_is_told_as_a_gap(self):
        note = self.made("before the gap")
        eventually(lambda: self.told(note["id"]) == ["create"])
        self.ada.post(f"{self.url}/fail/yes")
        lost = self.made("lost")
        self.change("disable")
        plugin_rows(self.server, "keeps-rules", "DELETE FROM tenon_changes")
        self.change("enable")
        eventually(lambda: self.told("") == ["gap"])
        behind = self.made("behind the gap")
        eventually(lambda: self.told(behind["id"]) == ["create"])
        self.assertEqual((self.told(lost["id"]), self.told("")), ([], ["gap"]))
        self.change("disable")
        self.change("enable")
        last = self.made("and on")
        eventually(lambda: self.told(last["id"]) == ["create"])
        self.assertEqual((self.told(""), self.told(behind["id"])), ([], []))


class Refused(TenonTest):
    """Callbacks of tables that are not there."""

    engines = BOTH_IN_FULL

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-tables-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        shutil.copytree(ZOO / "keeps-rules", folder / "keeps-rules")
        file = folder / "keeps-rules/tables.json"
        tables = json.loads(file.read_text())
        next(table for table in tables["tables"] if table["name"] == "notes")["publish"] = False
        file.write_text(json.dumps(tables))
        cls.arguments = ("--plugins", str(folder))
        super().setUpClass()

    def test_a_callback_of_an_unpublished_table_keeps_the_plugin_from_starting(self):
        ada = Client(self.server).sign_in("ada")
        self.addCleanup(ada.close)
        item = next(item for item in ada.get("/api/core/plugins").json()["items"] if item["id"] == "keeps-rules")
        self.assertEqual((item["state"], item["reason"]["code"]), ("failed", "plugins.callback_unknown_table"))
        self.assertIn('"notes", which is not published', item["reason"]["message"])
