"""Tests the job and the routes of the plugin in a real host."""

import unittest

from tenon_testing import PluginTest


class Words(PluginTest):
    def make(self, text):
        response = self.ada.post("/api/my-plugin/texts", {"text": text})
        self.assertEqual(201, response.status, response)
        return f"/api/my-plugin/texts/{response.json()['id']}"

    def test_counts_words_in_a_job(self):
        path = self.make("one two  three")
        started = self.ada.post(f"{path}/count")
        self.assertEqual(202, started.status, started)
        self.assertEqual("done", self.wait_for_job(started.json()["job"])["state"])
        self.assertEqual(3, self.ada.get(path).json()["words"])

    def test_hides_texts_of_other_users(self):
        path = self.make("mine")
        self.assertEqual(404, self.member("ben").post(f"{path}/count").status)


if __name__ == "__main__":
    unittest.main()
