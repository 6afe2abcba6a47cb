"""Tests short links as their authors and their visitors use them."""

import unittest

from tenon_testing import PluginTest


class ShortLinks(PluginTest):
    def make(self, code, **fields):
        response = self.ada.post("/api/links/links", {"code": code, "url": f"https://example.org/{code}", **fields})
        self.assertEqual(201, response.status, response)
        return f"/api/links/links/{response.json()['id']}"

    def test_redirects_visitors_and_counts(self):
        path = self.make("docs")
        visitor = self.anonymous()
        for _ in range(3):
            response = visitor.get("/api/links/go/docs")
            self.assertEqual((303, "https://example.org/docs"), (response.status, response.headers.get("location")))
        self.assertEqual(3, self.ada.get(path).json()["visits"])

    def test_serves_a_granted_path(self):
        self.make("short")
        visitor = self.anonymous()
        self.assertEqual(404, visitor.get("/s/short").status)
        self.assertEqual(200, self.ada.post("/api/core/plugins/links/grant-path", {"path": "/s"}).status)
        response = visitor.get("/s/short")
        self.assertEqual((303, "https://example.org/short"), (response.status, response.headers.get("location")))

    def test_refuses_a_taken_code(self):
        self.make("taken")
        response = self.ada.post("/api/links/links", {"code": "taken", "url": "https://example.org"})
        self.assertEqual(["code"], [error["field"] for error in response.json()["errors"]])

    def test_explains_a_wrong_code(self):
        response = self.ada.post("/api/links/links", {"code": "My Link", "url": "https://example.org"})
        [error] = self.assert_refused(response, 422, "records.validation")["errors"]
        self.assertEqual(("code", "Use 1 to 40 of a-z, 0-9 and -."), (error["field"], error["message"]))

    def test_does_not_open_an_expired_link(self):
        self.make("old", expires="2020-01-01T00:00:00.000Z")
        self.assert_refused(self.anonymous().get("/api/links/go/old"), 404, "links.unknown")

    def test_sends_visitors_to_the_fallback(self):
        self.change_settings(fallback="https://example.org/start")
        response = self.anonymous().get("/api/links/go/nothing")
        self.assertEqual((303, "https://example.org/start"), (response.status, response.headers.get("location")))
        self.change_settings(fallback=None)
        self.assert_refused(self.anonymous().get("/api/links/go/nothing"), 404, "links.unknown")

    def test_does_not_let_visitors_list_links(self):
        self.assertEqual(401, self.anonymous().get("/api/links/links").status)


if __name__ == "__main__":
    unittest.main()
