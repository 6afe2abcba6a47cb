"""Search over a published table in the real server: what two people find, a plugin that becomes searchable, and a server that is killed while many write."""

import threading
import urllib.parse
import uuid

from tables_case import TablesTest
from tenon import Client, eventually

FIELDS = [
    {"name": "title", "type": "text", "required": True, "searchable": {"weight": 8}},
    {"name": "text", "type": "text", "searchable": True},
    {"name": "private", "type": "boolean", "required": True, "default": False, "writable": True},
    {"name": "owner", "type": "user"},
]


def tables(searchable):
    fields = [{key: value for key, value in field.items() if searchable or key != "searchable"} for field in FIELDS]
    return {"tables": [{
        "name": "papers", "publish": True, "timestamps": True,
        "rules": {"read": "private = false or owner = @user", "create": "owner = @user", "update": "owner = @user",
                  "delete": "owner = @user"},
        "fields": fields}, {
        "name": "notes", "publish": True, "rules": {"read": "owner = @user", "create": "owner = @user"},
        "fields": [{"name": "line", "type": "text", "searchable": True}, {"name": "owner", "type": "user"}]}, {
        # Not published, and for no user.
        "name": "vaults", "rules": {"read": "true"}, "fields": [{"name": "line", "type": "text", "searchable": True}]}, {
        "name": "secrets", "publish": True, "rules": {"create": "true"},
        "fields": [{"name": "line", "type": "text", "searchable": True}]}]}


class Search(TablesTest):
    TABLES = tables(True)

    def setUp(self):
        self.ada = self.client_of("ada")
        self.bob = self.client_of("bob")

    @staticmethod
    def add(client, title, text="", **more):
        response = client.post("/api/hello/papers", {"title": title, "text": text, "owner": client.id, **more})
        assert response.status == 201, response
        return response.headers["location"]

    @staticmethod
    def search(client, words, **query):
        return client.get("/api/hello/papers?" + urllib.parse.urlencode({"q": words, **query}))

    def titles(self, client, words, **query):
        response = self.search(client, words, **query)
        self.assertEqual(response.status, 200, response)
        return [record["title"] for record in response.json()["items"]]

    def test_finds_only_readable_records(self):
        word = "w" + uuid.uuid4().hex
        self.add(self.ada, "open", f"some {word} here")
        path = self.add(self.bob, f"{word} of bob", private=True)
        self.assertEqual(self.titles(self.bob, word), [f"{word} of bob", "open"])
        self.assertEqual(self.titles(self.ada, word), ["open"])
        response = self.search(self.ada, word[:12], count="true").json()
        self.assertEqual(response["total"], 1)
        self.assertEqual(response["items"][0]["highlight"],
                         {"text": [{"text": "some ", "match": False}, {"text": word, "match": True},
                                   {"text": " here", "match": False}]})
        self.assertEqual(self.bob.patch(path, {"title": "another"}).status, 200)
        self.assertEqual(self.titles(self.bob, word), ["open"])
        self.assert_problem(self.search(self.ada, "x" * 600), 400, "records.bad_query")
        self.assertEqual(self.search(self.ada, '"AND NOT ( *^:').status, 200)

    def test_searches_tables_of_all_plugins_at_once(self):
        word = "e" + uuid.uuid4().hex
        self.add(self.ada, "open", f"some {word}")
        self.add(self.bob, f"{word} of bob", private=True)
        note = self.ada.post("/api/hello/notes", {"line": f"a line with {word}", "owner": self.ada.id})
        self.assertEqual(note.status, 201, note)

        def everywhere(client, words, **query):
            return client.get("/api/core/search?" + urllib.parse.urlencode({"q": words, **query}))

        def found(client):
            response = everywhere(client, word)
            self.assertEqual((response.status, response.json()["incomplete"]), (200, []), response)
            return sorted((hit["plugin"], hit["table"], hit["title"]) for hit in response.json()["items"])

        self.assertEqual(found(self.bob), [("hello", "papers", f"{word} of bob"), ("hello", "papers", "open")])
        self.assertEqual(found(self.ada), [("hello", "notes", f"a line with {word}"), ("hello", "papers", "open")])
        hit = everywhere(self.bob, word, limit=1).json()["items"]
        self.assertEqual([set(one) for one in hit], [{"plugin", "table", "id", "title", "highlight"}])
        self.assertEqual(everywhere(self.bob, "").json(), {"items": [], "incomplete": []})
        self.assertEqual(everywhere(self.bob, '"(').json(), {"items": [], "incomplete": []})
        self.assert_problem(everywhere(self.bob, "x" * 600), 400, "records.bad_query")
        self.assert_problem(everywhere(self.bob, "x", limit=51), 400, "records.bad_query")
        self.assert_problem(everywhere(self.bob, "x", sort="title"), 400, "records.bad_query")
        self.assert_problem(everywhere(Client(self.server), word), 401, "identity.signed_out")
        # An inactive plugin has no results.
        self.assertEqual(self.ada.post("/api/core/plugins/hello/disable").status, 200)
        try:
            self.assertEqual(found(self.ada), [])
        finally:
            self.assertEqual(self.ada.post("/api/core/plugins/hello/enable").status, 200)
        self.assertEqual(len(found(self.ada)), 2)

    def test_changes_searchable_fields_with_plugin_version(self):
        word = "v" + uuid.uuid4().hex
        self.add(self.bob, word)

        def upgrade(searchable):
            self.server.stop()
            self.write_tables(tables(searchable))
            self.server.start()
            return self.search(self.client_of("bob"), word)

        self.assert_problem(upgrade(False), 400, "records.bad_query")
        self.add(self.client_of("bob"), f"{word} too")
        response = upgrade(True)
        self.assertEqual({record["title"] for record in response.json()["items"]}, {word, f"{word} too"})

    def test_finds_acknowledged_records_after_kill(self):
        word = "k" + uuid.uuid4().hex
        made, lock, stop = [], threading.Lock(), threading.Event()

        def write(number):
            client = Client(self.server)
            client.cookies = dict(self.bob.cookies)
            try:
                for i in range(10_000):
                    if stop.is_set():
                        break
                    response = client.post("/api/hello/papers", {"title": f"{word} {number}-{i}", "owner": self.bob.id})
                    if response.status != 201:
                        break
                    with lock:
                        made.append(f"{word} {number}-{i}")
            except OSError:
                pass  # the server is gone
            finally:
                client.close()

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        eventually(lambda: len(made) > 100)
        self.server.kill()
        stop.set()
        for thread in threads:
            thread.join()
        self.server.start()
        found, cursor = set(), {}
        bob = self.client_of("bob")
        while True:
            page = self.search(bob, word, limit=200, sort="created", **cursor).json()
            found |= {record["title"] for record in page["items"]}
            if not page["next"]:
                break
            cursor = {"cursor": page["next"]}
        self.assertEqual(set(made) - found, set())
        listed = bob.get("/api/hello/papers?" + urllib.parse.urlencode(
            {"filter": f"title like '{word}%'", "count": "true", "limit": 1})).json()
        self.assertEqual(len(found), listed["total"], "the index has what the table has")
