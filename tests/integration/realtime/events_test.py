"""Events that a plugin publishes, in the real server: who receives them, when, and what happens when the plugin stops and starts."""

import urllib.parse

from tenon import BOTH_IN_FULL, BUILD, PASSWORD, Client, TenonTest

ZOO = BUILD / "tests/plugins/zoo/events_and_search"


class Events(TenonTest):
    engines = BOTH_IN_FULL
    arguments = ("--plugins", str(ZOO))
    url = "/api/events-and-search"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ada = Client(cls.server).sign_in("ada")
        for login in ("bob", "eve"):
            user = {"login": login, "name": login.title(), "role": "member", "password": PASSWORD}
            assert ada.post("/api/core/users", user).status == 201
        ada.close()

    def signed_in(self, login):
        client = Client(self.server).sign_in(login)
        self.addCleanup(client.close)
        client.id = client.get("/api/core/session").json()["user"]["id"]
        return client

    def setUp(self):
        self.ada, self.bob, self.eve = map(self.signed_in, ("ada", "bob", "eve"))

    def listen(self, client, topics="events-and-search.news"):
        """Opens a stream and waits for its greeting: later events arrive."""
        stream = client.events(topics)
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)
        self.assertEqual(stream.next()["event"], "hello")
        return stream

    def heard(self, *streams):
        """Publishes an end marker; returns for each stream the data of the events before it."""
        self.publish("news", '"end"')
        all_data = []
        for stream in streams:
            data = []
            while not data or data[-1] != "end":
                event = stream.next()
                if event.get("event", "").startswith("events-and-search."):
                    data.append(event["data"])
            all_data.append(data[:-1])
        return all_data

    def post(self, path, body, client=None):
        return (client or self.ada).post(f"{self.url}/{path}", body.encode(), headers={"Content-Type": "text/plain"})

    def publish(self, topic, data, **named):
        response = self.post(f"publish/{topic}?{urllib.parse.urlencode(named)}", data)
        self.assertEqual(response.status, 204, response)

    def test_sends_to_every_subscriber(self):
        bob, eve = self.listen(self.bob), self.listen(self.eve, "core.plugins,events-and-search.*")
        other = self.listen(self.eve, "events-and-search.boards,core.plugins")
        self.publish("news", '{\n"n":\r\n[1, "a\\nb"]}')
        self.publish("news", "")
        self.assertEqual(self.ada.get(f"{self.url}/inline").status, 204)
        published = [{"n": [1, "a\nb"]}, None, "inline"]
        self.assertEqual(self.heard(bob, eve), [published, published])
        # Another topic of the plugin, of records, hears of records alone.
        made = self.ada.post(f"{self.url}/boards", {"name": "a"})
        self.assertEqual(made.status, 201)
        event = other.next("events-and-search.boards")
        self.assertEqual((event["data"]["action"], event["data"]["id"]), ("create", made.json()["id"]))

    def test_sends_to_named_users_and_groups_only(self):
        group = self.ada.post("/api/core/groups", {"name": "Team"}).json()["id"]
        response = self.ada.post(f"/api/core/groups/{group}/members", {"add": [self.eve.id]})
        self.assertEqual(response.status, 200, response)
        eve = self.signed_in("eve")
        streams = [self.listen(client) for client in (self.ada, self.bob, eve)]
        self.publish("news", "1", users=self.bob.id)
        self.publish("news", "2", groups=group)
        self.publish("news", "3", users=f"{self.bob.id},{self.eve.id}", groups=group)
        self.publish("news", "4", users="unknown")
        self.publish("news", "5", users="")
        self.assertEqual(self.heard(*streams), [[], [1, 3], [2, 3]])

    def test_requires_permission_of_topic(self):
        ada, bob = self.listen(self.ada, "events-and-search.*"), self.listen(self.bob, "events-and-search.inside,events-and-search.news")
        self.publish("inside", "1")
        self.publish("inside", "2", users=self.bob.id)
        self.assertEqual(self.heard(ada, bob), [[1], []])

    def test_publishes_after_transaction_is_on_disk(self):
        bob = self.listen(self.bob)
        self.assertEqual(self.post("commit", '"after"').status, 204)
        self.assertEqual(self.post("commit?undo=true", '"never"').status, 204)
        self.assertEqual(self.post("queued", '"queued"').status, 204)
        self.assertEqual(self.post("queued?undo=true", '"never"').status, 409)
        self.assertEqual(self.heard(bob), [["before", "after", "before", "queued"]])

    def test_publishes_nothing_from_transaction_of_a_write(self):
        bob = self.listen(self.bob)
        response = self.ada.post(f"{self.url}/boards", {"name": "publish"})
        self.assertEqual(response.status, 500, response)
        self.assertEqual([board for board in self.ada.get(f"{self.url}/boards").json()["items"] if board["name"] == "publish"], [])
        self.assertEqual(self.heard(bob), [[]])

    def test_rejects_invalid_events(self):
        # The plugin's own mistake affects no other plugin.
        self.assert_problem(self.post("publish/other", "1"), 500, "plugin.failed")
        self.assert_logged("events.undeclared_topic")
        for path, body, status, code in (
                ("publish/news", "{", 400, "json.invalid"),
                ("publish/news", '"' + "a" * 16383 + '"', 413, "events.too_large")):
            response = self.post(path, body)
            self.assertEqual((response.status, response.json()["code"]), (status, code), response)
        self.assert_problem(self.bob.get("/api/core/events?topics=events-and-search.other"), 404, "events.unknown_topic")

    def test_follows_plugin_that_stops_and_starts(self):
        bob = self.listen(self.bob)
        for what in ("disable", "enable"):
            self.assertEqual(self.ada.post(f"/api/core/plugins/events-and-search/{what}").status, 200)
            if what == "disable":
                early = self.listen(self.eve, "events-and-search.news,events-and-search.*")
        self.publish("news", "1")
        self.assertEqual(self.heard(bob, early), [[1], [1]])
