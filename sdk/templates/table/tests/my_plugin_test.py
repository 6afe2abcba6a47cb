"""Tests the table and the access rules of the plugin in a real host."""

import unittest

from tenon_testing import PluginTest


class GuestBook(PluginTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ben = cls.member("ben")

    def test_stores_the_author_of_an_entry(self):
        response = self.ben.post("/api/my-plugin/entries", {"text": "Ben was here"})
        self.assertEqual(201, response.status, response)
        self.assertEqual(response.json()["created_by"], self.ben.get("/api/core/session").json()["user"]["id"])

    def test_lets_only_the_author_change_an_entry(self):
        path = f"/api/my-plugin/entries/{self.ben.post('/api/my-plugin/entries', {'text': 'Mine'}).json()['id']}"
        self.assertEqual(403, self.ada.patch(path, {"text": "Ours"}).status)
        self.assertEqual(200, self.ben.patch(path, {"text": "Still mine"}).status)

    def test_rejects_anonymous_clients(self):
        self.assertEqual(401, self.anonymous().get("/api/my-plugin/entries").status)


if __name__ == "__main__":
    unittest.main()
