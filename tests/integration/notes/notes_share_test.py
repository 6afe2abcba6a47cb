"""Notes and notebooks of one person, shared with others: what they may see and do, and what they must not."""

import json
import uuid

from notes_case import NotesTest


class Sharing(NotesTest):
    def setUp(self):
        super().setUp()
        self.word = f"w{uuid.uuid4().hex[:10]}"
        self.bob_user, self.bob = self.person("bob")
        _, self.eve = self.person("eve")

    def person(self, login):
        users = self.ada.get("/api/core/users").json()["items"]
        user = next((each for each in users if each["login"] == login), None) or self.add_member(login)
        return user, self.client(login)

    def secret(self, **more):
        return self.create(f"Secret {self.word}", f"The word is {self.word}", tags=[self.word], **more)

    def with_bob(self, thing, level="reader", folder="notes"):
        return self.share(thing, level, "user", self.bob_user["id"], folder)

    def seen_by(self, client):
        """Everything that says something about notes, as one text."""
        paths = ["/notes", "/notes?view=recent", "/notes?view=pinned", "/notes?view=shared", "/notes?view=trash", "/notes?notebook=none",
                 f"/notes?tag={self.word}", "/notebooks", "/tags", f"/search?q={self.word}", f"/suggest?q={self.word}",
                 f"/suggest?q=secret+{self.word}", f"/search?q=secret&tag={self.word}", "/export"]
        return "\n".join(self.response("GET", path, client=client).body.decode() for path in paths)

    def assert_hidden(self, note, client):
        """There is no such note for this person, whatever they try."""
        self.assertNotIn(self.word, self.seen_by(client).replace(f'"{self.word}"', ""))
        self.assertNotIn(note["id"], self.seen_by(client))
        path = f"/notes/{note['id']}"
        revision = self.rows(f"{path}/revisions")[0]["id"]
        tries = [("GET", path, None), ("PATCH", path, {"pinned": True}), ("PATCH", path, {"text": "mine"}), ("DELETE", path, None),
                 ("DELETE", path + "?forever=true", None), ("POST", path + "/restore", None), ("GET", path + "/markdown", None),
                 ("GET", path + "/revisions", None), ("GET", f"{path}/revisions/{revision}", None),
                 ("POST", f"{path}/revisions/{revision}/restore", None), ("GET", path + "/shares", None),
                 ("PUT", path + "/shares", {"shares": []})]
        for method, at, body in tries:
            with self.subTest(route=f"{method} {at}"):
                self.assert_problem(self.response(method, at, body, client, If_Match='"1"'), 404, "notes.not_found")

    def test_hides_unshared_notes(self):
        note = self.secret(pinned=True)
        self.assert_hidden(note, self.bob)
        self.trash(note)
        self.assert_hidden(note, self.bob)

    def test_rejects_id_of_another_users_note(self):
        note = self.secret()
        body = {"id": note["id"], "title": note["title"], "text": note["text"]}
        self.assert_problem(self.response("POST", "/notes", body, self.bob), 409, "notes.exists")

    def test_rejects_changes_by_reader(self):
        note = self.secret()
        self.with_bob(note)
        shown = self.call("GET", f"/notes/{note['id']}", client=self.bob)
        self.assertEqual(("reader", True, note["text"]), (shown["access"], shown["shared"], shown["text"]))
        self.assertIn(note["id"], self.response("GET", f"/search?q={self.word}", client=self.bob).body.decode())
        self.assertIn(note["id"], self.response("GET", "/notes?view=shared", client=self.bob).body.decode())
        self.assertNotIn(note["id"], self.response("GET", "/notes?notebook=none", client=self.bob).body.decode())
        path = f"/notes/{note['id']}"
        for method, at, body in [("PATCH", path, {"text": "x"}), ("PATCH", path, {"pinned": True}), ("PATCH", path, {"tags": []}),
                                 ("DELETE", path, None)]:
            self.assert_problem(self.response(method, at, body, self.bob, If_Match='"1"'), 403, "notes.read_only")
        self.assert_problem(self.response("PUT", path + "/shares", {"shares": []}, self.bob), 403, "notes.not_owner")
        self.assert_hidden(note, self.eve)

    def test_lets_writer_edit_but_not_delete(self):
        note = self.secret()
        self.with_bob(note, "writer")
        path = f"/notes/{note['id']}"
        saved = self.call("PATCH", path, {"text": f"{self.word} by bob", "tags": ["both"]}, client=self.bob, If_Match='"1"')
        self.assertEqual(("writer", "Bob", "Ada"), (saved["access"], saved["editor"]["name"], saved["author"]["name"]))
        self.call("DELETE", path, status=204, client=self.bob)
        self.assert_problem(self.response("DELETE", path + "?forever=true", client=self.bob), 403, "notes.not_owner")
        self.assertEqual(0, self.call("DELETE", "/trash", client=self.bob)["left"])
        self.assertIsNotNone(self.note(note)["deleted"])
        self.call("POST", path + "/restore", client=self.bob)
        self.call("DELETE", path, status=204)
        self.call("DELETE", path + "?forever=true", status=204)
        self.assert_problem(self.response("GET", path, client=self.bob), 404, "notes.not_found")

    def test_hides_note_when_share_ends(self):
        note = self.secret()
        self.with_bob(note, "writer")
        self.call("GET", f"/notes/{note['id']}", client=self.bob)
        self.call("PUT", f"/notes/{note['id']}/shares", {"shares": []})
        self.assert_hidden(note, self.bob)

    def test_shares_with_group_members_at_next_request(self):
        group = self.ada.post("/api/core/groups", {"name": f"Makers {self.word}"}).json()
        note = self.secret()
        self.share(note, "writer", "group", group["id"])
        self.assert_hidden(note, self.bob)
        members = f"/api/core/groups/{group['id']}/members"
        self.assertEqual(200, self.ada.post(members, {"add": [self.bob_user["id"]]}).status)
        self.assertEqual("writer", self.call("GET", f"/notes/{note['id']}", client=self.bob)["access"])
        self.assert_hidden(note, self.eve)
        self.ada.post(members, {"remove": [self.bob_user["id"]]})
        self.assert_hidden(note, self.bob)

    def test_shares_notebook_with_its_contents(self):
        top = self.notebook(f"Top {uuid.uuid4()}")
        inside = self.notebook("Inside", top)
        note = self.secret(notebook=inside["id"])
        unshared = self.create("Unshared")
        self.assert_hidden(note, self.bob)
        self.with_bob(top, "reader", "notebooks")
        self.assertEqual("reader", self.call("GET", f"/notes/{note['id']}", client=self.bob)["access"])
        listed = {each["id"]: each for each in self.call("GET", "/notebooks", client=self.bob)["items"]}
        self.assertEqual(("reader", True, "Ada"),
                         tuple([listed[inside["id"]][name] for name in ("access", "shared")] + [listed[inside["id"]]["owner"]["name"]]))
        self.assertNotIn(unshared["id"], self.seen_by(self.bob))
        for method, path, body, field in [
                ("POST", "/notes", {"title": "A", "notebook": inside["id"]}, "notebook"),
                ("POST", "/notebooks", {"name": "A", "parent": inside["id"]}, "parent")]:
            self.assert_refused(self.response(method, path, body, self.bob), 422, "notes.validation", field, "read_only")
        self.assert_problem(self.response("PATCH", f"/notebooks/{top['id']}", {"name": "B"}, self.bob), 403, "notes.read_only")
        imported = self.response("POST", "/import", {"import": str(uuid.uuid4()), "notebook": top["id"], "files": []}, self.bob)
        self.assert_problem(imported, 404, "notes.notebook_gone")

    def test_lets_notebook_writer_add_but_not_delete(self):
        top = self.notebook(f"Top {uuid.uuid4()}")
        self.with_bob(top, "writer", "notebooks")
        theirs = self.call("POST", "/notes", {"title": "By bob", "notebook": top["id"]}, 201, self.bob)
        self.assertEqual("writer", self.note(theirs)["access"])
        below = self.call("POST", "/notebooks", {"name": "Below", "parent": top["id"]}, 201, self.bob)
        self.assertEqual("Ada", below["owner"]["name"])
        self.assert_problem(self.response("DELETE", f"/notebooks/{top['id']}", client=self.bob), 403, "notes.not_owner")
        self.assert_problem(self.response("PUT", f"/notebooks/{top['id']}/shares", {"shares": []}, self.bob), 403, "notes.not_owner")
        self.assert_problem(self.response("PATCH", f"/notebooks/{below['id']}", {"parent": None}, self.bob), 403, "notes.not_owner")
        # Its owner deletes it: what Bob made goes into Bob's trash, and out of Ada's sight.
        self.call("DELETE", f"/notebooks/{top['id']}")
        self.assertEqual("owner", self.call("GET", f"/notes/{theirs['id']}", client=self.bob)["access"])
        self.assert_problem(self.response("GET", f"/notes/{theirs['id']}"), 404, "notes.not_found")

    def test_rejects_moving_shared_note_away(self):
        top = self.notebook(f"Top {uuid.uuid4()}")
        self.with_bob(top, "writer", "notebooks")
        note = self.secret(notebook=top["id"])
        own = self.call("POST", "/notebooks", {"name": f"Own {uuid.uuid4()}"}, 201, self.bob)
        for notebook in (own["id"], None):
            response = self.response("PATCH", f"/notes/{note['id']}", {"notebook": notebook}, self.bob)
            self.assert_problem(response, 403, "notes.not_owner")
        self.assertEqual(top["id"], self.note(note)["notebook"])

    def test_ignores_and_hides_names_of_others(self):
        name = f"Same {uuid.uuid4()}"
        mine = self.notebook(name)
        theirs = self.call("POST", "/notebooks", {"name": name}, 201, self.bob)
        self.assertNotEqual(mine["id"], theirs["id"])
        self.create(f"Plan {self.word}")
        other = self.call("POST", "/notes", {"title": f"Plan {self.word}"}, 201, self.bob)
        self.assertEqual(f"Plan {self.word}.md", other["file"])
        files = [{"path": f"{name}/a.md", "text": "x"}, {"path": f"Plan {self.word}.md", "text": ""}]
        results = self.call("POST", "/import", {"import": str(uuid.uuid4()), "files": files}, client=self.bob)["results"]
        self.assertEqual("created", results[0]["result"])
        self.assertEqual(theirs["id"], self.call("GET", f"/notes/{results[0]['note']}", client=self.bob)["notebook"])

    def test_resolves_links_to_readable_notes_only(self):
        hidden = self.secret()
        page = self.create("Page", f"See [[Secret {self.word}]]")
        self.assertEqual(hidden["id"], self.note(page)["links"][0]["note"]["id"])
        self.share(page, "reader", "user", self.bob_user["id"])
        shown = self.call("GET", f"/notes/{page['id']}", client=self.bob)
        self.assertIsNone(shown["links"][0]["note"])
        self.with_bob(hidden)
        page_of_eve = self.call("POST", "/notes", {"title": "Eve", "text": f"[[Secret {self.word}]]"}, 201, self.eve)
        self.assertIsNone(page_of_eve["links"][0]["note"])
        backlinks = self.call("GET", f"/notes/{hidden['id']}", client=self.bob)["backlinks"]
        self.assertEqual([page["id"]], [each["id"] for each in backlinks])

    def test_leaves_link_open_for_others_note(self):
        page = self.create("Waits", f"[[Later {self.word}]]")
        self.call("POST", "/notes", {"title": f"Later {self.word}"}, 201, self.bob)
        self.assertIsNone(self.note(page)["links"][0]["note"])
        mine = self.create(f"Later {self.word}")
        self.assertEqual(mine["id"], self.note(page)["links"][0]["note"]["id"])

    def test_rename_rewrites_only_writable_notes(self):
        target = self.create(f"Old {self.word}")
        self.with_bob(target, "writer")
        private = self.create("Private", f"[[Old {self.word}]]")
        renamed = self.call("PATCH", f"/notes/{target['id']}", {"title": f"New {self.word}"}, client=self.bob, If_Match='"1"')
        self.assertNotIn("left", renamed)
        self.assertEqual((1, f"[[Old {self.word}]]"), (self.note(private)["version"], self.note(private)["text"]))

    def test_keeps_tags_of_others_private(self):
        mine = self.create("A", tags=[self.word])
        theirs = self.call("POST", "/notes", {"title": "B", "tags": [self.word]}, 201, self.bob)
        tag = next(each for each in self.get("/tags")["items"] if each["name"] == self.word)
        self.assertEqual(1, tag["notes"])
        renamed = self.call("PATCH", f"/tags/{tag['id']}", {"name": f"{self.word}-new"})
        self.assertEqual((f"{self.word}-new", 1), (renamed["name"], renamed["notes"]))
        self.assertEqual([self.word], self.call("GET", f"/notes/{theirs['id']}", client=self.bob)["tags"])
        self.call("DELETE", f"/tags/{renamed['id']}", status=204)
        self.assertEqual([], self.note(mine)["tags"])
        self.assert_problem(self.response("DELETE", f"/tags/{tag['id']}"), 404, "notes.not_found")
        self.assertEqual([self.word], self.call("GET", f"/notes/{theirs['id']}", client=self.bob)["tags"])

    def test_returns_totals_of_the_caller(self):
        before = self.call("GET", "/notebooks", client=self.eve)["totals"]
        top = self.notebook(f"Top {uuid.uuid4()}")
        self.create("In it", notebook=top["id"])
        direct = self.create("Direct", pinned=True)
        eve = self.person("eve")[0]["id"]
        self.share(top, "reader", "user", eve, "notebooks")
        self.share(direct, "reader", "user", eve)
        after = self.call("GET", "/notebooks", client=self.eve)["totals"]
        changes = {name: after[name] - before[name] for name in after}
        self.assertEqual({"notes": 2, "unfiled": 0, "pinned": 1, "shared": 2, "trash": 0, "trash_own": 0}, changes)
        self.assertEqual(after["shared"], len(self.list_of(self.eve, "/notes?view=shared&limit=100")))
        self.assertEqual(after["notes"], len(self.list_of(self.eve, "/notes?limit=100")))

    def list_of(self, client, path):
        return self.call("GET", path, client=client)["items"]

    def test_exports_readable_notes_under_own_names(self):
        name = f"Same {uuid.uuid4()}"
        mine = self.call("POST", "/notebooks", {"name": name}, 201, self.bob)
        self.call("POST", "/notes", {"title": "One", "notebook": mine["id"]}, 201, self.bob)
        theirs = self.notebook(name)
        self.create("One", notebook=theirs["id"])
        direct = self.create(f"Direct {self.word}")
        self.with_bob(theirs, "reader", "notebooks")
        self.with_bob(direct)
        lines = [json.loads(line) for line in self.response("GET", "/export", client=self.bob).body.decode().split("\n") if line]
        paths = {line["path"] for line in lines if "path" in line}
        self.assertLessEqual({f"{name}/One.md", f"{name} (2)/One.md", f"Shared with me/Direct {self.word}.md"}, paths)
        self.assertEqual(lines[0]["count"], lines[-1]["count"])
        self.assert_problem(self.response("GET", f"/export?notebook={theirs['id']}", client=self.eve), 404, "notes.not_found")

    def test_validates_and_publishes_shares(self):
        top = self.notebook(f"Top {uuid.uuid4()}")
        note = self.create("A", notebook=top["id"])
        self.share(top, "writer", folder="notebooks")
        view = self.with_bob(note)
        self.assertEqual({"owner": self.note(note)["author"], "mine": True,
                          "shares": [{"kind": "user", "id": self.bob_user["id"], "level": "reader"}],
                          "inherited": [{"kind": "everyone", "id": None, "level": "writer",
                                         "notebook": {"id": top["id"], "name": top["name"]}}]}, view)
        path = f"/notes/{note['id']}/shares"
        bob = {"kind": "user", "id": self.bob_user["id"], "level": "reader"}
        wrong = [[{**bob, "level": "owner"}], [{**bob, "kind": "robot"}], [{**bob, "id": "bob"}], [{"kind": "user", "level": "reader"}],
                 [{**bob, "kind": "everyone"}], ["bob"], [{**bob, "more": 1}], [bob, bob]]
        for shares in wrong:
            with self.subTest(shares=shares):
                self.assert_problem(self.response("PUT", path, {"shares": shares}), 422, "notes.validation")
        many = [{"kind": "user", "id": str(uuid.uuid4()), "level": "reader"} for _ in range(101)]
        self.assert_refused(self.response("PUT", path, {"shares": many}), 422, "notes.validation", "shares", "too_many")
        self.assertEqual(100, len(self.call("PUT", path, {"shares": many[:100]})["shares"]))
