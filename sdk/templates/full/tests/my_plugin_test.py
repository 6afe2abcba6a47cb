"""Tests the table, the routes and the access rules of the plugin in a real host."""

import unittest

from tenon_testing import PluginTest


class GuestBook(PluginTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ben = cls.member("ben")

    def entries(self):
        response = self.ada.get("/api/my-plugin/entries?sort=-created")
        self.assertEqual(200, response.status, response)
        return response.json()["items"]

    def test_stores_the_author_of_an_entry(self):
        response = self.ben.post("/api/my-plugin/entries", {"text": "Ben was here"})
        self.assertEqual(201, response.status, response)
        [entry] = [entry for entry in self.entries() if entry["text"] == "Ben was here"]
        self.assertEqual(entry["created_by"], self.ben.get("/api/core/session").json()["user"]["id"])

    def test_lets_only_the_author_change_an_entry(self):
        path = f"/api/my-plugin/entries/{self.ben.post('/api/my-plugin/entries', {'text': 'Mine'}).json()['id']}"
        self.assertEqual(403, self.ada.patch(path, {"text": "Ours"}).status)
        self.assertEqual(200, self.ben.patch(path, {"text": "Still mine"}).status)

    def test_counts_entries_by_guest(self):
        for text in ("One", "Two"):
            self.assertEqual(201, self.ada.post("/api/my-plugin/guests", {"text": text}).status)
        guests = {guest["guest"]: guest["entries"] for guest in self.ben.get("/api/my-plugin/guests").json()}
        self.assertEqual(2, guests[self.ada.get("/api/core/session").json()["user"]["id"]])

    def test_rejects_a_blank_entry(self):
        before = self.entries()
        problem = self.assert_refused(self.ben.post("/api/my-plugin/guests", {"text": " \n"}), 422, "my-plugin.blank")
        self.assertEqual(["text"], [error["field"] for error in problem["errors"]])
        self.assertEqual(before, self.entries())

    def test_rejects_anonymous_clients(self):
        for path in ("guests", "entries"):
            self.assertEqual(401, self.anonymous().get(f"/api/my-plugin/{path}").status)


if __name__ == "__main__":
    unittest.main()
