"""Signing in and out, what the cookie is like, who may do what, and requests from other sites."""

from tenon import BOTH_IN_FULL, PASSWORD, TenonTest, tenon


class Sessions(TenonTest):
    engines = BOTH_IN_FULL

    def test_restricts_cookie_to_server(self):
        response = self.client().post("/api/core/session", {"login": "ada", "password": PASSWORD})
        self.assertEqual(201, response.status, response)
        cookie = response.headers["set-cookie"]
        self.assertTrue(cookie.startswith("tenon_session="), cookie)
        for attribute in ("HttpOnly", "SameSite=Lax", "Path=/"):
            self.assertIn(attribute.lower(), cookie.lower())
        self.assertNotIn("domain=", cookie.lower())

    def test_returns_same_response_for_wrong_password_and_user(self):
        wrong = self.client().post("/api/core/session", {"login": "ada", "password": "not the password"})
        unknown = self.client().post("/api/core/session", {"login": "unknown", "password": "not the password"})
        problems = [self.assert_problem(response, 401, "identity.wrong_credentials") for response in (wrong, unknown)]
        for problem in problems:
            del problem["request_id"]
        self.assertEqual(*problems)
        self.assertNotIn("set-cookie", wrong.headers)

    def test_ends_session_on_server_at_sign_out(self):
        client = self.client("ada")
        cookies = dict(client.cookies)
        self.assertEqual(204, client.delete("/api/core/session").status)
        client.cookies = cookies
        self.assert_problem(client.get("/api/core/session"), 401, "identity.signed_out")

    def test_changes_token_at_new_sign_in(self):
        client = self.client("ada")
        first = dict(client.cookies)
        client.sign_in("ada")
        self.assertNotEqual(first, client.cookies)

    def test_ignores_forged_cookie(self):
        client = self.client()
        client.cookies = {"tenon_session": "A" * 43}
        self.assert_problem(client.get("/api/core/session"), 401, "identity.signed_out")

    def test_throttles_wrong_passwords_with_retry_time(self):
        self.add_member("throttled")
        client = self.client()
        for _ in range(40):
            response = client.post("/api/core/session", {"login": "throttled", "password": "not the password"})
            if response.status == 429:
                break
        self.assert_problem(response, 429, "identity.throttled")
        self.assertGreaterEqual(int(response.headers["retry-after"]), 1)
        self.client("ada")  # others sign in as before

    def test_rejects_cross_site_request_before_it_acts(self):
        client = self.client("ada")
        for headers in (
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Sec-Fetch-Site": None, "Origin": "https://evil.example"},
            {"Sec-Fetch-Site": None, "Origin": "null"},
        ):
            response = client.delete("/api/core/session", headers=headers)
            self.assertEqual(403, response.status, (headers, response))
        self.assertEqual(200, client.get("/api/core/session").status)

    def test_accepts_cookie_from_program_without_browser_headers(self):
        client = self.client("ada")
        self.assertEqual(204, client.delete("/api/core/session", headers={"Sec-Fetch-Site": None}).status)


class Members(TenonTest):
    engines = BOTH_IN_FULL

    def test_rejects_administration_by_member(self):
        self.add_member("ben")
        client = self.client("ben")
        session = client.get("/api/core/session").json()
        self.assertEqual("member", session["user"]["role"])
        for method, path, body in (
            ("GET", "/api/core/users", None),
            ("POST", "/api/core/users", {"login": "eve", "name": "Eve", "role": "admin", "password": PASSWORD}),
            ("PATCH", f"/api/core/users/{session['user']['id']}", {"role": "admin"}),
            ("GET", "/api/core/plugins", None),
            ("POST", "/api/core/plugins/notes/disable", None),
        ):
            self.assertEqual(403, client.request(method, path, body).status, path)
            self.assertEqual(401, self.client().request(method, path, body).status, path)

    def test_ends_sessions_of_disabled_user(self):
        member = self.add_member("cleo")
        client, admin = self.client("cleo"), self.client("ada")
        self.assertEqual(200, admin.patch(f"/api/core/users/{member['id']}", {"disabled": True}).status)
        self.assertEqual(401, client.get("/api/core/session").status)
        refused = self.client().post("/api/core/session", {"login": "cleo", "password": PASSWORD})
        self.assert_problem(refused, 401, "identity.wrong_credentials")

    def test_ends_other_sessions_at_password_change(self):
        member = self.add_member("dora")
        client, admin = self.client("dora"), self.client("ada")
        changed = admin.patch(f"/api/core/users/{member['id']}", {"password": "another long password"})
        self.assertEqual(200, changed.status, changed)
        self.assertEqual(401, client.get("/api/core/session").status)
        self.client("dora", "another long password")

    def test_keeps_last_admin(self):
        admin = self.client("ada")
        me = admin.get("/api/core/session").json()["user"]["id"]
        for change in ({"role": "member"}, {"disabled": True}):
            response = admin.patch(f"/api/core/users/{me}", change)
            self.assertIn(response.status, (403, 409, 422), response)
        self.assertEqual("admin", admin.get("/api/core/session").json()["user"]["role"])

    def test_disables_and_enables_users_of_running_server(self):
        tenon("user", "add", "gail", "--role", "member", "--password-stdin", "--data", self.server.data, stdin=PASSWORD + "\n")
        gail = self.client("gail")
        self.assertEqual(0, tenon("user", "disable", "gail", "--data", self.server.data).returncode)
        self.assertEqual(401, gail.get("/api/core/session").status)
        self.assertEqual(0, tenon("user", "enable", "gail", "--data", self.server.data).returncode)
        self.client("gail")

    def test_prints_help_of_every_command(self):
        for command in ("user", "plugin", "doctor", "version", "serve"):
            done = tenon(command, "--help")
            self.assertEqual((0, ""), (done.returncode, done.stderr), command)
            self.assertIn("Usage: tenon", done.stdout)

    def test_adds_users_to_running_server(self):
        done = tenon("user", "add", "finn", "--role", "member", "--password-stdin", "--data", self.server.data,
                     stdin=PASSWORD + "\n")
        self.assertEqual(0, done.returncode, done)
        self.client("finn")
        again = tenon("user", "add", "finn", "--role", "member", "--password-stdin", "--data", self.server.data,
                      stdin=PASSWORD + "\n")
        self.assertEqual(1, again.returncode, again)
        self.assertIn("finn", again.stderr)
