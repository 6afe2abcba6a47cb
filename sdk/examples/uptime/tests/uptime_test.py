"""Tests the checks of sites against a real server on this machine, with a clock that moves, and the page in a browser."""

import unittest

from tenon_testing import LocalServer, PluginTest


class UptimeTest(PluginTest):
    # Sites of these tests are on this machine, which plugins may not reach otherwise.
    arguments = ("--outgoing-networks", "127.0.0.1")

    def setUp(self):
        self.site_server = LocalServer()
        self.addCleanup(self.site_server.close)

    def add(self, path="/", name="Site"):
        response = self.ada.post("/api/uptime/sites", {"name": name, "url": self.site_server.url + path})
        self.assertEqual(201, response.status, response)
        return response.json()["id"]

    def checks(self, site):
        return self.ada.get(f"/api/uptime/checks?filter=site='{site}'&sort=created").json()["items"]


class Checks(UptimeTest):
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
        results = self.checks(site)
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
        self.addCleanup(self.change_settings, timeout=None)
        self.site_server.stay_silent("/slow")
        site = self.add("/slow")
        self.assertEqual("down", self.check(site)["state"])
        # The default is 10 s.
        self.assertLess(self.checks(site)[0]["milliseconds"], 9000)

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


class Schedules(UptimeTest):
    moves_clock = True

    def test_checks_sites_regularly_and_forgets_old_results(self):
        self.site_server.respond("/page")
        site = self.add("/page")
        self.server.clock.advance(minutes=1)
        [first] = self.wait_until(lambda: self.checks(site), "the first check")
        self.server.clock.advance(minutes=6)
        self.wait_until(lambda: len(self.checks(site)) > 1, "the next check")
        self.server.clock.advance(days=31)
        self.ada.sign_in("ada")
        self.wait_until(lambda: first["id"] not in [check["id"] for check in self.checks(site)], "the first check is deleted")


class Pages(UptimeTest):
    def test_adds_and_checks_a_site(self):
        self.site_server.respond("/shop")
        with self.server.page("ada") as page:
            page.control("Add site").click()
            page.control("Name").send_keys("Shop")
            page.control("URL").send_keys(f"{self.site_server.url}/shop")
            page.control("Add").click()
            page.control("Shop").click()
            page.control("Check now").click()
            page.find_text("100.00 %")
            self.site_server.respond("/shop", status=503)
            page.control("Check now").click()
            page.find_text("50.00 %")
            page.find_text("The status is 503.")

    def test_shows_members_no_controls(self):
        self.add(name="Shop")
        self.member("ben")
        with self.server.page("ben") as page:
            page.find_text("Shop")
            self.assertEqual([], page.driver.find_elements("css selector", "main button[data-variant=primary]"))


if __name__ == "__main__":
    unittest.main()
