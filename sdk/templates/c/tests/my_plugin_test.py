"""Tests the route of the plugin in a real host."""

import unittest

from tenon_testing import PluginTest


class Calls(PluginTest):
    def test_counts_calls(self):
        first = self.ada.get("/api/my-plugin/calls")
        self.assertEqual(200, first.status, first)
        self.assertEqual(first.json()["calls"] + 1, self.ada.get("/api/my-plugin/calls").json()["calls"])

    def test_rejects_anonymous_clients(self):
        self.assertEqual(401, self.anonymous().get("/api/my-plugin/calls").status)


if __name__ == "__main__":
    unittest.main()
