"""Short public paths of plugins: an admin grants them, and they lead to public routes of the plugin alone."""

import json
import shutil
import threading

from install_case import InstallCase
from tenon import BOTH, BUILD, Client, core_rows, raw

SENDS = BUILD / "tests/plugins/zoo/sends_requests/sends-requests"
SHORT = {"path": "/s", "route": "/go", "title": "Short links"}
PLUGIN = "/api/core/plugins/multi-version"


class PublicPathCase(InstallCase):
    def setUp(self):
        super().setUp()
        self.visitor = Client(self.server)
        self.addCleanup(self.visitor.close)

    def install_with(self, consents, version="1.0.0", **manifest):
        plan = self.send(self.package(version, **manifest), "/api/core/plugins/plan").json()
        return self.ada.post("/api/core/plugins", {"package": plan["package"], "consents": consents})

    def get(self, path):
        """The text of a page, or the code of the problem."""
        response = self.visitor.get(path)
        return response.body.decode() if response.status == 200 else response.json()["code"]

    def paths(self, plugin="multi-version"):
        return {one["path"]: (one["route"], one["granted"], one["taken_by"])
                for one in self.ada.get(f"/api/core/plugins/{plugin}").json()["public_paths"]}

    def audited(self):
        rows = core_rows(self.server, "SELECT action, details FROM identity_audit WHERE action LIKE 'plugins.public_path%' ORDER BY id")
        return [(action, json.loads(details)["path"]) for action, details in rows]


class PublicPaths(PublicPathCase):
    engines = BOTH

    def test_serves_a_path_from_consent_to_removal(self):
        refused = self.send(self.package("1.0.0", public_paths=[SHORT]))
        self.assertEqual(self.assert_problem(refused, 409, "plugins.consent_required")["errors"][0]["field"], "public_path:/s")
        self.assertEqual(self.get("/s/x"), "http.not_found")
        installed = self.install_with(["public_path:/s"], public_paths=[SHORT])
        self.assertEqual(installed.status, 200, installed)
        self.assertEqual((self.get("/s/a/b"), self.paths()), ("a/b", {"/s": ("/go", True, "")}))
        # It follows the plugin through all that happens to it.
        self.ada.post(f"{PLUGIN}/disable")
        self.assertEqual(self.get("/s/x"), "plugins.not_active")
        self.ada.post(f"{PLUGIN}/enable")
        self.assertEqual(self.get("/s/x"), "x")
        self.server.restart()
        self.ada.close()
        self.ada.sign_in("ada")
        self.assertEqual(self.get("/s/x"), "x")
        self.assertEqual(self.install_with([], "1.1.0").status, 200)
        self.assertEqual((self.get("/s/x"), self.paths()), ("http.not_found", {"/s": ("", True, "")}))
        self.assertEqual(self.ada.post(f"{PLUGIN}/rollback", {}).status, 200)
        self.assertEqual(self.get("/s/x"), "x")
        # An upgrade asks for what is new alone, and a path that was taken away stays away.
        self.assertEqual(self.ada.post(f"{PLUGIN}/revoke-path", {"path": "/s"}).status, 204)
        more = [SHORT, {"path": "/t/u", "route": "/version", "title": "Version"}]
        plan = self.send(self.package("1.2.0", public_paths=more), "/api/core/plugins/plan").json()
        self.assertEqual(([one["code"] for one in plan["consents"]], plan["public_paths"]), (["public_path:/t/u"], more))
        self.assertEqual(self.install_with(["public_path:/t/u"], "1.2.0", public_paths=more).status, 200)
        self.assertEqual((self.get("/t/u"), self.get("/s/x")), ("1.2.0", "http.not_found"))
        self.assertEqual(self.ada.delete(f"{PLUGIN}?data=keep").status, 204)
        self.assertEqual((self.get("/t/u"), core_rows(self.server, "SELECT * FROM plugins_public_paths")), ("http.not_found", []))
        self.assertEqual(self.audited(), [("plugins.public_path_revoked", "/s")])

    def test_fails_no_request_during_upgrade_and_rollback(self):
        self.install_with(["public_path:/s"], public_paths=[SHORT])
        stop, responses = threading.Event(), []

        def load():
            client = Client(self.server)
            while not stop.is_set():
                responses.append(client.get("/s/x"))
            client.close()

        threads = [threading.Thread(target=load) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for version in ("1.1.0", "1.2.0"):
                self.assertEqual(self.install_with([], version, public_paths=[SHORT]).status, 200)
            self.assertEqual(self.ada.post(f"{PLUGIN}/rollback", {}).status, 200)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertGreater(len(responses), 3)
        self.assertEqual([one for one in responses if (one.status, one.body) != (200, b"x")], [])

    def test_reaches_public_routes_alone(self):
        self.install_with(["public_path:/s", "public_path:/t"], public_paths=[SHORT, {"path": "/t", "route": "/items", "title": "Items"}])
        for path in ("/s/members", "/t", "/t/"):
            self.assertEqual([client.get(path).status for client in (self.visitor, self.ada)], [404, 404], path)
        self.assertEqual(self.ada.get("/api/multi-version/go/members").status, 200)
        form = self.visitor.post("/s/form", {"name": "Ben"})
        self.assertEqual((form.status, form.json()), (200, {"name": "Ben"}))
        other = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
        self.assert_problem(self.visitor.request("POST", "/s/form", {"name": "Ben"}, other), 403, "identity.cross_origin")
        self.assertEqual(self.visitor.request("HEAD", "/s/x").status, 200)
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
            self.assertEqual(self.visitor.request(method, "/s/form").status, 404, method)
        metrics = self.ada.get("/metrics").body.decode()
        self.assertIn('tenon_http_requests_total{plugin="multi-version",route="/api/multi-version/go/{rest...}"', metrics)
        # Escapes are decoded once, before the path is looked up; nothing leads out of the route.
        for path, status, body in (("/%73/a%20b", 200, "a b"), ("/s/%2e%2e%252fversion", 200, "..%2fversion"), ("/s/../version", 400, None),
                                   ("/s/%2e%2e/version", 400, None), ("/s%2fx", 400, None), ("/s/..%2fversion", 400, None), ("/s//version", 200, "/version"),
                                   ("/S/x", 404, None), ("/sx", 404, None), ("//s/x", 400, None), ("/x/s/y", 404, None)):
            with self.subTest(path):
                head, _, text = raw(self.server, f"GET {path} HTTP/1.1\r\nHost: {self.server.host}\r\nConnection: close\r\n\r\n".encode()).partition(b"\r\n\r\n")
                self.assertEqual(int(head.split()[1]), status, head)
                if body is not None:
                    self.assertEqual(text.decode(), body)


class SharedPath(PublicPathCase):
    def setUp(self):
        super().setUp()
        self.folder = self.root / "plugins/sends-requests"
        shutil.copytree(SENDS, self.folder)
        self.declare({"path": "/s/x", "route": "/send", "title": "Send"})
        self.server.restart()
        self.ada.close()
        self.ada.sign_in("ada")

    def declare(self, *paths):
        manifest = json.loads((self.folder / "plugin.json").read_text())
        (self.folder / "plugin.json").write_text(json.dumps({**manifest, "public_paths": paths}))

    def run_path(self, action, *arguments, code=0):
        return self.run_plugin(action, *arguments, "--data", self.server.data, "--plugins", self.folder.parent, code=code)

    def test_stays_with_first_plugin_until_revoked(self):
        wrong = {"url": "file:///etc/passwd"}
        # Like any unknown path, for which there are only pages.
        self.assert_problem(self.visitor.post("/s/x", wrong), 405, "http.method_not_allowed")
        self.run_path("grant-path", "sends-requests", "/s/x")
        self.assert_problem(self.visitor.post("/s/x", wrong), 422, "http_client.url_invalid")
        self.assertIn("/s/x → /send (granted)", self.run_path("show", "sends-requests").stdout)
        plan = self.send(self.package("1.0.0", public_paths=[SHORT]), "/api/core/plugins/plan").json()
        [refusal] = plan["refusals"]
        self.assertEqual(refusal["code"], "plugins.public_path_taken")
        self.assertIn("sends-requests", refusal["message"])
        self.assert_problem(self.install_with([], public_paths=[SHORT]), 409, "plugins.public_path_taken")
        # Without a server the same holds.
        self.server.stop()
        self.run_path("revoke-path", "sends-requests", "/s/x")
        self.assertIn("plugins.public_path_unknown", self.run_path("revoke-path", "sends-requests", "/s/x", code=1).stderr)
        self.run_path("install", self.root / "multi-version-1.0.0.tenon", "--consent", "public_path:/s")
        refused = self.run_path("grant-path", "sends-requests", "/s/x", code=1).stderr
        self.assertIn("plugins.public_path_taken", refused)
        self.assertIn("multi-version", refused)
        self.assertIn("(not granted, multi-version has it)", self.run_path("show", "sends-requests").stdout)
        self.server.start()
        self.ada.close()
        self.ada.sign_in("ada")
        self.assertEqual((self.get("/s/x"), self.paths("sends-requests")), ("x", {"/s/x": ("/send", False, "multi-version")}))
        self.assert_problem(self.ada.post("/api/core/plugins/sends-requests/grant-path", {"path": "/s/x"}), 409, "plugins.public_path_taken")
        self.assert_problem(self.ada.post("/api/core/plugins/sends-requests/grant-path", {"path": "/z"}), 404, "plugins.public_path_unknown")
        self.assert_problem(self.visitor.post("/api/core/plugins/sends-requests/grant-path", {"path": "/s/x"}), 401, "identity.signed_out")
        self.assertEqual(self.audited(), [("plugins.public_path_granted", "/s/x"), ("plugins.public_path_revoked", "/s/x")])

    def test_must_not_be_one_of_the_host(self):
        for path in ("/api", "/app/x", "/sign-in", "/healthz"):
            self.declare({"path": path, "route": "/send", "title": "Send"})
            self.assertIn("the host keeps for itself", self.run_plugin("check", self.folder, code=1).stdout, path)
