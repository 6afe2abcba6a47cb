"""Changes of records as events in the real server: who sees what, the order under many writers, a server that is killed, a slow reader."""

import concurrent.futures
import http.client
import socket
import urllib.parse

from tables_case import TablesTest
from tenon import BOTH, Client, eventually

TABLES = {"tables": [
    {"name": "tasks", "publish": True, "timestamps": True, "version": True,
     "rules": {"read": "open or owner = @user or team in @groups or can('hello.see_all')", "create": "owner = @user",
               "update": "owner = @user or can('hello.see_all')", "delete": "owner = @user"},
     "fields": [
         {"name": "title", "type": "text", "required": True, "max": 1000},
         {"name": "open", "type": "boolean", "required": True, "default": False, "writable": True},
         {"name": "owner", "type": "user", "indexed": True},
         {"name": "team", "type": "reference", "table": "core:groups", "writable": True},
         {"name": "count", "type": "integer", "required": True, "default": 0},
         {"name": "labels", "type": "reference", "table": "labels", "many": True},
         {"name": "secret", "type": "text", "hidden": True}]},
    {"name": "labels", "publish": True, "rules": {"read": "true", "create": "true", "update": "true"},
     "fields": [{"name": "name", "type": "text", "required": True}]},
]}


class Realtime(TablesTest):
    engines = BOTH
    TABLES = TABLES
    PERMISSIONS = [{"id": "hello.see_all", "title": "See all", "roles": []}]
    MEMBERS = {"bob": "bob", "eve": "eve", "max": "max"}

    def setUp(self):
        self.ada, self.bob, self.eve = map(self.client_of, ("ada", "bob", "eve"))

    def follow(self, client, topics="hello.tasks", **parameters):
        """Opens a stream and waits for its greeting: every later change arrives."""
        query = "".join(f"&{name}={urllib.parse.quote(value)}" for name, value in parameters.items())
        stream = client.events(topics + query)
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)
        hello = stream.next()
        self.assertEqual(hello["event"], "hello")
        stream.position = hello["id"]
        return stream

    @staticmethod
    def next(stream):
        """The next event: action, id, and the record or the topic of a resync."""
        while True:
            event = stream.next()
            if event is None:
                return None
            if "event" not in event:
                stream.position = event["id"]
            elif event["event"] == "resync":
                return "resync", None, event["data"]["topic"]
            elif event["event"].startswith("hello."):
                data = event["data"]
                return data["action"], data["id"], data.get("record")

    def create(self, client, **fields):
        response = client.post("/api/hello/tasks", {"title": "a", "owner": client.id, **fields})
        self.assertEqual(response.status, 201, response)
        return response.json()["id"]

    def change(self, client, task, **fields):
        response = client.patch(f"/api/hello/tasks/{task}", fields)
        self.assertEqual(response.status, 200, response)
        return response.json()

    def test_sends_changes_that_rules_allow(self):
        bob, eve = self.follow(self.bob), self.follow(self.eve)
        task = self.create(self.bob, open=True)
        for stream in (bob, eve):
            self.assertEqual(self.next(stream)[:2], ("create", task))
        record = self.change(self.bob, task, title="b", open=False)
        self.assertEqual(self.next(bob), ("update", task, record))
        self.assertEqual(self.next(eve), ("delete", task, None))
        self.change(self.bob, task, title="c")
        self.assertEqual(self.next(bob)[0], "update")
        record = self.change(self.bob, task, open=True)
        self.assertEqual(self.next(eve), ("create", task, self.eve.get(f"/api/hello/tasks/{task}").json()))
        self.assertEqual(self.next(bob), ("update", task, record))
        self.assertEqual(self.bob.delete(f"/api/hello/tasks/{task}").status, 204)
        for stream in (bob, eve):
            self.assertEqual(self.next(stream), ("delete", task, None))

    def test_sends_no_rejected_writes(self):
        bob = self.follow(self.bob)
        batch = {"create": [{"title": "x", "owner": self.bob.id, "open": True}, {"title": "y", "owner": self.eve.id}]}
        self.assertEqual(self.bob.post("/api/hello/tasks/batch", batch).status, 403)
        task = self.create(self.bob)
        self.assertEqual(self.next(bob)[:2], ("create", task))

    def test_filters_by_rule_and_by_record(self):
        first = self.create(self.bob, count=1)
        counted = self.follow(self.bob, **{"filter.hello.tasks": "count > 1"})
        single = self.follow(self.bob, f"hello.tasks/{first}")
        second = self.create(self.bob, count=2)
        self.assertEqual(self.next(counted)[:2], ("create", second))
        self.change(self.bob, first, count=3)
        self.assertEqual(self.next(counted)[:2], ("create", first))
        self.assertEqual(self.next(single)[:2], ("update", first))
        refused = self.bob.get("/api/core/events?topics=hello.tasks&filter.hello.tasks=secret%20%3D%20'x'")
        self.assert_problem(refused, 422, "expression.invalid")
        self.assert_problem(self.bob.get("/api/core/events?topics=hello.nothing"), 404, "events.unknown_topic")

    def test_keeps_order_of_record_under_many_writers(self):
        tasks = [self.create(self.bob, open=True) for _ in range(4)]
        eve = self.follow(self.eve)

        def write(task):
            client = Client(self.server)
            client.cookies = self.bob.cookies
            for _ in range(25):
                self.change(client, task, title="again")
            client.close()

        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            list(pool.map(write, tasks * 3))
        versions = dict.fromkeys(tasks, 1)
        while any(version < 76 for version in versions.values()):
            _, task, record = self.next(eve)
            self.assertGreater(record["version"], versions[task])
            versions[task] = record["version"]

    def test_sends_every_change_after_server_is_killed(self):
        bob = self.follow(self.bob)
        first = self.create(self.bob)
        self.assertEqual(self.next(bob)[:2], ("create", first))
        position = bob.position
        # No client listens: a change committed now is not sent before the end.
        bob.close()
        second = self.create(self.bob)
        self.server.kill()
        self.server.start()
        self.bob.close()
        again = self.follow(self.bob, last=position)
        received = [self.next(again)[:2]]
        if received[0][1] == first:  # the last position may be one event old
            received.append(self.next(again)[:2])
        self.assertEqual(received[-1], ("create", second))
        third = self.create(self.bob)
        self.assertEqual(self.next(again)[:2], ("create", third))

    def test_resumes_by_header_and_resyncs_foreign_position(self):
        bob = self.follow(self.bob)
        position = bob.position
        task = self.create(self.bob)
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=60)
        self.addCleanup(connection.close)
        cookie = "; ".join(f"{name}={value}" for name, value in self.bob.cookies.items())
        connection.request("GET", "/api/core/events?topics=hello.tasks", headers={"Cookie": cookie, "Last-Event-ID": position})
        response = connection.getresponse()
        text = b""
        while task.encode() not in text:
            text += response.readline()
        self.assertNotIn(b"resync", text)
        for foreign in (self.follow(self.eve).position, "hello:0123456789ab-1", position + "000"):
            stream = self.follow(self.bob, last=foreign)
            self.assertEqual(self.next(stream), ("resync", None, "hello.tasks"))

    def test_survives_reader_that_ignores_ten_thousand_changes(self):
        quick = self.follow(self.eve, "hello.tasks")
        slow = socket.create_connection((self.server.host, self.server.port))
        self.addCleanup(slow.close)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        cookie = "; ".join(f"{name}={value}" for name, value in self.eve.cookies.items())
        slow.sendall(f"GET /api/core/events?topics=hello.tasks HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\n\r\n".encode())
        self.assertIn(b"200", slow.recv(4096))

        def channels():
            metrics = self.ada.get("/metrics").body.decode()
            return [line for line in metrics.splitlines() if line.startswith("tenon_live_subscribers ")]

        self.assertTrue(eventually(lambda: channels() == ["tenon_live_subscribers 2"]), channels())
        batch = {"create": [{"title": "x" * 1000, "owner": self.bob.id, "open": True} for _ in range(40)]}
        response = self.bob.post("/api/hello/tasks/batch", batch)
        self.assertEqual(response.status, 200, response)
        tasks = {record["id"]: 0 for record in response.json()["create"]}
        for task in tasks:
            self.assertEqual(self.next(quick)[:2], ("create", task))
        for count in range(1, 251):
            batch = {"update": [{"id": task, "count": count} for task in tasks]}
            self.assertEqual(self.bob.post("/api/hello/tasks/batch", batch).status, 200)
            for task in tasks:
                action, changed, record = self.next(quick)
                self.assertEqual((action, changed, record["count"]), ("update", task, count))
        self.assertTrue(eventually(lambda: channels() == ["tenon_live_subscribers 1"]), channels())

    def test_ends_stream_and_position_when_permissions_change(self):
        max_user = self.client_of("max")
        stream = self.follow(max_user)
        task = self.create(self.bob)
        response = self.ada.patch(f"/api/core/users/{max_user.id}", {"role": "admin"})
        self.assertEqual(response.status, 200, response)
        self.assertIsNone(self.next(stream))
        again = self.follow(max_user, last=stream.position)
        self.assertEqual(self.next(again), ("resync", None, "hello.tasks"))
        self.change(self.bob, task, title="seen")
        self.assertEqual(self.next(again)[:2], ("update", task))
        self.assertEqual(self.ada.patch(f"/api/core/users/{max_user.id}", {"disabled": True}).status, 200)
        self.assertIsNone(self.next(again))

    def test_sends_changes_to_current_group_members_only(self):
        stream = self.follow(self.eve)
        team = self.ada.post("/api/core/groups", {"name": "Live"}).json()["id"]
        response = self.ada.post(f"/api/core/groups/{team}/members", {"add": [self.eve.id]})
        self.assertEqual(response.status, 200, response)
        self.assertIsNone(self.next(stream))
        inside = self.follow(self.eve, last=stream.position)
        self.assertEqual(self.next(inside), ("resync", None, "hello.tasks"))
        task = self.create(self.bob, team=team)
        self.assertEqual(self.next(inside)[:2], ("create", task))
        self.ada.post(f"/api/core/groups/{team}/members", {"remove": [self.eve.id]})
        self.assertIsNone(self.next(inside))
        outside = self.follow(self.eve, last=inside.position)
        self.assertEqual(self.next(outside), ("resync", None, "hello.tasks"))
        self.change(self.bob, task, title="not for her")
        shown = self.create(self.bob, open=True)
        self.assertEqual(self.next(outside)[:2], ("create", shown))

    def test_resyncs_when_plugin_returns(self):
        stream = self.follow(self.bob, "hello.*")
        self.assertEqual(self.ada.post("/api/core/plugins/hello/disable").status, 200)
        self.assertEqual(self.ada.post("/api/core/plugins/hello/enable").status, 200)
        self.assertEqual({self.next(stream), self.next(stream)},
                         {("resync", None, "hello.tasks"), ("resync", None, "hello.labels")})
        task = self.create(self.bob)
        self.assertEqual(self.next(stream)[:2], ("create", task))
