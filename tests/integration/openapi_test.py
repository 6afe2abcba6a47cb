"""The API's description by the real server: two linters say what they think of it, and real answers are held against it."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import uuid

from tenon import BUILD, ROOT, Client, TenonTest, tenon

JUDGES = ROOT / "tests/openapi"
PROGRAMS = JUDGES / "node_modules/.bin"
NOTES = BUILD / "lib/tenon/plugins/notes"
PATH = "/api/core/openapi.json"

KINDS = [
    {"name": "title", "type": "text", "required": True, "min": 2, "max": 20, "pattern": "^[A-Za-z ]+$", "description": "What it is."},
    {"name": "note", "type": "text", "default": "none"},
    {"name": "count", "type": "integer", "min": -5, "max": 5, "required": True, "default": 0},
    {"name": "share", "type": "number", "min": 0, "max": 1},
    {"name": "open", "type": "boolean", "required": True, "default": True},
    {"name": "day", "type": "date", "min": "2020-01-01"},
    {"name": "moment", "type": "datetime", "default": "@now"},
    {"name": "extra", "type": "json"},
    {"name": "state", "type": "choice", "choices": ["new", "old"], "default": "new"},
    {"name": "moods", "type": "choice", "choices": ["good", "bad"], "many": True},
    {"name": "parent", "type": "reference", "table": "kinds"},
    {"name": "friends", "type": "reference", "table": "kinds", "many": True},
    {"name": "owner", "type": "user", "read_only": False, "rules": {"read": "owner = @user"}},
    {"name": "file", "type": "blob"},
    {"name": "pictures", "type": "blob", "many": True, "types": ["image/*"]},
    {"name": "double", "type": "computed", "expression": "count * 2"},
    {"name": "is_due", "type": "computed", "expression": "day < @today"},
    {"name": "secret", "type": "text", "hidden": True},
]
RULES = {action: "true" for action in ("read", "create", "update", "delete")}
TABLES = {"tables": [
    {"name": "kinds", "publish": True, "timestamps": True, "authorship": True, "version": True, "rules": RULES,
     "description": "Every kind of field.", "fields": KINDS},
    {"name": "open_labels", "publish": True, "anonymous": True, "rules": {"read": "true", "create": "can('notes.use')"},
     "fields": [{"name": "name", "type": "text", "required": True, "unique": True}]},
    {"name": "inner", "fields": [{"name": "name", "type": "text"}]},
]}


def run(*command, stdin=None):
    """A program of Node that reports nothing home and asks for no newer version of itself."""
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "SCARF_ANALYTICS": "false", "NO_COLOR": "1"}
    return subprocess.run(list(map(str, command)), input=stdin, text=True, capture_output=True, timeout=300,
                          env={**os.environ, **quiet}, cwd=JUDGES)


class Recorder(Client):
    """A client that keeps what it asked and was answered."""

    def __init__(self, server, exchanges):
        super().__init__(server)
        self.exchanges = exchanges

    def request(self, method, path, body=None, headers=None):
        answer = super().request(method, path, body, headers)
        self.exchanges.append({
            "method": method, "target": path, "request": None if body is None else json.dumps(body), "status": answer.status,
            "type": answer.headers.get("content-type", ""), "body": answer.body.decode()})
        return answer


class OpenApi(TenonTest):
    @classmethod
    def setUpClass(cls):
        assert PROGRAMS.is_dir(), f"{JUDGES} has no node_modules: npm ci --prefix {JUDGES} --ignore-scripts"
        cls.plugins = pathlib.Path(tempfile.mkdtemp(prefix="tenon-openapi-"))
        cls.addClassCleanup(shutil.rmtree, cls.plugins, ignore_errors=True)
        shutil.copytree(next((BUILD / "tests/plugins/hello").rglob("plugin.json")).parent, cls.plugins / "hello")
        shutil.copytree(NOTES, cls.plugins / "notes")
        shutil.copytree(next((BUILD / "tests/plugins/zoo/describes_routes").rglob("plugin.json")).parent, cls.plugins / "describes-routes")
        manifest = cls.plugins / "notes/plugin.json"
        facts = json.loads(manifest.read_text())
        facts["permissions"][0]["roles"] = []  # only admins
        manifest.write_text(json.dumps(facts))
        (cls.plugins / "hello/tables.json").write_text(json.dumps(TABLES))
        super().setUpClass()
        done = tenon("user", "add", "bob", "--role", "member", "--password-stdin", "--data", cls.server.data,
                     stdin="correct horse battery\n")
        assert done.returncode == 0, done.stderr

    def setUp(self):
        self.ada = self.client("ada")

    def document(self, client=None):
        answer = (client or self.ada).get(PATH)
        self.assertEqual(answer.status, 200, answer)
        return answer.json()

    def redocly(self, document):
        """What Redocly's recommended rules find, warnings too."""
        judged = self.judge(document, "redocly", "lint", "--config", "redocly.yaml", "--format", "json")
        return [(one["ruleId"], one["message"], one["location"][0]["pointer"]) for one in json.loads(judged)["problems"]]

    def spectral(self, document):
        """What Spectral's recommended rules find, hints too."""
        judged = self.judge(document, "spectral", "lint", "--ruleset", "spectral.json", "--fail-severity", "hint", "--format", "json", "--quiet")
        return [(one["code"], one["message"], one["path"]) for one in json.loads(judged or "[]")]

    def judge(self, document, program, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "openapi.json"
            path.write_text(json.dumps(document))
            judged = run(PROGRAMS / program, *arguments, path)
        self.assertIn(judged.returncode, (0, 1), judged.stderr)
        return judged.stdout

    def recorder(self, login, exchanges):
        client = Recorder(self.server, exchanges)
        self.addCleanup(client.close)
        return client.sign_in(login) if login else client

    def assert_contract(self, exchanges, document=None):
        judged = run("node", "contract.mjs", stdin=json.dumps({"document": document or self.document(), "exchanges": exchanges}))
        self.assertEqual(judged.returncode, 0, judged.stderr)
        self.assertEqual([], json.loads(judged.stdout))

    def test_redocly_finds_nothing_to_say(self):
        for client in (self.ada, self.client("bob")):
            self.assertEqual([], self.redocly(self.document(client)))

    def test_spectral_finds_nothing_to_say(self):
        for client in (self.ada, self.client("bob")):
            self.assertEqual([], self.spectral(self.document(client)))

    def test_the_linters_see_what_is_wrong(self):
        document = self.document()
        document["paths"]["/api/core/users"]["get"]["responses"] = {}
        document["components"]["responses"]["problem"]["content"]["application/problem+json"]["example"]["status"] = "422"
        self.assertIn("no-invalid-media-type-examples", [rule for rule, _, _ in self.redocly(document)])
        self.assertIn("operation-success-response", [rule for rule, _, _ in self.spectral(document)])

    def test_every_route_of_the_host_is_described(self):
        document = self.document()
        for path, operations in document["paths"].items():
            if path.startswith("/api/core/") or not path.startswith("/api/"):
                for method, operation in operations.items():
                    self.assertNotIn("2XX", operation["responses"], f"{method} {path} has no description in host/openapi/core")
                    self.assertTrue(operation["tags"][0].startswith("core/"), operation)
        ids = [operation["operationId"] for operations in document["paths"].values() for operation in operations.values()]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(document["paths"]["/api/notes/notes/{id}"]["get"]["operationId"], "get.notes.notes._id")

    def test_answers_are_as_they_are_described(self):
        exchanges = []
        ada, bob, nobody = (self.recorder(login, exchanges) for login in ("ada", "bob", None))
        me = ada.get("/api/core/session").json()["user"]["id"]
        kinds = "/api/hello/kinds"
        first = bob.post(kinds, {"title": "first"})
        self.assertEqual(first.status, 201, first)
        full = ada.post(kinds, {
            "id": str(uuid.uuid4()), "title": "full", "note": None, "count": 5, "share": 0.5, "open": False, "day": "2026-01-31",
            "moment": "2026-01-31T12:00:00.000Z", "extra": {"any": [1, None]}, "state": "old", "moods": ["good"],
            "parent": first.json()["id"], "friends": [first.json()["id"]], "owner": me})
        self.assertEqual(full.status, 201, full)
        path = full.headers["location"]
        for client in (ada, bob):
            self.assertEqual(client.get(path).status, 200)
        self.assertEqual(ada.get(path, If_None_Match=full.headers["etag"]).status, 304)
        page = ada.get(f"{kinds}?filter=count%20%3E%20-9&sort=-count,title&limit=1&count=true&fields=title,count")
        self.assertEqual(page.status, 200, page)
        self.assertEqual(ada.get(f"{kinds}?filter=count%20%3E%20-9&sort=-count,title&limit=1&cursor=" + page.json()["next"]).status, 200)
        self.assertEqual(ada.get(f"{kinds}?sort=extra").status, 400)
        self.assertEqual(ada.patch(path, {"state": "new", "day": None}).status, 200)
        self.assertEqual(ada.patch(path, {"state": "new"}, headers={"If-Match": '"9-0"'}).status, 412)
        self.assertEqual(ada.post(kinds, {"title": "1", "count": 9, "odd": 1}).status, 422)
        batch = ada.post(f"{kinds}/batch", {"create": [{"title": "third"}], "update": [{"id": full.json()["id"], "count": 1}], "delete": []})
        self.assertEqual(batch.status, 200, batch)
        self.assertEqual(ada.delete(kinds + "/" + batch.json()["create"][0]["id"]).status, 204)
        self.assertEqual(ada.get(kinds + "/" + batch.json()["create"][0]["id"]).status, 404)
        self.assertEqual(nobody.get(kinds).status, 401)
        self.assertEqual(ada.post("/api/hello/open_labels", {"name": "a"}).status, 201)
        self.assertEqual(bob.post("/api/hello/open_labels", {"name": "b"}).status, 403)
        self.assertEqual(nobody.get("/api/hello/open_labels").status, 200)

        self.assertEqual(nobody.get("/api/describes-routes/things/1").json(), {"name": "a thing"})
        self.assertEqual(nobody.get("/api/hello/hello/you").status, 401)

        user = ada.post("/api/core/users", {"login": "cleo", "password": "correct horse battery"})
        self.assertEqual(user.status, 201, user)
        self.assertEqual(ada.patch("/api/core/users/" + user.json()["id"], {"disabled": True}).status, 200)
        self.assertEqual(ada.get("/api/core/users?limit=1").status, 200)
        self.assertEqual(ada.get("/api/core/users?limit=0").status, 422)
        for target in ("/api/core/plugins", "/api/core/plugins/notes", "/api/core/jobs?state=done", "/api/core/sessions",
                       "/api/core/shell", PATH, "/healthz", "/readyz", "/metrics", "/api/notes/notes", "/api/notes/notebooks"):
            self.assertEqual(ada.get(target).status, 200, target)
        self.assertEqual(ada.get("/api/core/plugins/none").status, 404)
        self.assertEqual(ada.get("/api/core/jobs/none").status, 404)
        self.assertEqual(bob.get("/api/core/users").status, 403)
        self.assertEqual(bob.post("/api/core/account/password", {"old_password": "wrong wrong", "new_password": "correct horse battery"}).status, 403)
        self.assertEqual(bob.delete("/api/core/sessions/none").status, 404)
        self.assertEqual(nobody.post("/api/core/session", {"login": "bob", "password": "wrong wrong"}).status, 401)
        self.assertEqual(bob.delete("/api/core/session").status, 204)
        self.assert_contract(exchanges)

    def test_the_contract_sees_an_answer_that_is_not_as_described(self):
        exchange = {"method": "GET", "target": "/api/core/session", "request": None, "status": 200, "type": "application/json", "body": "{}"}
        judged = run("node", "contract.mjs", stdin=json.dumps({"document": self.document(), "exchanges": [exchange]}))
        self.assertIn("must have required property 'user'", judged.stdout)

    def test_rules_and_what_is_hidden_are_not_told(self):
        document = self.document()
        schemas = document["components"]["schemas"]
        self.assertNotIn("secret", schemas["hello.kinds"]["properties"])
        self.assertTrue(schemas["hello.kinds.new"]["properties"]["secret"]["writeOnly"])
        for inner in ("@user", "owner = ", "hello/inner", "hello.inner"):
            self.assertNotIn(inner, json.dumps(document))

    def test_a_plugin_says_what_its_route_answers(self):
        document = self.document()
        told = document["paths"]["/api/describes-routes/things/{id}"]["get"]
        self.assertEqual(told["summary"], "A thing")
        self.assertEqual(told["description"], "Says which thing it is.\n\nFor everybody, signed in or not.")
        self.assertEqual([one["description"] for one in told["parameters"]], ["Any name."])
        self.assertIn("describes-routes.thing", document["components"]["schemas"])
        self.assertIn("describes-routes", [tag["name"] for tag in document["tags"]])

    def test_who_may_not_call_a_route_does_not_read_of_it(self):
        bob = self.client("bob")
        shown = self.document(bob)["paths"]
        for path in ("/api/core/users", "/api/notes/notes"):
            self.assertNotIn(path, shown)
            self.assertIn(path, self.document()["paths"])
        self.assertIn("/api/hello/kinds", shown)
        self.assertNotIn("core.user", self.document(bob)["components"]["schemas"])
        self.assert_problem(self.client().get(PATH), 401, "identity.signed_out")

    def test_it_is_the_same_bytes_until_the_routes_change(self):
        first = self.ada.get(PATH)
        tag = first.headers["etag"]
        self.assertEqual(self.ada.get(PATH, If_None_Match=tag).status, 304)
        self.assertEqual(self.ada.get(PATH).body, first.body)
        self.assertEqual(self.ada.post("/api/core/plugins/notes/disable").status, 200)
        without = self.ada.get(PATH, If_None_Match=tag)
        self.assertEqual(without.status, 200)
        self.assertNotIn("/api/notes/notes", without.json()["paths"])
        self.assertEqual(self.ada.post("/api/core/plugins/notes/enable").status, 200)
        self.assertEqual(self.ada.get(PATH).headers["etag"], tag)
