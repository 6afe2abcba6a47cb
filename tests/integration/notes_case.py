"""Shared parts of the notes plugin's tests: requests in the words of plugins/notes/README.md."""

import json
import urllib.parse
import uuid

from tenon import BOTH_IN_FULL, TenonTest

API = "/api/notes"


class NotesTest(TenonTest):
    """One server with the admin "ada", and short names for the plugin's requests."""

    engines = BOTH_IN_FULL

    def setUp(self):
        self.ada = self.client("ada")

    def call(self, method, path, body=None, status=200, client=None, **headers):
        """Returns the JSON of a response (None without a body), which must have the status."""
        response = self.response(method, path, body, client, **headers)
        self.assertEqual(status, response.status, f"{method} {path}: {response}")
        return response.json() if response.body else None

    def response(self, method, path, body=None, client=None, **headers):
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            # As a browser sends it: not every letter beyond ASCII as six bytes.
            body = json.dumps(body, ensure_ascii=False).encode()
            sent["Content-Type"] = "application/json"
        return (client or self.ada).request(method, API + path, body, headers=sent)

    def another_window(self):
        """A client of its own for ada's session."""
        client = self.client()
        client.cookies = dict(self.ada.cookies)
        return client

    def get(self, path, **query):
        if query:
            path += "?" + urllib.parse.urlencode(query)
        return self.call("GET", path)

    def create(self, title="", text="", **more):
        return self.call("POST", "/notes", {"title": title, "text": text, **more}, 201)

    def note(self, note):
        return self.get(f"/notes/{note['id']}")

    def save(self, note, **change):
        """PATCH from the version that `note` is."""
        return self.call("PATCH", f"/notes/{note['id']}", change, If_Match=f'"{note["version"]}"')

    def share(self, thing, level="writer", kind="everyone", who=None, folder="notes", client=None):
        """Shares a note of ada, or a notebook, with one share alone."""
        share = {"kind": kind, "level": level, **({"id": who} if who else {})}
        return self.call("PUT", f"/{folder}/{thing['id']}/shares", {"shares": [share]}, client=client)

    def notebook(self, name, parent=None, status=201):
        return self.call("POST", "/notebooks", {"name": name, "parent": parent and parent["id"]}, status)

    def trash(self, note):
        self.call("DELETE", f"/notes/{note['id']}", status=204)

    def titles(self, **query):
        """Titles of all pages of a list."""
        return [row["title"] for row in self.rows("/notes", **query)]

    def rows(self, path, **query):
        rows, cursor = [], {}
        while True:
            page = self.get(path, **query, **cursor)
            rows += page["items"]
            if page["next"] is None:
                return rows
            cursor = {"cursor": page["next"]}

    def found(self, words, **query):
        return [item["note"]["title"] for item in self.get("/search", q=words, **query)["items"]]

    def import_files(self, files, notebook=None, import_id=None):
        """`files` is {path: text}."""
        body = {"import": import_id or str(uuid.uuid4()), "notebook": notebook and notebook["id"],
                "files": [{"path": path, "text": text} for path, text in files.items()]}
        return self.call("POST", "/import", body)

    def export(self, **query):
        """{path: record} of a whole export, whose frame is checked."""
        path = "/export" + ("?" + urllib.parse.urlencode(query) if query else "")
        response = self.response("GET", path)
        self.assertEqual((200, "application/x-ndjson"), (response.status, response.headers["content-type"]), response)
        head, *records, tail = [json.loads(line) for line in response.body.decode().split("\n") if line]
        self.assertEqual("tenon.notes/1", head["format"])
        self.assertEqual({"end": True, "count": len(records), "snapshots": 1}, tail)
        self.assertEqual(len(records), head["count"])
        by_path = {record["path"]: record for record in records}
        self.assertEqual(len(records), len(by_path), "two files under one path")
        return by_path

    def assert_refused(self, response, status, code, field=None, field_code=None):
        """A problem, which names the field where one is given."""
        problem = self.assert_problem(response, status, code)
        if field:
            self.assertIn((field, field_code), [(each["field"], each["code"]) for each in problem["errors"]], response)
        return problem
