"""Search by a plugin's own code, in the real server: by the rules of the caller, for the plugin itself, and inside a transaction."""

import uuid

from tenon import BOTH_IN_FULL, BUILD, PASSWORD, Client, TenonTest

ZOO = BUILD / "tests/plugins/zoo/events_and_search"


class PluginSearch(TenonTest):
    engines = BOTH_IN_FULL
    arguments = ("--plugins", str(ZOO))
    url = "/api/events-and-search"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ada = Client(cls.server).sign_in("ada")
        for login in ("bob",):
            user = {"login": login, "name": login.title(), "role": "member", "password": PASSWORD}
            assert ada.post("/api/core/users", user).status == 201
        ada.close()

    def signed_in(self, login):
        client = Client(self.server).sign_in(login)
        self.addCleanup(client.close)
        client.id = client.get("/api/core/session").json()["user"]["id"]
        return client

    def setUp(self):
        self.ada, self.bob = self.signed_in("ada"), self.signed_in("bob")
        self.word = "w" + uuid.uuid4().hex

    def add(self, client, table, **fields):
        response = client.post(f"{self.url}/{table}", fields)
        self.assertEqual(response.status, 201, response)
        return response.json()["id"]

    def find(self, client, path="find", **query):
        query = {"q": self.word, **query}
        response = client.get(f"{self.url}/{path}?" + "&".join(f"{name}={value}" for name, value in query.items()))
        self.assertEqual(response.status, 200, response)
        return response.json()

    def titles(self, client, **query):
        return sorted((item["table"], item["title"]) for item in self.find(client, **query)["items"])

    def fill(self):
        self.board = self.add(self.ada, "boards", name=f"{self.word} board")
        self.add(self.ada, "cards", title="of ada", text=f"some {self.word} here", owner=self.ada.id)
        self.add(self.bob, "cards", title=f"{self.word} of bob", owner=self.bob.id)
        response = self.ada.post(f"{self.url}/vault", f"{self.word} in the vault".encode(), headers={"Content-Type": "text/plain"})
        self.assertEqual(response.status, 204, response)

    def test_finds_only_readable_records(self):
        self.fill()
        board = ("boards", f"{self.word} board")
        self.assertEqual(self.titles(self.ada), [board, ("cards", "of ada")])
        self.assertEqual(self.titles(self.bob), [board, ("cards", f"{self.word} of bob")])
        self.assertEqual(self.titles(self.ada, **{"as": self.bob.id}), self.titles(self.bob))
        self.assertEqual(self.titles(self.ada, **{"as": "plugin"}), [
            board, ("cards", "of ada"), ("cards", f"{self.word} of bob"), ("vault", f"{self.word} in the vault")])
        self.assertEqual(self.titles(self.bob, tables="cards"), [("cards", f"{self.word} of bob")])
        self.assertEqual(self.titles(self.ada, q="nothing-of-that"), [])

    def test_ranks_results_with_highlights(self):
        self.fill()
        found = self.find(self.ada)
        # In a title a word counts more.
        self.assertEqual([item["table"] for item in found["items"]], ["boards", "cards"])
        self.assertFalse(found["more"])
        self.assertEqual(found["items"][0], {
            "table": "boards", "id": self.board, "title": f"{self.word} board",
            "highlight": {"name": [{"text": self.word, "match": True}, {"text": " board", "match": False}]}})
        first = self.find(self.ada, limit=1)
        self.assertEqual(([item["id"] for item in first["items"]], first["more"]), ([self.board], True))

    def test_finds_writes_of_own_transaction(self):
        found = self.find(self.ada, "find-own", make=self.word)
        self.assertEqual([(item["table"], item["title"]) for item in found["items"]], [("boards", self.word)])
        self.assertEqual(self.find(self.ada)["items"], [])

    def test_rejects_invalid_queries(self):
        for query, status, code in (("q=a&tables=nothing", 404, "records.unknown_table"), ("q=a&tables=plain", 400, "records.bad_query"),
                                    ("q=a&tables=vault", 403, "records.forbidden"), ("q=a&limit=201", 400, "records.bad_query"),
                                    ("q=" + "a" * 600, 400, "records.bad_query"), ("q=a&as=unknown-user", 403, "identity.unknown_user")):
            self.assert_problem(self.bob.get(f"{self.url}/find?{query}"), status, code)
