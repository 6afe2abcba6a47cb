"""Writing a note: saving, conflicts, retries, limits, revisions."""

import threading
import uuid

from notes_case import NotesTest

MAX_TEXT = 786_432


class Saving(NotesTest):
    def test_returns_note_as_written(self):
        text = "---\r\ntags: [b, A]\r\n---\r\n# Größe\r\n\ttab \u2028 \U0001f34b"
        note = self.create("  Plan  ", text, tags=["#c"], pinned=True)
        self.assertEqual(("Plan", text, 1, True, ["A", "b", "c"]),
                         (note["title"], note["text"], note["version"], note["pinned"], note["tags"]))
        self.assertEqual(note, self.note(note))
        response = self.response("GET", f"/notes/{note['id']}")
        self.assertEqual('"1"', response.headers["etag"])

    def test_raises_version_for_content_changes_only(self):
        note = self.create("A", "one")
        saved = self.save(note, text="two")
        self.assertEqual((2, "two"), (saved["version"], saved["text"]))
        moved = self.call("PATCH", f"/notes/{note['id']}",
                          {"pinned": True, "tags": ["x"], "notebook": self.notebook("Box of A")["id"]})
        self.assertEqual((2, saved["updated"], True, ["x"]),
                         (moved["version"], moved["updated"], moved["pinned"], moved["tags"]))

    def test_reports_conflict_with_current_note_to_later_save(self):
        note = self.create("A", "one")
        self.save(note, text="mine", title="Mine")
        response = self.response("PATCH", f"/notes/{note['id']}", {"text": "yours"}, If_Match='"1"')
        current = self.assert_problem(response, 412, "notes.conflict")["current"]
        self.assertEqual((2, "Mine", "mine", "Ada"),
                         (current["version"], current["title"], current["text"], current["editor"]["name"]))
        self.assertEqual("mine", self.note(note)["text"], "something was overwritten")

    def test_accepts_retried_save(self):
        note = self.create("A", "one")
        first = self.save(note, text="two")
        again = self.save(note, text="two")
        self.assertEqual(first, again)

    def test_requires_version_for_content(self):
        note = self.create("A", "one")
        path = f"/notes/{note['id']}"
        self.assert_problem(self.response("PATCH", path, {"text": "two"}), 428, "notes.version_required")
        for header in ("1", "*", '""', '"x"', 'W/"1"', '"1", "2"'):
            self.assert_problem(self.response("PATCH", path, {"text": "two"}, If_Match=header), 400, "notes.bad_query")
        self.assertEqual("one", self.note(note)["text"])

    def test_creates_one_note_for_repeated_id(self):
        note_id = str(uuid.uuid4())
        body = {"id": note_id, "title": "Once", "text": "x"}
        first, again = self.response("POST", "/notes", body), self.response("POST", "/notes", body)
        self.assertEqual((201, 200), (first.status, again.status))
        self.assertEqual(first.json(), again.json())
        self.assertEqual(f"/api/notes/notes/{note_id}", first.headers["location"])
        self.assert_problem(self.response("POST", "/notes", {**body, "text": "y"}), 409, "notes.exists")
        self.assertEqual(1, self.titles().count("Once"))

    def test_accepts_one_of_many_concurrent_saves(self):
        note = self.create("Race", "start")
        outcomes, lock = [], threading.Lock()

        def save(number):
            response = self.response("PATCH", f"/notes/{note['id']}", {"text": f"by {number}"}, self.another_window(),
                                 If_Match='"1"')
            with lock:
                outcomes.append((response.status, number))

        threads = [threading.Thread(target=save, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([200] + [412] * 11, sorted(status for status, _ in outcomes))
        winner = next(number for status, number in outcomes if status == 200)
        self.assertEqual((2, f"by {winner}"), (self.note(note)["version"], self.note(note)["text"]))

    def test_rejects_edit_in_trash(self):
        note = self.create("A", "one")
        self.trash(note)
        response = self.response("PATCH", f"/notes/{note['id']}", {"text": "two"}, If_Match='"1"')
        self.assert_problem(response, 409, "notes.in_trash")

    def test_updates_front_matter_tags_from_text(self):
        note = self.create("A", "---\ntags: [one, two]\n---\n")
        self.call("PATCH", f"/notes/{note['id']}", {"tags": ["one", "two", "mine"]})
        saved = self.save(note, text="---\ntags: [two, three]\n---\n")
        self.assertEqual(["mine", "three", "two"], saved["tags"])


class Limits(NotesTest):
    def test_names_invalid_field(self):
        cases = [
            ({"title": "x" * 201}, "title", "too_long"),
            ({"title": "a\nb"}, "title", "wrong_value"),
            ({"title": 7}, "title", "wrong_type"),
            ({"text": "x" * (MAX_TEXT + 1)}, "text", "too_long"),
            ({"tags": ["x"] * 51}, "tags", "too_many"),
            ({"tags": ["ok", "a,b"]}, "tags.1", "wrong_value"),
            ({"tags": ["x" * 65]}, "tags.0", "wrong_value"),
            ({"tags": "x"}, "tags", "wrong_type"),
            ({"pinned": "yes"}, "pinned", "wrong_type"),
            ({"notebook": "x"}, "notebook", "wrong_value"),
            ({"notebook": str(uuid.uuid4())}, "notebook", "unknown"),
            ({"id": "X"}, "id", "wrong_value"),
            ({"colour": "red"}, "colour", "unknown"),
        ]
        before = self.get("/notebooks")["totals"]
        for body, field, code in cases:
            with self.subTest(body=str(body)[:60]):
                self.assert_refused(self.response("POST", "/notes", body), 422, "notes.validation", field, code)
        self.assertEqual(400, self.response("POST", "/notes", {"text": "a\0b"}).status)
        self.assertEqual(before, self.get("/notebooks")["totals"])

    def test_stores_largest_note(self):
        text = ("ä" * 99 + "\n") * (MAX_TEXT // 199)
        note = self.create("x" * 200, text)
        self.assertEqual(text, self.note(note)["text"])
        self.assertEqual(50, len(self.create("Tags", "", tags=[f"t{i}" for i in range(50)])["tags"]))

    def test_rejects_body_over_host_limit(self):
        response = self.response("POST", "/notes", {"text": "x" * (1 << 20)})
        self.assertEqual(413, response.status, response)

    def test_rejects_invalid_queries(self):
        for query in ("view=x", "limit=0", "limit=101", "limit=x", "cursor=zz", "cursor=00", "notebook=x", "sort=size",
                      "view=trash&sort=title", "view=recent&sort=-updated", "view=trash&tag=a",
                      f"notebook={uuid.uuid4()}&tag=a"):
            with self.subTest(query=query):
                self.assert_problem(self.response("GET", f"/notes?{query}"), 400, "notes.bad_query")
        self.assert_problem(self.response("GET", "/notes/not-an-id"), 404, "notes.not_found")


class Revisions(NotesTest):
    def test_merges_quick_edits_of_one_author(self):
        note = self.create("A", "one")
        for text in ("two", "three"):
            note = self.save(note, text=text)
        revisions = self.rows(f"/notes/{note['id']}/revisions")
        self.assertEqual([(3, "edit", 5)], [(each["version"], each["kind"], each["size"]) for each in revisions])

    def test_creates_restorable_revision_for_each_author(self):
        self.add_member("rob")
        note = self.create("A", "by ada")
        self.share(note)
        self.call("PATCH", f"/notes/{note['id']}", {"text": "by rob", "title": "B"}, client=self.client("rob"),
                  If_Match='"1"')
        path = f"/notes/{note['id']}/revisions"
        newest, oldest = self.rows(path)
        self.assertEqual(("Rob", "Ada"), (newest["author"]["name"], oldest["author"]["name"]))
        self.assertEqual("by ada", self.get(f"{path}/{oldest['id']}")["text"])
        stale = self.response("POST", f"{path}/{oldest['id']}/restore", If_Match='"1"')
        self.assert_problem(stale, 412, "notes.conflict")
        restored = self.call("POST", f"{path}/{oldest['id']}/restore", If_Match='"2"')
        self.assertEqual((3, "A", "by ada"), (restored["version"], restored["title"], restored["text"]))
        self.assertEqual(["restore", "edit", "edit"], [each["kind"] for each in self.rows(path, limit=1)])

    def test_returns_revision_of_its_note_only(self):
        one, two = self.create("A"), self.create("B")
        revision = self.rows(f"/notes/{one['id']}/revisions")[0]["id"]
        response = self.response("GET", f"/notes/{two['id']}/revisions/{revision}")
        self.assert_problem(response, 404, "notes.not_found")

    def test_retains_newest_hundred_revisions(self):
        self.add_member("kim")
        clients = [self.client("kim"), self.ada]
        note = self.create("Busy", "0")
        self.share(note)
        for version in range(1, 111):
            self.call("PATCH", f"/notes/{note['id']}", {"text": str(version)}, client=clients[version % 2],
                      If_Match=f'"{version}"')
        versions = [each["version"] for each in self.rows(f"/notes/{note['id']}/revisions")]
        self.assertEqual(list(range(111, 11, -1)), versions)

    def test_limits_bytes_of_large_revisions(self):
        self.add_member("lou")
        clients = [self.client("lou"), self.ada]
        note = self.create("Large", "x")
        self.share(note)
        for version in range(1, 26):
            self.call("PATCH", f"/notes/{note['id']}", {"text": str(version % 10) * MAX_TEXT},
                      client=clients[version % 2], If_Match=f'"{version}"')
        revisions = self.rows(f"/notes/{note['id']}/revisions")
        self.assertLessEqual(sum(each["size"] for each in revisions), 16 << 20)
        self.assertGreater(len(revisions), 15)
