"""Tests the table and the routes of the plugin in a real host."""

import unittest

from tenon_testing import PluginTest


class Tasks(PluginTest):
    def make(self, title):
        response = self.ada.post("/api/my-plugin/tasks", {"title": title})
        self.assertEqual(201, response.status, response)
        return response.json()["id"]

    def test_toggles_a_task(self):
        path = f"/api/my-plugin/tasks/{self.make('write a plugin')}"
        self.assertEqual({"done": True}, self.ada.post(f"{path}/toggle").json())
        self.assertIs(True, self.ada.get(path).json()["done"])
        self.assertEqual({"done": False}, self.ada.post(f"{path}/toggle").json())

    def test_counts_own_tasks(self):
        before = self.ada.get("/api/my-plugin/summary").json()
        self.ada.post(f"/api/my-plugin/tasks/{self.make('finish')}/toggle")
        self.make("start")
        after = self.ada.get("/api/my-plugin/summary").json()
        self.assertEqual((before["open"] + 1, before["done"] + 1), (after["open"], after["done"]))
        self.assertEqual({"open": 0, "done": 0}, self.member("ben").get("/api/my-plugin/summary").json())

    def test_hides_tasks_of_other_users(self):
        response = self.member("cleo").post(f"/api/my-plugin/tasks/{self.make('mine')}/toggle")
        self.assertEqual((404, "my-plugin.no_task"), (response.status, response.json()["code"]))


if __name__ == "__main__":
    unittest.main()
