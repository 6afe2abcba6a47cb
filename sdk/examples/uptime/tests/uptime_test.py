"""Tests the checks of sites against a real server on this machine."""

import unittest

from tenon_testing import LocalServer, PluginTest


class Uptime(PluginTest):
    # Sites of these tests are on this machine, which plugins may not reach otherwise.
    arguments = ("--outgoing-networks", "127.0.0.1")

    def setUp(self):
        self.site_server = LocalServer()
        self.addCleanup(self.site_server.close)

    def add(self, path="/", name="Site"):
        response = self.ada.post("/api/uptime/sites", {"name": name, "url": self.site_server.url + path})
        self.assertEqual(201, response.status, response)
        return response.json()["id"]

    def check(self, site):
        response = self.ada.post(f"/api/uptime/sites/{site}/check")
        self.assertEqual(202, response.status, response)
        self.assertEqual("done", self.wait_for_job(response.json()["job"])["state"])
        return self.ada.get(f"/api/uptime/sites/{site}").json()

    def test_marks_sites_up_and_down(self):
        site = self.add("/page")
        self.assertEqual("unknown", self.ada.get(f"/api/uptime/sites/{site}").json()["state"])
        with self.ada.events("uptime.changes") as events:
            self.site_server.respond("/page", body=b"hello")
            self.assertEqual("up", self.check(site)["state"])
            self.assertEqual({"site": site, "name": "Site", "up": True}, events.next("uptime.changes")["data"])
            since = self.check(site)["since"]
            self.site_server.respond("/page", status=503)
            down = self.check(site)
            self.assertEqual(("down", "The status is 503."), (down["state"], down["reason"]))
            self.assertNotEqual(since, down["since"])
            # The check without a change published nothing.
            self.assertEqual({"site": site, "name": "Site", "up": False}, events.next("uptime.changes")["data"])
        results = self.ada.get(f"/api/uptime/checks?filter=site='{site}'&sort=created").json()["items"]
        self.assertEqual([(True, 200), (True, 200), (False, 503)], [(result["passed"], result["status"]) for result in results])
        self.assertEqual(["/page"] * 3, [request.path for request in self.site_server.requests])

    def test_marks_an_unreachable_site_down(self):
        site = self.add()
        self.site_server.close()
        down = self.check(site)
        self.assertEqual("down", down["state"])
        self.assertIn("127.0.0.1", down["reason"])

    def test_gives_up_a_silent_site(self):
        self.change_settings(timeout=1)
        self.site_server.stay_silent("/slow")
        self.assertEqual("down", self.check(self.add("/slow"))["state"])
        self.change_settings(timeout=None)

    def test_lets_members_see_but_not_choose_sites(self):
        site = self.add("/members")
        ben = self.member("ben")
        self.assertEqual(200, ben.get(f"/api/uptime/sites/{site}").status)
        self.assertEqual(403, ben.post("/api/uptime/sites", {"name": "X", "url": "https://example.org"}).status)
        self.assertEqual(403, ben.post(f"/api/uptime/sites/{site}/check").status)

    def test_explains_a_wrong_url(self):
        response = self.ada.post("/api/uptime/sites", {"name": "X", "url": "example.org"})
        [error] = self.assert_refused(response, 422, "records.validation")["errors"]
        self.assertEqual("url", error["field"])


if __name__ == "__main__":
    unittest.main()
