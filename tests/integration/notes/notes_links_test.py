"""Links between notes: where they lead, what links back, and what a rename does."""

from notes_case import NotesTest


class Links(NotesTest):
    def leads(self, note):
        """{target as written: title of the note it leads to, or None}."""
        return {link["target"]: link["note"] and link["note"]["title"] for link in self.note(note)["links"]}

    def back(self, note):
        return [each["title"] for each in self.note(note)["backlinks"]]

    def test_resolves_link_when_note_is_created(self):
        source = self.create("Source 1", "[[Waited for]] and [[waited  FOR|again]]")
        self.assertEqual({"Waited for": None, "waited  FOR": None}, self.leads(source))
        target = self.create("Waited For")
        self.assertEqual({"Waited for": "Waited For", "waited  FOR": "Waited For"}, self.leads(source))
        self.assertEqual(["Source 1"], self.back(target))

    def test_updates_backlinks_on_save(self):
        target = self.create("Target 2")
        source = self.create("Source 2", "[[Target 2]]")
        self.save(source, text="`[[Target 2]]` is code now")
        self.assertEqual([], self.back(target))

    def test_rewrites_linking_notes_on_rename(self):
        target = self.create("Old name")
        source = self.create("Source 3", "See [[old  name|this]], [[Old name#Part]] and `[[Old name]]`.\r\n")
        other = self.create("Source 4", "[[Older name]]")
        renamed = self.save(target, title="New name")
        self.assertEqual((1, 0), (renamed["rewritten"], renamed["left"]))
        now = self.note(source)
        self.assertEqual("See [[New name|this]], [[New name#Part]] and `[[Old name]]`.\r\n", now["text"])
        self.assertEqual((2, {"New name": "New name"}), (now["version"], self.leads(source)))
        self.assertEqual(["rename", "edit"], [each["kind"] for each in self.rows(f"/notes/{source['id']}/revisions")])
        self.assertEqual("[[Older name]]", self.note(other)["text"])
        self.assertEqual(["Source 3"], self.found("\"New name part\""))

    def test_rename_keeps_code_and_finds_links_after_backtick(self):
        target = self.create("Old item")
        source = self.create("Items", "- a ` b\n- [[Old item]] ` c\n- d\n    ```\n    [[Old item]]\n\n    [[Old item]]\n    ```\n")
        self.assertEqual(1, self.save(target, title="New item")["rewritten"])
        self.assertEqual(
            "- a ` b\n- [[New item]] ` c\n- d\n    ```\n    [[Old item]]\n\n    [[Old item]]\n    ```\n", self.note(source)["text"])

    def test_drops_link_to_title_that_is_no_link(self):
        target = self.create("Plain 5")
        source = self.create("Source 5", "[[Plain 5]]")
        renamed = self.save(target, title="With ]] and | in it")
        self.assertEqual((0, 1), (renamed["rewritten"], renamed["left"]))
        self.assertEqual(("[[Plain 5]]", 1), (self.note(source)["text"], self.note(source)["version"]))
        self.assertEqual({"Plain 5": "With ]] and | in it"}, self.leads(source))
        self.save(source, text="[[Plain 5]] still")
        self.assertEqual({"Plain 5": "With ]] and | in it"}, self.leads(source))

    def test_limits_notes_rewritten_by_rename(self):
        target = self.create("Hub")
        for batch in range(3):
            self.import_files({f"hub/{batch}-{i}.md": f"# Spoke {batch} {i}\n[[Hub]]" for i in range(70)})
        note = self.note(target)
        self.assertEqual((100, True), (len(note["backlinks"]), note["backlinks_more"]))
        renamed = self.save(target, title="Center")
        self.assertEqual((200, 10), (renamed["rewritten"], renamed["left"]))
        self.assertEqual(0, len([title for title in self.found("spoke", limit=50) if title == "Hub"]))

    def test_records_a_thousand_links_of_a_note(self):
        note = self.create("Many links", " ".join(f"[[N{i}]]" for i in range(1_100)))
        self.assertEqual([f"N{i}" for i in range(1_000)], [link["target"] for link in note["links"]])

    def test_keeps_links_in_trash_until_deletion(self):
        target = self.create("Target 6")
        source = self.create("Source 6", "[[Target 6]]")
        self.trash(target)
        self.assertTrue(self.note(source)["links"][0]["note"]["deleted"])
        again = self.create("Target 6", "a new one under the name")
        self.assertEqual(again["id"], self.note(source)["links"][0]["note"]["id"])
        self.trash(source)
        self.assertEqual([], self.back(again))
        self.trash(again)
        self.call("DELETE", f"/notes/{again['id']}?forever=true", status=204)
        self.assertIsNone(self.note(source)["links"][0]["note"])

    def test_resolves_relative_links_of_imported_files(self):
        self.import_files({"lib/docs/a.md": "# Alpha\n[b](../b%20c.md#x) [x](missing.md) ![p](p.png) [w](https://e.org/a.md)"})
        self.import_files({"lib/b c.md": "# Beta\n[a](./docs/a.md)\n\n[ref]: docs/a.md\n"})
        alpha, beta = (self.get("/suggest", q=name)["items"][0] for name in ("Alpha", "Beta"))
        self.assertEqual({"../b%20c.md": "Beta", "missing.md": None}, self.leads(alpha))
        self.assertEqual({"./docs/a.md": "Alpha", "docs/a.md": "Alpha"}, self.leads(beta))
        self.assertEqual(["Beta"], self.back(alpha))
        self.call("PATCH", f"/notes/{beta['id']}", {"notebook": None})
        self.assertEqual("Beta", self.leads(alpha)["../b%20c.md"], "a move must not cut a link")

    def test_resolves_link_by_file_name(self):
        self.import_files({"vault/Some File.md": "# Another title\n"})
        source = self.create("Source 7", "[[some file]]")
        self.assertEqual({"some file": "Another title"}, self.leads(source))

    def test_prefers_note_of_same_notebook(self):
        near, far = self.notebook("Near"), self.notebook("Far")
        self.create("Twin", "far", notebook=far["id"])
        twin = self.create("Twin", "near", notebook=near["id"])
        source = self.create("Source 8", "[[Twin]]", notebook=near["id"])
        self.assertEqual(twin["id"], self.note(source)["links"][0]["note"]["id"])
