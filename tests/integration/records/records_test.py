"""Records of published tables in the real server: two people and an admin, many writers at once, and a server that is killed."""

import concurrent.futures
import urllib.parse
import uuid

from tables_case import TablesTest
from tenon import BOTH, Client

TABLES = {"tables": [
    {"name": "tasks", "publish": True, "timestamps": True, "version": True,
     "rules": {"read": "open or approved or owner = @user or can('hello.see_all')", "create": "owner = @user",
               "update": "owner = @user", "delete": "owner = @user"},
     "fields": [
         {"name": "title", "type": "text", "required": True, "max": 100},
         {"name": "open", "type": "boolean", "required": True, "default": False, "writable": True},
         {"name": "owner", "type": "user", "indexed": True},
         {"name": "count", "type": "integer", "required": True, "default": 0},
         {"name": "labels", "type": "reference", "table": "labels", "many": True},
         {"name": "secret", "type": "text", "hidden": True},
         {"name": "password", "type": "text", "hidden": True, "writable": True},
         {"name": "approved", "type": "boolean", "required": True, "default": False}]},
    {"name": "labels", "publish": True, "anonymous": True, "rules": {"read": "true", "create": "can('hello.see_all')"},
     "fields": [{"name": "name", "type": "text", "required": True, "unique": True}]},
    {"name": "slots", "publish": True, "authorship": True,
     "rules": {"read": "created_by = @user", "create": "true", "update": "true"},
     "fields": [{"name": "place", "type": "text", "unique": True}, {"name": "line", "type": "text"}]},
]}


class Records(TablesTest):
    engines = BOTH
    TABLES = TABLES
    PERMISSIONS = [{"id": "hello.see_all", "title": "See all", "roles": []}]
    MEMBERS = {"bob": "bob", "eve": "eve"}

    def setUp(self):
        self.ada, self.bob, self.eve = map(self.client_of, ("ada", "bob", "eve"))

    @staticmethod
    def create(client, **fields):
        return client.post("/api/hello/tasks", {"title": "a", "owner": client.id, **fields})

    @staticmethod
    def titles(client, **query):
        response = client.get("/api/hello/tasks?" + urllib.parse.urlencode(query))
        assert response.status == 200, response
        return [record["title"] for record in response.json()["items"]]

    def test_rejects_hidden_fields_and_fields_of_rules(self):
        task = self.create(self.bob, title=uuid.uuid4().hex)
        path = task.headers["location"]
        for field, value in (("secret", "mine"), ("approved", True)):
            sent = {"title": uuid.uuid4().hex, "owner": self.bob.id, field: value}
            for pointer, response in (
                    ("", self.bob.post("/api/hello/tasks", sent)), ("", self.bob.request("PATCH", path, {field: value})),
                    ("", self.bob.request("PUT", "/api/hello/tasks?key=id", {**sent, "id": task.json()["id"]})),
                    ("create/0/", self.bob.post("/api/hello/tasks/batch", {"create": [sent]}))):
                with self.subTest(field=field, response=response):
                    self.assert_problem(response, 422, "records.validation")
                    self.assertEqual([(pointer + field, "read_only")], [(one["field"], one["code"]) for one in response.json()["errors"]])
        self.assertEqual(self.eve.get(path).status, 404)

    def test_limits_members_to_own_records_but_not_admin(self):
        mark = uuid.uuid4().hex
        mine = self.create(self.bob, title=f"{mark} bob", password="hush")
        self.assertEqual(mine.status, 201, mine)
        path = mine.headers["location"]
        self.create(self.eve, title=f"{mark} eve")
        self.create(self.eve, title=f"{mark} open", open=True)
        only = {"filter": f"title like '{mark}%'", "sort": "title"}
        self.assertEqual(self.titles(self.bob, **only), [f"{mark} bob", f"{mark} open"])
        self.assertEqual(self.titles(self.eve, **only), [f"{mark} eve", f"{mark} open"])
        self.assertEqual(len(self.titles(self.ada, **only)), 3)
        self.assertNotIn(b"hush", self.ada.get(path).body)
        self.assertEqual(self.eve.get(path).status, 404)
        self.assertEqual(self.eve.patch(path, {"title": "x"}).status, 404)
        self.assert_problem(self.ada.patch(path, {"title": "x"}), 403, "records.forbidden")
        self.assert_problem(Client(self.server).get(path), 401, "identity.signed_out")
        self.assert_problem(self.eve.post("/api/hello/tasks", {"title": "x", "owner": self.bob.id}), 403, "records.forbidden")
        self.assertEqual(self.bob.delete(path).status, 204)
        self.assertEqual(self.bob.get(path).status, 404)

    def test_shows_public_records_to_guests(self):
        name = uuid.uuid4().hex
        self.assertEqual(self.ada.post("/api/hello/labels", {"name": name}).status, 201)
        guest = Client(self.server)
        self.addCleanup(guest.close)
        self.assertIn(name, [label["name"] for label in guest.get("/api/hello/labels").json()["items"]])
        self.assert_problem(guest.post("/api/hello/labels", {"name": "x"}), 401, "identity.signed_out")

    def test_counts_each_change_of_many_writers_once(self):
        path = self.create(self.bob).headers["location"]
        writers, rounds = 6, 10

        def add(_):
            client, done = Client(self.server), 0
            client.cookies = dict(self.bob.cookies)
            while done < rounds:
                record = client.get(path)
                response = client.patch(path, {"count": record.json()["count"] + 1},
                                      headers={"If-Match": record.headers["etag"]})
                assert response.status in (200, 412), response
                done += response.status == 200
            client.close()

        with concurrent.futures.ThreadPoolExecutor(writers) as pool:
            list(pool.map(add, range(writers)))
        record = self.bob.get(path).json()
        self.assertEqual((record["count"], record["version"]), (writers * rounds, writers * rounds + 1))

    def test_keeps_acknowledged_writes_after_kill(self):
        mark = uuid.uuid4().hex
        ids = [self.create(self.bob, title=f"{mark} {number:03}").json()["id"] for number in range(120)]
        batch = self.bob.post("/api/hello/tasks/batch", {
            "update": [{"id": ids[0], "title": f"{mark} 999"}], "delete": ids[1:3]})
        self.assertEqual(batch.status, 200, batch)
        self.server.kill()
        self.server.start()
        bob = self.client_of("bob")
        found, cursor = [], None
        while True:
            query = {"filter": f"title like '{mark}%'", "sort": "-title", "limit": 50, "count": "true", "fields": "title"}
            response = bob.get("/api/hello/tasks?" + urllib.parse.urlencode(query | ({"cursor": cursor} if cursor else {})))
            self.assertEqual(response.status, 200, response)
            self.assertEqual(response.json()["total"], 118)
            found += [record["id"] for record in response.json()["items"]]
            cursor = response.json()["next"]
            if not cursor:
                break
        self.assertEqual(found, [ids[0], *reversed(ids[3:])])

    def test_expands_references_and_counts_records(self):
        mark = uuid.uuid4().hex
        label = self.ada.post("/api/hello/labels", {"name": mark}).json()
        mine = self.create(self.bob, title=f"{mark} bob", labels=[label["id"]], count=3).json()
        self.create(self.bob, title=f"{mark} more", count=4)
        self.create(self.eve, title=f"{mark} eve", count=5)
        only = {"filter": f"title like '{mark}%'"}
        query = urllib.parse.urlencode(only | {"expand": "labels,owner", "fields": "title", "sort": "title"})
        items = self.bob.get(f"/api/hello/tasks?{query}").json()["items"]
        bob = {"id": self.bob.id, "name": "bob"}
        self.assertEqual([item["expand"] for item in items],
                         [{"labels": [label], "owner": bob}, {"labels": [], "owner": bob}])
        self.assertEqual(set(items[0]), {"id", "title", "expand"})
        one = self.bob.get(f"/api/hello/tasks/{mine['id']}?expand=labels").json()
        self.assertEqual((one["labels"], one["expand"]), ([label["id"]], {"labels": [label]}))

        def groups(client, **query):
            response = client.get("/api/hello/tasks?" + urllib.parse.urlencode(only | query))
            self.assertEqual(response.status, 200, response)
            return response.json()["items"]

        self.assertEqual(groups(self.bob, group="owner", agg="count,sum(count),avg(count)"),
                         [{"owner": self.bob.id, "count": 2, "sum(count)": 7, "avg(count)": 3.5}])
        self.assertEqual(groups(self.ada, agg="sum(count)"), [{"sum(count)": 12}])
        self.assertEqual(groups(self.ada, group="owner", sort="-count"),
                         [{"owner": self.bob.id, "count": 2}, {"owner": self.eve.id, "count": 1}])
        self.assert_problem(self.ada.get("/api/hello/tasks?group=secret"), 400, "records.bad_query")

    def test_creates_one_record_from_many_concurrent_upserts(self):
        name = uuid.uuid4().hex

        def put(number):
            client = Client(self.server)
            client.cookies = dict(self.ada.cookies)
            response = client.put("/api/hello/slots?key=place", {"place": name, "line": str(number)})
            client.close()
            return response

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            responses = list(pool.map(put, range(12)))
        self.assertEqual(sorted(response.status for response in responses), [200] * 11 + [201], responses)
        self.assertEqual(len({response.json()["id"] for response in responses}), 1)
        # A user who cannot see it gets the response of a create.
        hers = {"place": uuid.uuid4().hex, "line": "x"}
        self.assertEqual(self.eve.put("/api/hello/slots?key=place", hers).status, 201)
        refused = self.bob.put("/api/hello/slots?key=place", hers)
        created = self.bob.post("/api/hello/slots", hers)
        self.assert_problem(refused, 422, "records.validation")
        self.assertEqual(refused.json()["errors"], created.json()["errors"])

    def test_creates_retried_post_once_even_after_kill(self):
        body = {"title": uuid.uuid4().hex, "owner": self.bob.id}
        key = {"Idempotency-Key": f'"{uuid.uuid4()}"'}
        first = self.bob.post("/api/hello/tasks", body, headers=key)
        self.assertEqual(first.status, 201, first)
        self.server.kill()
        self.server.start()
        bob = self.client_of("bob")
        again = bob.post("/api/hello/tasks", body, headers=key)
        self.assertEqual((again.status, again.body), (first.status, first.body))
        self.assertEqual(again.headers["location"], first.headers["location"])
        self.assertEqual(self.titles(bob, filter=f"title = '{body['title']}'"), [body["title"]])
        self.assert_problem(bob.post("/api/hello/tasks", body | {"count": 1}, headers=key), 422,
                            "records.idempotency_mismatch")
