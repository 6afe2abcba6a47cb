"""Presence on a record, in the real server: sent to users who may read it, gone with the channel."""

import json
import pathlib
import shutil
import tempfile

from tenon import BOTH_IN_FULL, BUILD, Client, TenonTest, eventually, tenon

TABLES = {"tables": [
    {"name": "tasks", "publish": True, "rules": {"read": "open or owner = @user", "create": "true", "update": "true"},
     "fields": [{"name": "title", "type": "text", "required": True}, {"name": "owner", "type": "user", "writable": True},
                {"name": "open", "type": "boolean", "required": True, "default": False, "writable": True}]}]}


class Presence(TenonTest):
    engines = BOTH_IN_FULL

    @classmethod
    def setUpClass(cls):
        cls.plugins = pathlib.Path(tempfile.mkdtemp(prefix="tenon-presence-"))
        cls.addClassCleanup(shutil.rmtree, cls.plugins, ignore_errors=True)
        source = next((BUILD / "tests/plugins/hello").rglob("plugin.json")).parent
        shutil.copytree(source, cls.plugins / "hello")
        (cls.plugins / "hello/tables.json").write_text(json.dumps(TABLES))
        super().setUpClass()
        for login in ("bob", "eve"):
            done = tenon("user", "add", login, "--role", "member", "--password-stdin", "--data", cls.server.data,
                         stdin="correct horse battery\n")
            assert done.returncode == 0, done.stderr

    def setUp(self):
        self.bob, self.eve, self.ada = map(self.client_of, ("bob", "eve", "ada"))

    def client_of(self, login):
        client = Client(self.server).sign_in(login)
        self.addCleanup(client.close)
        client.id = client.get("/api/core/session").json()["user"]["id"]
        return client

    def open(self, client, topics="presence"):
        stream = client.events(topics)
        self.addCleanup(stream.close)
        hello = stream.next()
        self.assertEqual(hello["event"], "hello")
        stream.channel = hello["data"]["channel"]
        return stream

    def task(self, client, **fields):
        response = client.post("/api/hello/tasks", {"title": "a", "owner": client.id, **fields})
        self.assertEqual(response.status, 201, response)
        return response.json()["id"]

    @staticmethod
    def look(client, stream, task, **more):
        return client.put("/api/core/presence",
                          {"channel": stream.channel, "plugin": "hello", "table": "tasks", "id": task, **more})

    def people(self, stream, expected):
        """Reads until the stream says that these look too."""
        while True:
            event = stream.next()
            self.assertIsNotNone(event)
            if event.get("event") != "presence":
                continue
            if [person["name"] for person in event["data"]["people"]] == expected:
                return event["data"]

    def test_shows_viewers_until_channel_ends(self):
        task = self.task(self.bob, open=True)
        bob, eve = self.open(self.bob), self.open(self.eve, "core.plugins,presence,hello.tasks")
        self.assertEqual(self.look(self.bob, bob, task).status, 204)
        self.people(bob, [])
        self.assertEqual(self.look(self.eve, eve, task, state="editing").status, 204)
        received = self.people(bob, ["eve"])
        self.assertEqual({**received, "people": [sorted(received["people"][0])]},
                         {"plugin": "hello", "table": "tasks", "id": task, "people": [["hue", "name", "state"]], "total": 1})
        self.people(eve, ["bob"])
        eve.close()
        self.people(bob, [])
        again = self.open(self.eve)
        self.look(self.eve, again, task)
        self.people(bob, ["eve"])
        gone = self.eve.delete(f"/api/core/presence?channel={again.channel}&plugin=hello&table=tasks&id={task}")
        self.assertEqual(gone.status, 204)
        self.people(bob, [])
        self.assertIsNone(self.server.process.poll())

    def test_hides_presence_from_users_without_access(self):
        task = self.task(self.bob)
        bob, eve = self.open(self.bob), self.open(self.eve)
        self.look(self.bob, bob, task)
        self.assert_problem(self.look(self.eve, eve, task), 404, "records.not_found")
        self.assert_problem(self.look(self.eve, eve, "no-such-record"), 404, "records.not_found")
        # The first event on her channel is of a record that she may read.
        own = self.task(self.eve)
        self.assertEqual(self.look(self.eve, eve, own).status, 204)
        self.assertEqual(eve.next()["data"]["id"], own)
        # A record that is taken out of her sight takes her out of its people's.
        opened = self.task(self.bob, open=True)
        self.look(self.eve, eve, opened)
        self.look(self.bob, bob, opened)
        self.people(eve, ["bob"])
        self.assertEqual(self.bob.patch(f"/api/hello/tasks/{opened}", {"open": False}).status, 200)
        self.look(self.bob, bob, opened, state="editing")
        self.people(eve, [])
        self.assert_problem(self.look(self.eve, eve, opened), 404, "records.not_found")

    def test_ends_with_the_session(self):
        task = self.task(self.bob, open=True)
        bob, eve = self.open(self.bob), self.open(self.eve)
        self.look(self.bob, bob, task)
        self.look(self.eve, eve, task)
        self.people(bob, ["eve"])
        self.assertEqual(self.eve.delete("/api/core/session").status, 204)
        self.people(bob, [])

    def test_rejects_invalid_requests(self):
        task = self.task(self.bob, open=True)
        bob = self.open(self.bob)
        self.assert_problem(self.look(self.eve, bob, task), 404, "presence.no_channel")
        self.assert_problem(self.look(self.bob, bob, task, state="Editing!"), 422, "presence.validation")
        self.assert_problem(self.look(self.bob, bob, task, more=1), 422, "presence.validation")
        self.assert_problem(self.bob.put("/api/core/presence", {"channel": bob.channel}), 422, "presence.validation")
        self.assert_problem(self.bob.delete("/api/core/presence?channel=x"), 404, "presence.no_channel")
        self.assertEqual(Client(self.server).put("/api/core/presence", {}).status, 401)
        plain = self.bob.events("core.plugins")
        self.addCleanup(plain.close)
        self.assertNotIn("channel", plain.next()["data"])

    def test_forgets_viewer_that_disappears(self):
        task = self.task(self.bob, open=True)
        bob, eve = self.open(self.bob), self.open(self.eve)
        self.look(self.bob, bob, task)
        self.look(self.eve, eve, task)
        eve.close()
        bob.close()
        self.assertTrue(eventually(lambda: "tenon_presence_looks 0" in self.ada.get("/metrics").body.decode()))
