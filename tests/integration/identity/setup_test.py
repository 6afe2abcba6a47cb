"""The one-time set-up creates the first admin only."""

from tenon import BOTH_IN_FULL, PASSWORD, TenonTest

ADA = {"login": "ada", "name": "Ada", "password": PASSWORD}


class SettingUp(TenonTest):
    engines = BOTH_IN_FULL
    with_admin = False

    def test_signs_in_admin_once_by_printed_link(self):
        client = self.client()
        self.assert_problem(client.get("/api/core/session"), 401, "identity.setup_required")

        wrong = client.post("/api/core/setup", {**ADA, "token": "x" * 43})
        self.assert_problem(wrong, 403, "identity.setup_token_wrong")
        missing = client.post("/api/core/setup", ADA)
        self.assertIn(missing.status, (403, 422), missing)

        token = self.server.setup_link_token()
        short = client.post("/api/core/setup", {**ADA, "token": token, "password": "short"})
        problem = self.assert_problem(short, 422, "identity.validation")
        self.assertEqual(["password"], [error["field"] for error in problem["errors"]])
        self.assertNotIn("short", [error.get("value") for error in problem["errors"]])
        self.assertEqual({}, client.cookies, "a refused set-up signs no user in")

        done = client.post("/api/core/setup", {**ADA, "token": token})
        self.assertEqual(201, done.status, done)
        self.assertEqual(("ada", "Ada", "admin"), tuple(done.json()["user"][field] for field in ("login", "name", "role")))
        self.assertNotIn("password", done.body.decode())
        self.assertEqual(done.json()["user"], client.get("/api/core/session").json()["user"])

        again = self.client().post("/api/core/setup", {**ADA, "login": "eve", "token": token})
        self.assert_problem(again, 404, "identity.setup_done")
        self.assert_problem(self.client().get("/api/core/session"), 401, "identity.signed_out")
