"""Plugins that say whether they are well, in the real server: when they start, in an upgrade, and later."""

import time
import unittest

from install_case import LATER, SLOW, InstallCase
from tenon import Client


class HealthTest(InstallCase):
    arguments = ("--plugins-health", "50ms")

    def wait_for_reason(self, expected):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            reason = self.plugin()["reason"]
            if (reason and reason["code"]) == expected:
                return reason
            time.sleep(0.05)
        return self.fail(f"{self.plugin()['reason']} is not {expected}")

    def test_rolls_back_unhealthy_upgrade_with_data(self):
        self.install("1.0.0")
        self.assertEqual(self.ada.post("/api/multi-version/quick", b"").status, 200)
        # It was migrated, and has emptied a table, when it is asked.
        response = self.send(self.package("1.1.7", tables=(LATER, SLOW)))
        problem = self.assert_problem(response, 409, "plugins.unhealthy")
        self.assertIn("It kept 0 notes and has no water. (multi-version.ill)", problem["detail"])
        after = self.plugin()
        self.assertEqual((after["version"], after["state"], after["reason"], after["previous"]), ("1.0.0", "active", None, ""), after)
        self.assertEqual((self.version(), self.rows("SELECT version FROM slow")), ("1.0.0", [("1.0.0",)]))
        self.assertNotIn("done", self.ada.get("/api/multi-version/items").body.decode())
        # The first of all leaves nothing.
        self.assertEqual(self.ada.delete("/api/core/plugins/multi-version?data=purge").status, 204)
        self.assert_problem(self.send(self.package("1.1.7")), 409, "plugins.unhealthy")
        self.assertEqual((self.ada.get("/api/core/plugins/multi-version").status, list(self.server.data.glob("multi-version.db*"))), (404, []))

    def test_serves_and_reports_plugin_that_becomes_unhealthy(self):
        self.install("1.0.0")
        self.assertNotIn("degraded", self.ada.get("/readyz").body.decode())
        self.assertEqual(self.ada.post("/api/multi-version/ill?why=The+well+is+dry.", b"").status, 200)
        self.assertIn("The well is dry. (multi-version.ill)", self.wait_for_reason("plugins.unhealthy")["message"])
        self.assertEqual((self.plugin()["state"], self.version()), ("active", "1.0.0"))
        self.assertIn("degraded\nmulti-version active plugins.unhealthy\n", self.ada.get("/readyz").body.decode())
        stranger = Client(self.server)
        self.addCleanup(stranger.close)
        self.assertIn("degraded\nmulti-version active plugins.unhealthy\n", stranger.get("/readyz").body.decode(), "this machine")
        for headers in ({"X-Forwarded-For": "198.51.100.7"}, {"Host": "evil.example"}):
            response = stranger.request("GET", "/readyz", headers=headers)
            self.assertEqual((200, "ready\ndegraded\n"), (response.status, response.body.decode()), headers)
        self.assertIn('tenon_plugins_trouble{plugin="multi-version",code="plugins.unhealthy"} 1', self.ada.get("/metrics").body.decode())
        self.assertEqual(self.ada.post("/api/multi-version/ill", b"").status, 200)
        self.wait_for_reason(None)
        self.assertNotIn("degraded", self.ada.get("/readyz").body.decode())

    def test_checks_health_at_server_start(self):
        self.server.stop()
        self.run_plugin("install", self.package("1.1.7"), "--data", self.server.data)
        self.server.start()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        plugin = self.plugin()
        self.assertEqual((plugin["state"], plugin["reason"]["code"]), ("failed", "plugins.unhealthy"), plugin)
        self.assert_problem(self.ada.get("/api/multi-version/version"), 404, "plugins.not_active")


if __name__ == "__main__":
    unittest.main()
