"""Proxies that are not in http.trusted_proxies, and the host names by which the server may be reached."""

import json
import unittest

from tenon import BOTH_IN_FULL, PASSWORD, Client, Server, TenonTest, eventually, tenon

FORWARDING = ({"X-Forwarded-For": "198.51.100.7"}, {"X-Forwarded-Proto": "https"}, {"X-Forwarded-Host": "app.example"},
              {"Forwarded": "for=198.51.100.7"}, {"X-Real-IP": "198.51.100.7"}, {"Via": "1.1 proxy"})
NOTICE = "a proxy that is not trusted passes requests on"


def findings(data, *arguments):
    """code → finding of tenon doctor."""
    done = tenon("doctor", "--data", data, "--json", *arguments)
    return {finding["code"]: finding for check in json.loads(done.stdout)["checks"] for finding in check["findings"]}


class UntrustedProxies(TenonTest):
    engines = BOTH_IN_FULL

    def sign_in(self, login, client, password="not the password"):
        headers = {"X-Forwarded-For": client} if client else {"X-Forwarded-Proto": "https"}
        return self.client().post("/api/core/session", {"login": login, "password": password}, headers=headers)

    def attempts(self, attempt):
        """How many are let through before one has to wait. A slow machine lets more through, for waits run out meanwhile."""
        for number in range(60):
            response = attempt(number)
            if response.status == 429:
                self.assert_problem(response, 429, "identity.throttled")
                return number
            self.assert_problem(response, 401, "identity.wrong_credentials")
        return self.fail("nothing is throttled")

    def test_requires_admin_for_metrics_through_proxy(self):
        self.assertEqual(200, self.client().get("/metrics").status, "this machine")
        admin = self.client("ada")
        for headers in FORWARDING:
            with self.subTest(headers=headers):
                refused = self.client().request("GET", "/metrics", headers=headers)
                self.assert_problem(refused, 403, "console.metrics_local")
                self.assertNotIn("tenon_http", refused.body.decode())
                self.assertEqual(200, admin.request("GET", "/metrics", headers=headers).status)

    def test_throttles_only_the_client_with_wrong_sign_ins(self):
        self.assertGreaterEqual(self.attempts(lambda number: self.sign_in(f"user{number}", "198.51.100.7")), 20)
        self.assertEqual(201, self.sign_in("ada", "198.51.100.8", PASSWORD).status, "another client of the proxy")
        self.assertEqual(201, self.sign_in("ada", None, PASSWORD).status, "the proxy names no client")
        self.assertEqual(201, self.client().post("/api/core/session", {"login": "ada", "password": PASSWORD}).status)

    def test_allows_no_extra_attempts_with_forged_addresses(self):
        self.add_member("guessed")
        self.assertLess(self.attempts(lambda number: self.sign_in("guessed", f"198.51.100.{number + 10}")), 20)


class Notices(TenonTest):
    engines = BOTH_IN_FULL

    def test_names_proxy_and_setting_in_log_and_doctor(self):
        self.client().get("/healthz")
        self.assertNotIn(NOTICE, self.server.log(None))
        self.assertNotIn("proxy.untrusted", findings(self.server.data))
        for headers in FORWARDING * 3:
            self.client().request("GET", "/healthz", headers=headers)
        found = eventually(lambda: findings(self.server.data).get("proxy.untrusted"))
        self.assertEqual(("warning", "127.0.0.1"), (found["severity"], found["where"]))
        self.assertIn("http.trusted_proxies", found["todo"])
        self.assert_logged(NOTICE)
        lines = [line for line in self.server.log(None).splitlines() if NOTICE in line]
        self.assertEqual(1, len(lines), lines)
        self.assertIn("http.trusted_proxies", lines[0])
        self.assertNotIn("proxy.untrusted", findings(self.server.data, "--http-trusted-proxies", "127.0.0.0/8"))


class HostCase(TenonTest):
    """A server before its set-up."""

    engines = BOTH_IN_FULL
    with_admin = False

    def set_up(self, host):
        body = {"token": self.server.setup_link_token(), "login": "ada", "name": "Ada", "password": PASSWORD}
        response = self.client().post("/api/core/setup", body, headers={"Host": host})
        self.assertEqual(201, response.status, response)

    def status(self, host, path="/api/core/session"):
        return self.client().request("GET", path, headers={"Host": host}).status

    def hosts(self, *arguments, code=0):
        done = tenon("hosts", *arguments, "--data", self.server.data)
        self.assertEqual(code, done.returncode, done)
        return done.stdout + done.stderr


class SetUpByName(HostCase):
    def test_allows_set_up_name_and_rejects_others(self):
        self.assertEqual(401, self.status("evil.example"), "nothing is known yet")
        self.set_up("App.Example.test:8443")
        for host in ("app.example.test", "APP.example.test:9", "localhost:80", "127.0.0.1", "[::1]:8080", "10.1.2.3"):
            self.assertEqual(401, self.status(host), host)
        for path in ("/", "/api/core/session", "/api/core/shell", "/nothing", "/metrics", "/api/nothing"):
            response = self.client().request("GET", path, headers={"Host": "evil.example"})
            problem = self.assert_problem(response, 421, "identity.unknown_host")
            for part in ("evil.example", "tenon hosts add evil.example", "http.hosts"):
                self.assertIn(part, problem["detail"])
        self.assertEqual(421, self.client().post("/api/core/session", {"login": "ada", "password": PASSWORD},
                                                 headers={"Host": "app.example.test.evil.example"}).status)
        for path in ("/healthz", "/readyz"):
            self.assertEqual(200, self.status("evil.example", path), path)
        self.assert_logged("a request for another host name was refused")
        self.server.restart()
        self.assertEqual((401, 421), (self.status("app.example.test"), self.status("evil.example")))


class HostCommands(HostCase):
    def test_adds_and_removes_names_online_and_offline(self):
        self.set_up("app.example.test")
        self.assertEqual(421, self.status("new.example.test"))
        self.hosts("add", "new.example.test")
        self.assertEqual(401, self.status("new.example.test"))
        self.assertEqual(["app.example.test", "new.example.test"], [line.split()[0] for line in self.hosts("list").splitlines()])
        self.hosts("remove", "app.example.test")
        self.assertEqual(421, self.status("app.example.test"))
        self.assertIn("app.example.test", self.hosts("remove", "app.example.test", code=1))
        self.assertIn("is not a host name", self.hosts("add", "10.0.0.1", code=1))
        self.server.stop()
        self.hosts("remove", "new.example.test")
        self.assertEqual("none: every host name is allowed\n", self.hosts("list"))
        self.server.start()
        self.assertEqual(401, self.status("evil.example"))


class SetUpByAddress(HostCase):
    def test_learns_no_name_from_set_up_by_address(self):
        self.set_up("127.0.0.1:80")
        self.assertEqual(401, self.status("new.example.test"))
        self.assertIn("hosts.any", findings(self.server.data))
        # Without a list, a name that any site may have is not this machine's.
        self.assert_problem(self.client().request("GET", "/metrics", headers={"Host": "evil.example"}), 403, "console.metrics_local")
        self.assertEqual((200, 200), (self.status("localhost", "/metrics"), self.status("127.0.0.1", "/metrics")))


class Configured(unittest.TestCase):
    def test_allows_names_and_wildcard_in_http_hosts(self):
        for value, expected in (("app.example.test,Two.example.test", 421), ("app.example.test,*", 401)):
            server = Server("--http-hosts", value).start()
            self.addCleanup(server.close)
            client = Client(server)
            self.addCleanup(client.close)
            for host, status in (("app.example.test:1", 401), ("two.example.test", 401), ("evil.example", expected)):
                response = client.request("GET", "/api/core/session", headers={"Host": host})
                self.assertEqual((host, status), (host, response.status))
        done = tenon("serve", "--data", server.data, "--http-hosts", "10.0.0.1")
        self.assertEqual(1, done.returncode)
        self.assertIn("http.hosts", done.stderr)


if __name__ == "__main__":
    unittest.main()
