"""Searching and suggesting."""

import random

from notes_case import NotesTest


class Search(NotesTest):
    def test_finds_words_by_prefix(self):
        self.create("Bicycle", "a red one with a basket")
        for typed in ("b", "bic", "BICY", "red bas", "basket red"):
            self.assertIn("Bicycle", self.found(typed), typed)
        self.assertNotIn("Bicycle", self.found("bic "), "a finished word is meant whole")
        self.assertNotIn("Bicycle", self.found("red car"))

    def test_ignores_case_and_accents(self):
        self.create("Café Größe", "naïve")
        for typed in ("cafe", "CAFÉ", "große", "NAIVE"):
            self.assertIn("Café Größe", self.found(typed), typed)

    def test_supports_phrases_and_exclusions(self):
        self.create("P1", "alpha beta gamma")
        self.create("P2", "beta alpha gamma")
        self.assertEqual(["P1"], self.found('"alpha beta"'))
        self.assertEqual(["P2"], self.found('gamma -"alpha beta"'))

    def test_ranks_title_above_text(self):
        self.create("Other", "zebra " * 3)
        self.create("Zebra", "nothing of the kind")
        self.assertEqual(["Zebra", "Other"], self.found("zebra"))

    def test_marks_matches_in_snippets_without_markup(self):
        self.create("<b>Quince</b>", "x " * 200 + "<script>quince()</script> ripe " + "y " * 200)
        hit = self.get("/search", q="quin")["items"][0]
        marked = [each["text"] for each in hit["title"]["segments"] if each["match"]]
        self.assertEqual(["Quince"], marked)
        self.assertEqual("<b>Quince</b>", "".join(each["text"] for each in hit["title"]["segments"]))
        segments = hit["snippet"]["segments"]
        self.assertEqual(["quince"], [each["text"] for each in segments if each["match"]])
        self.assertIn("<script>", "".join(each["text"] for each in segments))
        self.assertLess(len("".join(each["text"] for each in segments)), 400)

    def test_finds_edited_note_by_new_words_only(self):
        note = self.create("E", "walrus")
        self.save(note, text="penguin", title="F")
        self.assertEqual(([], ["F"]), (self.found("walrus"), self.found("penguin")))

    def test_limits_pages_to_best_two_hundred(self):
        for batch in range(3):
            self.import_files({f"many/{batch}-{i}.md": f"# Many {batch} {i}\nhaystack" for i in range(80)})
        hits = self.rows("/search", q="haystack", limit=50)
        self.assertEqual((200, 200), (len(hits), len({hit["note"]["id"] for hit in hits})))
        self.assertEqual([], self.rows("/search", q="haystack", tag="none such"))
        tagged = self.create("Tagged", "haystack", tags=["needle"])
        self.assertEqual([tagged["id"]], [hit["note"]["id"] for hit in self.rows("/search", q="haystack", tag="Needle")])

    def test_accepts_any_typed_text(self):
        parts = ['"', "'", "*", "(", ")", "^", ":", "-", "+", "{", "}", " ", "NEAR(", "AND", "OR", "NOT", "a", "ä", "€", "\t",
                 "title:", ".", ",", "\\", ";--", "日本", "\U0001f34b", "%00", "rank"]
        chance = random.Random(11)
        for _ in range(300):
            typed = "".join(chance.choices(parts, k=chance.randrange(0, 10)))
            for path in ("/search", "/suggest"):
                self.get(path, q=typed)
        self.get("/search", q="word " * 400)

    def test_rejects_other_queries(self):
        for query in ("q=a&limit=51", "q=a&cursor=00", "q=a&limit=-1"):
            self.assert_problem(self.response("GET", f"/search?{query}"), 400, "notes.bad_query")


class Suggest(NotesTest):
    def titles_for(self, typed, **query):
        return [each["title"] for each in self.get("/suggest", q=typed, **query)["items"]]

    def test_suggests_prefixes_before_words(self):
        self.create("The garden")
        note = self.create("Garden plan")
        self.create("Gardens of the world", "", pinned=True)
        self.assertEqual(["Gardens of the world", "Garden plan", "The garden"], self.titles_for("gard"))
        self.assertEqual(["Gardens of the world"], self.titles_for("gard", limit=1))
        self.assertNotIn("Garden plan", self.titles_for("gard", **{"except": note["id"]}))
        self.create("Newest")
        self.assertEqual("Newest", self.titles_for("")[0])
