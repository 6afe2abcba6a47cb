"""The API description of the real server: two linters check it, and real responses are validated against it."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import uuid

from node_packages import installed
from tables_case import TablesTest, copy_plugin
from tenon import BUILD, ROOT, Client, eventually, tenon

VALIDATORS = ROOT / "tests/openapi"
PROGRAMS = VALIDATORS / "node_modules/.bin"
NOTES = BUILD / "lib/tenon/plugins/notes"
PATH = "/api/core/openapi.json"

KINDS = [
    {"name": "title", "type": "text", "required": True, "min": 2, "max": 20, "pattern": "^[A-Za-z ]+$", "description": "What it is."},
    {"name": "note", "type": "text", "default": "none", "searchable": True},
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
    {"name": "owner", "type": "user", "read_only": False, "writable": True, "rules": {"read": "owner = @user"}},
    {"name": "file", "type": "blob"},
    {"name": "pictures", "type": "blob", "many": True, "types": ["image/*"]},
    {"name": "double", "type": "computed", "expression": "count * 2"},
    {"name": "is_due", "type": "computed", "expression": "day < @today"},
    {"name": "secret", "type": "text", "hidden": True},
    {"name": "password", "type": "text", "hidden": True, "writable": True},
    {"name": "code", "type": "text", "unique": True},
]
RULES = {action: "true" for action in ("read", "create", "update", "delete")}
TABLES = {"tables": [
    {"name": "kinds", "publish": True, "timestamps": True, "authorship": True, "version": True, "rules": RULES,
     "description": "Every kind of field.", "fields": KINDS},
    {"name": "open_labels", "publish": True, "anonymous": True, "rules": {"read": "true", "create": "can('notes.use')"},
     "fields": [{"name": "name", "type": "text", "required": True, "unique": True}]},
    {"name": "inner", "fields": [{"name": "name", "type": "text"}]},
]}

PAPERS = {"tables": [
    {"name": "papers", "publish": True, "rules": RULES,
     "fields": [{"name": "scan", "type": "blob"}, {"name": "pages", "type": "blob", "many": True}]},
]}
# Enough bytes to recognize the format.
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(64)
TUS = {"Tus-Resumable": "1.0.0"}


def run(environment, *command, stdin=None):
    """A program of Node that reports nothing home and asks for no newer version of itself."""
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "SCARF_ANALYTICS": "false", "NO_COLOR": "1"}
    return subprocess.run(list(map(str, command)), input=stdin, text=True, capture_output=True, timeout=300,
                          env={**environment, **quiet}, cwd=VALIDATORS)


class Recorder(Client):
    """A client that records its requests and the responses."""

    def __init__(self, server, exchanges):
        super().__init__(server)
        self.exchanges = exchanges

    def request(self, method, path, body=None, headers=None):
        response = super().request(method, path, body, headers)
        self.exchanges.append({
            "method": method, "target": path, "request": None if body is None else json.dumps(body), "status": response.status,
            "type": response.headers.get("content-type", ""), "body": response.body.decode(errors="replace")})
        return response


class OpenApi(TablesTest):
    TABLES = TABLES

    @classmethod
    def setUpClass(cls):
        cls.node = installed("tests/openapi")
        super().setUpClass()

    @classmethod
    def add_plugins(cls):
        shutil.copytree(NOTES, cls.plugins / "notes")
        copy_plugin("zoo/describes_routes", cls.plugins / "describes-routes")
        copy_plugin("zoo/keeps_files", cls.plugins / "keeps-files")
        (cls.plugins / "keeps-files/tables.json").write_text(json.dumps(PAPERS))
        manifest = cls.plugins / "notes/plugin.json"
        facts = json.loads(manifest.read_text())
        facts["permissions"][0]["roles"] = []  # only admins
        manifest.write_text(json.dumps(facts))

    def setUp(self):
        self.ada = self.client("ada")

    def document(self, client=None):
        response = (client or self.ada).get(PATH)
        self.assertEqual(response.status, 200, response)
        return response.json()

    def redocly(self, document):
        """Findings of Redocly's recommended rules, with warnings; but Redocly cannot know that a record's id, a UUID, is never `import`."""
        result = self.run_linter(document, "redocly", "lint", "--config", "redocly.yaml", "--format", "json")
        found = [(one["ruleId"], one["message"], one["location"][0]["pointer"]) for one in json.loads(result)["problems"]]
        return [one for one in found if one[0] != "no-ambiguous-paths" or "/import/{job}` and `" not in one[1] or "/{id}/" not in one[1]]

    def spectral(self, document):
        """Findings of Spectral's recommended rules, with hints."""
        result = self.run_linter(document, "spectral", "lint", "--ruleset", "spectral.json", "--fail-severity", "hint", "--format", "json", "--quiet")
        return [(one["code"], one["message"], one["path"]) for one in json.loads(result or "[]")]

    def run_linter(self, document, program, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "openapi.json"
            path.write_text(json.dumps(document))
            result = run(self.node, PROGRAMS / program, *arguments, path)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return result.stdout

    def recorder(self, login, exchanges):
        client = Recorder(self.server, exchanges)
        self.addCleanup(client.close)
        return client.sign_in(login) if login else client

    def assert_contract(self, exchanges, document=None):
        result = run(self.node, "node", "contract.mjs", stdin=json.dumps({"document": document or self.document(), "exchanges": exchanges}))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([], json.loads(result.stdout))

    def test_passes_redocly(self):
        for client in (self.ada, self.client("bob")):
            self.assertEqual([], self.redocly(self.document(client)))

    def test_passes_spectral(self):
        for client in (self.ada, self.client("bob")):
            self.assertEqual([], self.spectral(self.document(client)))

    def test_linters_find_mistakes(self):
        document = self.document()
        document["paths"] = {path: of for path, of in document["paths"].items() if path == "/api/core/users"}  # to check all takes seconds
        document["paths"]["/api/core/users"]["get"]["responses"] = {}
        document["components"]["responses"]["problem"]["content"]["application/problem+json"]["example"]["status"] = "422"
        self.assertIn("no-invalid-media-type-examples", [rule for rule, _, _ in self.redocly(document)])
        self.assertIn("operation-success-response", [rule for rule, _, _ in self.spectral(document)])

    def test_describes_every_route_of_the_host(self):
        document = self.document()
        for path, operations in document["paths"].items():
            if path.startswith("/api/core/") or not path.startswith("/api/"):
                for method, operation in operations.items():
                    self.assertNotIn("2XX", operation["responses"], f"{method} {path} has no description in host/openapi/core")
                    self.assertTrue(operation["tags"][0].startswith("core/"), operation)
        ids = [operation["operationId"] for operations in document["paths"].values() for operation in operations.values()]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(document["paths"]["/api/notes/notes/{id}"]["get"]["operationId"], "get.notes.notes._id")

    def test_returns_responses_as_described(self):
        exchanges = []
        ada, bob, guest = (self.recorder(login, exchanges) for login in ("ada", "bob", None))
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
        self.assertEqual(guest.get(kinds).status, 401)
        self.assertEqual(ada.post("/api/hello/open_labels", {"name": "a"}).status, 201)
        self.assertEqual(bob.post("/api/hello/open_labels", {"name": "b"}).status, 403)
        self.assertEqual(guest.get("/api/hello/open_labels").status, 200)

        self.assertEqual(guest.get("/api/describes-routes/things/1").json(), {"name": "a thing"})
        self.assertEqual(guest.get("/api/hello/hello/you").status, 401)

        user = ada.post("/api/core/users", {"login": "cleo", "password": "correct horse battery"})
        self.assertEqual(user.status, 201, user)
        self.assertEqual(ada.patch("/api/core/users/" + user.json()["id"], {"disabled": True}).status, 200)
        self.assertEqual(ada.get("/api/core/users?limit=1").status, 200)
        self.assertEqual(ada.get("/api/core/users?limit=0").status, 422)
        for target in ("/api/core/plugins", "/api/core/plugins/notes", "/api/core/jobs?state=done", "/api/core/sessions", "/api/core/registry",
                       "/api/core/shell", PATH, "/healthz", "/readyz", "/metrics", "/api/notes/notes", "/api/notes/notebooks"):
            self.assertEqual(ada.get(target).status, 200, target)
        self.assertEqual(ada.get("/api/core/plugins/none").status, 404)
        self.assertEqual(ada.get("/api/core/jobs/none").status, 404)
        self.assertEqual(ada.get("/api/core/registry/plugins/none").status, 404)
        self.assertEqual(ada.post("/api/core/registry/refresh", {}).status, 200)
        self.assertEqual(bob.get("/api/core/users").status, 403)
        self.assertEqual(bob.post("/api/core/account/password", {"old_password": "wrong wrong", "new_password": "correct horse battery"}).status, 403)
        self.assertEqual(bob.delete("/api/core/sessions/none").status, 404)
        self.assertEqual(guest.post("/api/core/session", {"login": "bob", "password": "wrong wrong"}).status, 401)
        self.assertEqual(bob.delete("/api/core/session").status, 204)
        self.assert_contract(exchanges)

    def upload(self, content):
        """The id of a finished upload of ada's."""
        made = self.ada.post("/api/keeps-files/blobs", headers={**TUS, "Upload-Length": str(len(content))})
        self.assertEqual(made.status, 201, made)
        where = made.headers["location"]
        uploaded = self.ada.patch(where, content, headers={**TUS, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"})
        self.assertEqual(uploaded.status, 204, uploaded)
        return where.rsplit("/", 1)[1]

    def test_serves_files_as_described(self):
        exchanges, papers = [], "/api/keeps-files/papers"
        ada = self.recorder("ada", exchanges)
        made = ada.post(papers, {"scan": {"upload": self.upload(PICTURE)}, "pages": [{"upload": self.upload(b"one")}]})
        self.assertEqual(made.status, 201, made)
        path, page = made.headers["location"], made.json()["pages"][0]
        self.assertEqual(made.json()["scan"]["type"], "image/png")
        changed = ada.patch(path, {"pages": [{"id": page["id"]}, {"upload": self.upload(b"two")}]})
        self.assertEqual(changed.status, 200, changed)
        shown = ada.get(f"{path}/scan?save=true")
        self.assertEqual((shown.status, shown.body), (200, PICTURE))
        self.assertEqual(ada.get(f"{path}/scan", If_None_Match=shown.headers["etag"]).status, 304)
        part = ada.get(f"{path}/pages/{page['id']}", Range="bytes=0-1")
        self.assertEqual((part.status, part.body), (206, b"on"))
        self.assertEqual(ada.get(f"{path}/pages/{page['id']}", Range="bytes=9-").status, 416)
        self.assertEqual(ada.get(f"{path}/pages/none").status, 404)
        self.assertEqual(ada.get(f"{path}/scan?odd=1").status, 400)
        self.assertEqual(ada.post(papers, {"scan": {"upload": "none"}}).status, 422)
        self.assertEqual(ada.post(f"{papers}/batch", {"create": [{"scan": None}]}).status, 422)
        self.assertEqual(ada.post(f"{papers}/batch", {"create": [{}]}).status, 200)
        self.assert_contract(exchanges)
        schemas = self.document()["components"]["schemas"]
        self.assertIn("scan", schemas["keeps-files.papers.new"]["properties"])
        for bare in ("bare", "change"):
            self.assertNotIn("scan", schemas[f"keeps-files.papers.{bare}"]["properties"])

    def test_handles_upserts_groups_and_retries_as_described(self):
        exchanges, kinds = [], "/api/hello/kinds"
        ada = self.recorder("ada", exchanges)
        me = ada.get("/api/core/session").json()["user"]["id"]
        code = str(uuid.uuid4())
        self.assertEqual(ada.put(f"{kinds}?key=code", {"title": "put", "code": code, "count": 1}).status, 201)
        put = ada.put(f"{kinds}?key=code", {"title": "again", "code": code, "count": 2, "owner": me})
        self.assertEqual(put.status, 200, put)
        self.assertEqual(ada.put(f"{kinds}?key=code", {"title": "again", "code": code}, headers={"If-Match": '"9-0"'}).status, 412)
        self.assertEqual(ada.put(f"{kinds}?key=title", {"title": "again"}).status, 400)
        self.assertEqual(ada.put(f"{kinds}?key=code", {"title": "again"}).status, 422)
        batch = ada.post(f"{kinds}/batch?key=code", {"upsert": [{"title": "third", "code": code, "parent": put.json()["id"], "friends": [put.json()["id"]]}]})
        self.assertEqual(batch.status, 200, batch)
        self.assertEqual(ada.post(f"{kinds}/batch", {"upsert": [{"title": "third", "code": code}]}).status, 400)
        key = {"Idempotency-Key": f'"{uuid.uuid4()}"'}
        for _ in range(2):
            self.assertEqual(ada.post(kinds, {"title": "once"}, headers=key).status, 201)
        self.assertEqual(ada.post(kinds, {"title": "twice"}, headers=key).status, 422)
        one = ada.get(f"{kinds}/{put.json()['id']}?expand=parent.friends,friends,owner,created_by")
        self.assertEqual(one.status, 200, one)
        self.assertEqual(set(one.json()["expand"]), {"parent", "friends", "owner", "created_by"})
        self.assertEqual(ada.get(f"{kinds}?expand=friends&fields=title").status, 200)
        self.assertEqual(ada.get(f"{kinds}?expand=extra").status, 400)
        groups = ada.get(f"{kinds}?group=state,year(day)&agg=count,sum(count),avg(share),max(title)&sort=-count&filter=count%20%3E%20-9&limit=900")
        self.assertEqual(groups.status, 200, groups)
        self.assertGreater(len(groups.json()["items"]), 0)
        self.assertEqual(ada.get(f"{kinds}?agg=count").status, 200)
        self.assertEqual(ada.post(kinds, {"title": "sought", "note": "a rare quokka"}).status, 201)
        for target in (f"{kinds}?q=quokka&limit=5", "/api/core/search?q=quokka&limit=5"):
            found = ada.get(target)
            self.assertEqual(found.status, 200, found)
            self.assertEqual([one["highlight"]["note"][1] for one in found.json()["items"]], [{"text": "quokka", "match": True}])
        self.assertEqual(ada.get("/api/core/search?odd=1").status, 400)
        self.assertEqual(ada.get(f"{kinds}?group=state&q=quokka").json()["items"], [{"state": "new", "count": 1}])
        self.assertEqual(ada.get(f"{kinds}?group=extra").status, 400)
        self.assert_contract(exchanges)

    def test_serves_groups_and_people_as_described(self):
        exchanges, groups = [], "/api/core/groups"
        ada, bob = (self.recorder(login, exchanges) for login in ("ada", "bob"))
        me = ada.get("/api/core/session").json()["user"]["id"]
        made = ada.post(groups, {"name": "Editors", "description": "Who writes."})
        self.assertEqual(made.status, 201, made)
        self.assertEqual(ada.post(groups, {"name": "editors"}).status, 409)
        self.assertEqual(ada.post(groups, {"name": ""}).status, 422)
        path = made.headers["location"]
        for target in (path, f"{groups}?limit=1", f"{path}/members?limit=1", "/api/core/people?q=ed&kind=group&limit=5",
                       f"/api/core/people?ids={me},none"):
            self.assertEqual(ada.get(target).status, 200, target)
        self.assertEqual(ada.patch(path, {"name": "Writers"}).status, 200)
        self.assertEqual(ada.post(f"{path}/members", {"add": [me], "remove": []}).status, 200)
        self.assertEqual(len(ada.get(f"{path}/members").json()["items"]), 1)
        self.assertEqual(ada.post(f"{path}/members", {"add": [str(uuid.uuid4())]}).status, 422)
        self.assertEqual(len(bob.get("/api/core/people?q=writ").json()["items"]), 1)
        self.assertEqual(bob.get("/api/core/people?kind=odd").status, 422)
        self.assertEqual(bob.get(groups).status, 403)
        self.assertEqual(ada.delete(path).status, 204)
        self.assertEqual(ada.get(path).status, 404)
        self.assert_contract(exchanges)

    def test_exports_and_imports_as_described(self):
        exchanges, kinds = [], "/api/hello/kinds"
        ada = self.recorder("ada", exchanges)
        paths = self.document()["paths"]
        for path, method in (("export", "get"), ("import", "post"), ("import/{job}", "get"), ("import/{job}", "delete")):
            self.assertNotIn("2XX", paths[f"{kinds}/{path}"][method]["responses"])
        # An export of no records as jsonl has no body.
        self.assertEqual(201, ada.post(kinds, {"title": "exported"}).status)
        for query in ("format=json&sort=title&fields=title", "format=csv&bom=true", "format=jsonl", "format=odd", "filter=odd%20%3D"):
            ada.get(f"{kinds}/export?{query}")
        self.assertEqual([one["status"] for one in exchanges[-5:]], [200, 200, 200, 400, 422])
        self.assertEqual(ada.post(f"{kinds}/import", {"text": "title\n", "mode": "odd"}).status, 422)
        started = ada.post(f"{kinds}/import", {"text": "title,count\nimported,1\nx,no\n", "dry_run": True, "mapping": {"count": "count"}})
        self.assertEqual(started.status, 202, started)
        where = started.headers["location"]
        eventually(lambda: self.ada.get(where).json()["state"] in ("done", "failed"))
        self.assertEqual(len(ada.get(where).json()["errors"]), 2)
        self.assertEqual(ada.get(f"{where}?errors=csv").status, 200)
        self.assertEqual(ada.get(f"{kinds}/import/none").status, 404)
        self.assertEqual(ada.delete(f"{kinds}/import/none").status, 404)
        self.assert_contract(exchanges)

    def test_returns_plans_as_described(self):
        exchanges, plan = [], "/api/core/plugins/hello/plan"
        ada = self.recorder("ada", exchanges)
        self.assertEqual(ada.get(plan).json()["steps"], [])
        self.assertEqual(len(ada.post(plan, {"tables": []}).json()["refusals"]), len(TABLES["tables"]))
        self.assertEqual(ada.post(plan, {"tables": 1}).status, 422)
        self.assertEqual(ada.get("/api/core/plugins/none/plan").status, 404)
        self.assert_contract(exchanges)

    def test_states_licence_of_a_plugin(self):
        licences = {tag["name"]: tag.get("x-license") for tag in self.document()["tags"]}
        self.assertEqual(licences["hello"], "Apache-2.0")
        self.assertIsNone(licences["core/users"])

    def test_prints_description_on_command_line(self):
        printed = tenon("openapi", "--data", self.server.data)
        self.assertEqual(printed.returncode, 0, printed.stderr)
        self.assertEqual(json.loads(printed.stdout), self.document(self.ada))
        self.assertEqual(tenon("openapi", "more", "--data", self.server.data).returncode, 2)
        with tempfile.TemporaryDirectory() as guest:
            alone = tenon("openapi", "--data", guest)
        self.assertEqual((alone.returncode, alone.stdout), (1, ""))
        self.assertIn("No server uses", alone.stderr)

    def test_contract_rejects_response_that_differs_from_description(self):
        exchange = {"method": "GET", "target": "/api/core/session", "request": None, "status": 200, "type": "application/json", "body": "{}"}
        result = run(self.node, "node", "contract.mjs", stdin=json.dumps({"document": self.document(), "exchanges": [exchange]}))
        self.assertIn("must have required property 'user'", result.stdout)

    def test_omits_rules_and_hidden_fields(self):
        document = self.document()
        schemas = document["components"]["schemas"]
        self.assertNotIn("secret", schemas["hello.kinds"]["properties"])
        self.assertNotIn("password", schemas["hello.kinds"]["properties"])
        for schema in ("hello.kinds.new", "hello.kinds.patch"):
            self.assertTrue(schemas[schema]["properties"]["password"]["writeOnly"])
            self.assertNotIn("secret", schemas[schema]["properties"])
        for inner in ("@user", "owner = ", "hello/inner", "hello.inner"):
            self.assertNotIn(inner, json.dumps(document))

    def test_includes_descriptions_of_plugin_routes(self):
        document = self.document()
        operation = document["paths"]["/api/describes-routes/things/{id}"]["get"]
        self.assertEqual(operation["summary"], "A thing")
        self.assertEqual(operation["description"], "Says which thing it is.\n\nFor everyone, signed in or not.")
        self.assertEqual([one["description"] for one in operation["parameters"]], ["Any name."])
        self.assertIn("describes-routes.thing", document["components"]["schemas"])
        self.assertIn("describes-routes", [tag["name"] for tag in document["tags"]])

    def test_hides_routes_the_caller_may_not_call(self):
        bob = self.client("bob")
        shown = self.document(bob)["paths"]
        for path in ("/api/core/users", "/api/notes/notes"):
            self.assertNotIn(path, shown)
            self.assertIn(path, self.document()["paths"])
        self.assertIn("/api/hello/kinds", shown)
        self.assertNotIn("core.user", self.document(bob)["components"]["schemas"])
        self.assert_problem(self.client().get(PATH), 401, "identity.signed_out")

    def test_keeps_same_bytes_until_routes_change(self):
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
