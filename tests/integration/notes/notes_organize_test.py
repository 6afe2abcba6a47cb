"""Notebooks, lists, tags and the trash."""

import uuid

from notes_case import NotesTest


class Notebooks(NotesTest):
    def tree(self):
        """{path: count} of all notebooks."""
        items = {each["id"]: each for each in self.get("/notebooks")["items"]}

        def path(item):
            parent = items.get(item["parent"])
            return (path(parent) + "/" if parent else "") + item["name"]

        return {path(each): each["notes"] for each in items.values()}

    def test_nests_moves_and_counts_notebooks(self):
        work = self.notebook("Nest")
        inner = self.notebook("Inner", work)
        self.create("In inner", notebook=inner["id"])
        self.assertEqual((0, 1), (self.tree()["Nest"], self.tree()["Nest/Inner"]))
        self.call("PATCH", f"/notebooks/{inner['id']}", {"parent": None, "name": "Outer"})
        self.assertEqual(1, self.tree()["Outer"])
        self.assertEqual(["In inner"], self.titles(notebook=inner["id"]))

    def test_rejects_notebook_inside_itself(self):
        top = self.notebook("Top")
        low = self.notebook("Low", self.notebook("Middle", top))
        for parent in (top, low):
            response = self.response("PATCH", f"/notebooks/{top['id']}", {"parent": parent["id"]})
            self.assert_refused(response, 422, "notes.validation", "parent", "cycle")
        self.assertIn("Top/Middle/Low", self.tree())

    def test_limits_notebooks_to_sixteen_levels(self):
        chain = [self.notebook("L1 of 16")]
        for level in range(2, 17):
            chain.append(self.notebook(f"L{level}", chain[-1]))
        response = self.response("POST", "/notebooks", {"name": "L17", "parent": chain[-1]["id"]})
        self.assert_refused(response, 422, "notes.validation", "parent", "too_deep")
        pair = self.notebook("Pair")
        self.notebook("Child", pair)
        response = self.response("PATCH", f"/notebooks/{pair['id']}", {"parent": chain[14]["id"]})
        self.assert_refused(response, 422, "notes.validation", "parent", "too_deep")
        self.call("PATCH", f"/notebooks/{pair['id']}", {"parent": chain[13]["id"]})

    def test_validates_names(self):
        for name in ("", " ", ".", "..", "a/b", "a\\b", "a\nb", "x" * 201):
            response = self.response("POST", "/notebooks", {"name": name})
            self.assertEqual((422, "notes.validation"), (response.status, response.json()["code"]), repr(name))
        first = self.notebook("Taken")
        self.assert_problem(self.response("POST", "/notebooks", {"name": "Taken"}), 409, "notes.name_taken")
        other = self.notebook("Taken", first)
        self.assert_problem(self.response("PATCH", f"/notebooks/{other['id']}", {"parent": None}), 409, "notes.name_taken")
        body = {"id": str(uuid.uuid4()), "name": "By the client"}
        self.assertEqual([201, 200], [self.response("POST", "/notebooks", body).status for _ in range(2)])

    def test_keeps_order_of_neighbours(self):
        parent = self.notebook("Ordered")
        a, b, c = (self.notebook(name, parent) for name in "ABC")

        def order():
            return "".join(each["name"] for each in self.get("/notebooks")["items"] if each["parent"] == parent["id"])

        self.call("PATCH", f"/notebooks/{c['id']}", {"before": a["id"]})
        self.assertEqual("CAB", order())
        self.call("PATCH", f"/notebooks/{c['id']}", {"before": None})
        self.assertEqual("ABC", order())
        response = self.response("PATCH", f"/notebooks/{b['id']}", {"before": parent["id"]})
        self.assert_refused(response, 422, "notes.validation", "before", "unknown")

    def test_moves_notes_to_trash_and_restores_notebook(self):
        outer = self.notebook("Gone")
        inner = self.notebook("Deep", outer)
        notes = [self.create(f"Gone {i}", notebook=inner["id"]) for i in range(250)]
        self.trash(notes[0])
        self.assertEqual({"trashed": 249}, self.call("DELETE", f"/notebooks/{outer['id']}"))
        self.assertNotIn("Gone", self.tree())
        self.assertEqual([], self.found("Gone"))
        trashed = {row["title"]: row for row in self.rows("/notes", view="trash")}
        self.assertEqual({"Gone/Deep"}, {trashed[f"Gone {i}"]["trashed_from"] for i in range(250)})
        restored = self.call("POST", f"/notes/{notes[7]['id']}/restore")
        self.assertEqual((None, None), (restored["deleted"], restored["trashed_from"]))
        self.assertEqual(1, self.tree()["Gone/Deep"])
        self.assertEqual(["Gone 7"], self.found("Gone"))


class Lists(NotesTest):
    def test_lists_every_note_once_in_order(self):
        book = self.notebook("Pages")
        for i in range(30):
            self.create(f"Page {29 - i:02}", notebook=book["id"], pinned=i % 10 == 0, tags=["paged"])
        pinned = ["Page 09", "Page 19", "Page 29"]
        rest = [f"Page {i:02}" for i in range(30) if f"Page {i:02}" not in pinned]
        # Made in the order 29…00, so that the last changed is 00.
        for query in ({"notebook": book["id"]}, {"tag": "PAGED"}):
            for limit in (1, 7, 30, 100):
                with self.subTest(query=query, limit=limit):
                    self.assertEqual(pinned + rest, self.titles(**query, limit=limit))
                    self.assertEqual(pinned + rest, self.titles(**query, sort="title", limit=limit))
        self.assertEqual(pinned, [title for title in self.titles(view="pinned", limit=1) if title in pinned])
        recent = [title for title in self.titles(view="recent", limit=7) if title.startswith("Page")]
        self.assertEqual(sorted(pinned + rest), recent)

    def test_lists_notes_without_notebook(self):
        self.create("Loose")
        self.create("Filed", notebook=self.notebook("Cabinet")["id"])
        self.assertIn("Loose", self.titles(notebook="none"))
        self.assertNotIn("Filed", self.titles(notebook="none"))
        self.assertEqual([], self.titles(tag="no such tag"))

    def test_updates_totals_on_every_change(self):
        def totals():
            return self.get("/notebooks")["totals"]

        before = totals()
        note = self.create("Counted", pinned=True)
        self.assertEqual({key: before[key] + (key in ("notes", "unfiled", "pinned")) for key in before}, totals())
        self.trash(note)
        self.assertEqual({key: before[key] + (key in ("trash", "trash_own")) for key in before}, totals())
        self.call("DELETE", f"/notes/{note['id']}?forever=true", status=204)
        self.assertEqual(before, totals())


class Tags(NotesTest):
    def tags(self):
        return {each["name"]: each["notes"] for each in self.rows("/tags")}

    def tag_id(self, name):
        return next(each["id"] for each in self.rows("/tags", limit=1) if each["name"] == name)

    def test_counts_renames_merges_and_removes_tags(self):
        one = self.create("T1", tags=["Red", "RED", "Blue"])
        two = self.create("T2", tags=["red"])
        self.assertEqual((2, 1), (self.tags()["Red"], self.tags()["Blue"]))
        blue = self.tag_id("Blue")
        self.assert_refused(self.response("PATCH", f"/tags/{blue}", {"name": "red"}), 409, "notes.tag_exists", "name", "taken")
        merged = self.call("PATCH", f"/tags/{blue}", {"name": "red", "merge": True})
        self.assertEqual(("Red", 2), (merged["name"], merged["notes"]))
        self.call("PATCH", f"/tags/{merged['id']}", {"name": "Crimson"})
        self.assertEqual((["Crimson"], ["Crimson"]), (self.note(one)["tags"], self.note(two)["tags"]))
        self.call("DELETE", f"/tags/{merged['id']}", status=204)
        self.assertEqual([], self.note(one)["tags"])
        self.assertNotIn("Crimson", self.tags())

    def test_restores_tag_with_trashed_notes(self):
        note = self.create("T", tags=["fleeting"])
        self.trash(note)
        self.assertNotIn("fleeting", self.tags())
        self.call("POST", f"/notes/{note['id']}/restore")
        self.assertEqual(1, self.tags()["fleeting"])


class Trash(NotesTest):
    def test_restores_note_unchanged(self):
        note = self.create("Back", "and forth", pinned=True, tags=["t"], notebook=self.notebook("Home")["id"])
        self.trash(note)
        self.trash(note)
        self.assertIsNotNone(self.note(note)["deleted"])
        self.assertNotIn("Back", self.titles())
        self.assertEqual([], self.found("forth"))
        restored = self.call("POST", f"/notes/{note['id']}/restore")
        self.assertEqual(note, restored)
        self.assertEqual(["Back"], self.found("forth"))

    def test_deletes_for_ever_from_trash_only(self):
        note = self.create("Careful")
        self.assert_problem(self.response("DELETE", f"/notes/{note['id']}?forever=true"), 409, "notes.not_in_trash")
        self.trash(note)
        self.call("DELETE", f"/notes/{note['id']}?forever=true", status=204)
        self.assert_problem(self.response("GET", f"/notes/{note['id']}"), 404, "notes.not_found")

    def test_empties_trash_and_keeps_other_notes(self):
        kept = self.create("Kept")
        for i in range(210):
            self.trash(self.create(f"Old {i}"))
        steps = []
        while not steps or steps[-1]["left"]:
            steps.append(self.call("DELETE", "/trash"))
        self.assertEqual(2, len(steps), steps)
        self.assertEqual([], self.titles(view="trash"))
        self.assertEqual("Kept", self.note(kept)["title"])
