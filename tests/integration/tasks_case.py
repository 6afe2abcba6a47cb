"""Shared parts of the tasks plugin's tests: boards, columns and cards through the REST API of its tables."""

import base64
import json
import urllib.parse

from tenon import BOTH_IN_FULL, TenonTest, eventually

API = "/api/tasks"


class TasksTest(TenonTest):
    """One server with the admin "ada", and short names for the plugin's requests."""

    engines = BOTH_IN_FULL

    def setUp(self):
        self.ada = self.client("ada")

    def call(self, method, path, body=None, status=200, client=None):
        """Returns the JSON of a response (None without a body), which must have the status."""
        response = (client or self.ada).request(method, API + path, body)
        self.assertEqual(status, response.status, f"{method} {path}: {response}")
        return response.json() if response.body else None

    def make(self, table, client=None, status=201, **fields):
        return self.call("POST", f"/{table}", fields, status, client)

    def change(self, table, record, client=None, status=200, **fields):
        return self.call("PATCH", f"/{table}/{record['id']}", fields, status, client)

    @staticmethod
    def errors(problem):
        return [(error["field"], error["code"]) for error in problem["errors"]]

    def read(self, table, record, client=None, status=200):
        return self.call("GET", f"/{table}/{record['id']}", None, status, client)

    def all(self, table, client=None, **query):
        return self.call("GET", f"/{table}?" + urllib.parse.urlencode({"limit": 200, **query}), client=client)["items"]

    def of_board(self, table, board, client=None, **query):
        return self.all(table, client, filter=f"board = '{board['id']}'", **query)

    def board(self, *titles, **fields):
        """A board with columns of these titles: the board, then the columns."""
        board = self.make("boards", **{"title": "Launch", **fields})
        return board, *(self.make("columns", board=board["id"], title=title, position=f"a{number}")
                        for number, title in enumerate(titles))

    def card(self, column, title="Card", client=None, **fields):
        return self.make("cards", client, board=column["board"], column=column["id"], title=title,
                         **{"position": "a0", **fields})

    def happened(self, card):
        """Kinds of what happened to a card, in order, with what was before and after."""
        rows = self.all("activity", filter=f"card = '{card['id']}'", sort="created")
        return [(row["kind"], row["before"], row["after"]) for row in rows]

    def me(self, client):
        return client.get("/api/core/session").json()["user"]["id"]

    def upload(self, content, client=None):
        """The id of the blob that the content became."""
        client = client or self.ada
        made = client.request("POST", API + "/blobs", headers={
            "Tus-Resumable": "1.0.0", "Upload-Length": str(len(content)),
            "Upload-Metadata": "filename " + base64.b64encode(b"file").decode()})
        self.assertEqual(201, made.status, made)
        sent = client.request("PATCH", made.headers["location"], content, headers={
            "Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"})
        self.assertEqual(204, sent.status, sent)
        return sent.headers["blob-id"]

    def import_trello(self, content, client=None):
        """The board's id and how the import ended."""
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        begun = self.call("POST", "/trello", {"blob": self.upload(text, client)}, 202, client)
        ended = eventually(lambda: (state := self.call("GET", f"/trello/{begun['job']}", client=client))["over"] and state)
        return {"id": begun["board"]}, ended
