"""The plugin in a real host: its table, its routes, and who may use them."""

import unittest

from tenon_testing import PluginTest


class GuestBook(PluginTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ben = cls.member("ben")

    def entries(self):
        answer = self.ada.get("/api/my-plugin/entries?sort=-created")
        self.assertEqual(200, answer.status, answer)
        return answer.json()["items"]

    def test_an_entry_is_in_the_name_of_who_wrote_it(self):
        answer = self.ben.post("/api/my-plugin/entries", {"text": "Ben was here"})
        self.assertEqual(201, answer.status, answer)
        [entry] = [entry for entry in self.entries() if entry["text"] == "Ben was here"]
        self.assertEqual(entry["created_by"], self.ben.get("/api/core/session").json()["user"]["id"])

    def test_only_its_author_changes_an_entry(self):
        path = f"/api/my-plugin/entries/{self.ben.post('/api/my-plugin/entries', {'text': 'Mine'}).json()['id']}"
        self.assertEqual(403, self.ada.patch(path, {"text": "Ours"}).status)
        self.assertEqual(200, self.ben.patch(path, {"text": "Still mine"}).status)

    def test_the_guests_are_counted(self):
        for text in ("One", "Two"):
            self.assertEqual(201, self.ada.post("/api/my-plugin/guests", {"text": text}).status)
        guests = {guest["guest"]: guest["entries"] for guest in self.ben.get("/api/my-plugin/guests").json()}
        self.assertEqual(2, guests[self.ada.get("/api/core/session").json()["user"]["id"]])

    def test_a_blank_entry_is_refused_by_field(self):
        before = self.entries()
        problem = self.assert_refused(self.ben.post("/api/my-plugin/guests", {"text": " \n"}), 422, "my-plugin.blank")
        self.assertEqual(["text"], [error["field"] for error in problem["errors"]])
        self.assertEqual(before, self.entries())

    def test_who_is_not_signed_in_reads_nothing(self):
        for path in ("guests", "entries"):
            self.assertEqual(401, self.nobody().get(f"/api/my-plugin/{path}").status)


if __name__ == "__main__":
    unittest.main()
