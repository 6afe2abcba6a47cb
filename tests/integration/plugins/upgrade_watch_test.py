"""Upgrades to a version that fails at its work, in the real server: reported, or rolled back if no write is lost."""

import http.client
import json
import threading
import time
import unittest

from install_case import LATER, SLOW, InstallCase
from tenon import Client, core_rows, eventually

ENOUGH = 60  # requests, of which a version whose last number is 6 fails at half


class WatchCase(InstallCase):
    def work(self, times=ENOUGH):
        return [self.ada.get("/api/multi-version/work").status for _ in range(times)]

    def upgrade_to_one_that_fails(self):
        """After a version that does not."""
        self.install("1.0.0")
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "one"}).status, 201)
        self.assertEqual(set(self.work()), {200})
        return self.install("1.1.6", tables=(LATER, SLOW))

    def wait_for(self, code):
        return eventually(lambda: (plugin := self.plugin())["reason"] and plugin["reason"]["code"] == code and plugin)

    def audited(self, action):
        rows = core_rows(self.server, f"SELECT details FROM identity_audit WHERE action = '{action}' AND actor = 'system'")
        return [json.loads(details) for [details] in rows]

    def assert_dismissed(self):
        """Enabling it says that its admin knows."""
        before = self.plugin()
        response = self.ada.post("/api/core/plugins/multi-version/enable", {})
        self.assertEqual((response.status, response.json()["reason"]), (200, None), response)
        self.assertEqual(self.plugin()["generation"], before["generation"])
        self.assertNotIn("plugins.upgrade_", self.ada.get("/metrics").body.decode())


class WarnTest(WatchCase):
    def test_reports_failing_upgrade_and_changes_nothing(self):
        upgraded = self.upgrade_to_one_that_fails()
        self.assertEqual(sorted(set(self.work())), [200, 500])
        plugin = self.wait_for("plugins.upgrade_failing")
        self.assertEqual((plugin["state"], plugin["version"], plugin["generation"]), ("active", "1.1.6", upgraded["generation"]))
        self.assertIn(f"Version 1.1.6 failed at {ENOUGH // 2} of {ENOUGH} requests", plugin["reason"]["message"])
        # It serves: a warning must not fail a readiness check.
        self.assertEqual(self.ada.get("/readyz").body, b"ready\n")
        self.assertIn('tenon_plugins_trouble{plugin="multi-version",code="plugins.upgrade_failing"} 1', self.ada.get("/metrics").body.decode())
        # The record follows the reason.
        self.assertEqual(eventually(lambda: self.audited("plugins.upgrade_failing")), [
            {"from": "1.0.0", "to": "1.1.6", "requests": ENOUGH, "faults": ENOUGH // 2, "requests_before": ENOUGH + 1, "faults_before": 0}])
        self.assertEqual(self.rows("SELECT title FROM items"), [("one",)])
        self.assert_dismissed()
        # It is reported once.
        self.work()
        time.sleep(1.5)
        self.assertIsNone(self.plugin()["reason"])

    def test_ignores_upgrade_that_responds_as_before(self):
        self.install("1.0.0")
        self.install("1.1.0")
        self.assertEqual(set(self.work()), {200})
        # "Not now" is not the version's fault, nor is what a client does wrong.
        self.assertEqual({self.ada.get("/api/multi-version/away").status for _ in range(ENOUGH)}, {503})
        self.assertEqual({self.ada.get("/api/multi-version/items/nothing").status for _ in range(ENOUGH)}, {404})
        time.sleep(1.5)
        self.assertIsNone(self.plugin()["reason"])


class RollbackTest(WatchCase):
    arguments = ("--plugins-watch-upgrade", "rollback")

    def test_rolls_back_when_nothing_was_written(self):
        upgraded = self.upgrade_to_one_that_fails()
        self.work()
        plugin = self.wait_for("plugins.upgrade_rolled_back")
        self.assertEqual((plugin["state"], plugin["version"], plugin["previous"]), ("active", "1.0.0", ""))
        self.assertGreater(plugin["generation"], upgraded["generation"])
        self.assertIn("It was rolled back automatically", plugin["reason"]["message"])
        [details] = self.audited("plugins.rolled_back")
        self.assertEqual((details["from"], details["to"]), ("1.0.0", "1.1.6"), details)
        # With the data: the later version's field is gone.
        self.assertEqual((self.version(), self.titles()), ("1.0.0", ["one"]))
        self.assertNotIn("done", self.ada.get("/api/multi-version/items").body.decode())
        self.assertEqual(set(self.work()), {200})
        self.assert_dismissed()
        # The next upgrade is one as any other.
        self.install("1.2.0", tables=(LATER, SLOW))
        self.assertEqual(self.titles(), ["one"])

    def test_keeps_version_when_rollback_would_lose_write(self):
        upgraded = self.upgrade_to_one_that_fails()
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "two", "done": True}).status, 201)
        self.work()
        plugin = self.wait_for("plugins.upgrade_failing")
        self.assertEqual((plugin["version"], plugin["generation"], plugin["previous"]), ("1.1.6", upgraded["generation"], "1.0.0"))
        self.assertIn("A write that was acknowledged since would be lost", plugin["reason"]["message"])
        self.assertEqual(self.titles(), ["one", "two"])
        # Its admin may.
        self.assertEqual(self.ada.post("/api/core/plugins/multi-version/rollback", {}).status, 200)
        self.assertEqual((self.version(), self.titles(), self.plugin()["reason"]), ("1.0.0", ["one"], None))

    def test_reports_write_acknowledged_while_rollback_starts(self):
        """Retries if the machine was too slow."""
        for _ in range(5):
            upgraded = self.upgrade_to_one_that_fails()
            status = self.write_while_it_begins()
            if status == 201:
                plugin = self.wait_for("plugins.upgrade_failing")
                self.assertEqual((plugin["version"], plugin["previous"]), ("1.1.6", "1.0.0"))
                self.assertIn("A write that was acknowledged since would be lost", plugin["reason"]["message"])
                self.assertEqual(self.titles(), ["one", "two"])
                if plugin["generation"] == upgraded["generation"] + 1:  # it was begun again
                    return
            self.assertIn(status, (201, 503))
            self.assertEqual(self.ada.delete("/api/core/plugins/multi-version?data=purge").status, 204)
        self.fail("no write was acknowledged while the rollback waited for it")

    def write_while_it_begins(self):
        """The status of a request whose body comes when the rollback waits for it, and other requests for the rollback."""
        body = json.dumps({"title": "two"}).encode()
        writing = http.client.HTTPConnection(self.server.host, self.server.port, timeout=30)
        self.addCleanup(writing.close)
        writing.putrequest("POST", "/api/multi-version/items")
        for name, value in {**self.same_site(), "Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            writing.putheader(name, value)
        writing.endheaders(body[:1])
        self.work()
        eventually(self.is_held)
        writing.send(body[1:])
        return writing.getresponse().status

    def same_site(self):
        """Headers of a request of Ada's browser."""
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.ada.cookies.items()), "Sec-Fetch-Site": "same-origin"}

    def is_held(self):
        """Returns whether a request of the plugin waits for a change."""
        asking = http.client.HTTPConnection(self.server.host, self.server.port, timeout=0.5)
        try:
            asking.request("GET", "/api/multi-version/items", headers=self.same_site())
            asking.getresponse()
            return False
        except TimeoutError:
            return True
        finally:
            asking.close()

    def test_keeps_or_rejects_writes_that_race_with_rollback(self):
        """Every write with response 201 is there afterwards, with or without the rollback."""
        for delay in (0.3, 0.6, 0.9):
            self.upgrade_to_one_that_fails()
            written, others = [], []

            def write(delay=delay, written=written, others=others):
                client = Client(self.server).sign_in("ada")
                time.sleep(delay)
                for number in range(60):
                    response = client.post("/api/multi-version/items", {"title": f"late {number:02}"})
                    (written if response.status == 201 else others).append(response)
                    time.sleep(0.03)
                client.close()

            writer = threading.Thread(target=write)
            writer.start()
            self.work()
            eventually(lambda: (self.plugin()["reason"] or {}).get("code") in ("plugins.upgrade_rolled_back", "plugins.upgrade_failing"))
            writer.join()
            self.assertEqual({response.json()["code"] for response in others} - {"plugins.upgraded"}, set())
            titles = sorted(["one", *(response.json()["title"] for response in written)])
            self.assertEqual(self.rows("SELECT title FROM items ORDER BY title"), [(title,) for title in titles])
            self.assertEqual(self.ada.delete("/api/core/plugins/multi-version?data=purge").status, 204)


class OffTest(WatchCase):
    arguments = ("--plugins-watch-upgrade", "off")

    def test_ignores_failing_upgrade_when_off(self):
        self.upgrade_to_one_that_fails()
        self.assertIn(500, self.work())
        time.sleep(1.5)
        self.assertEqual((self.plugin()["reason"], self.version()), (None, "1.1.6"))


if __name__ == "__main__":
    unittest.main()
