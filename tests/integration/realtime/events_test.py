"""Events that a plugin tells, in the real server: who hears them, when, and what comes of a plugin that comes and goes."""

import urllib.parse

from tenon import BOTH_IN_FULL, BUILD, PASSWORD, Client, TenonTest

ZOO = BUILD / "tests/plugins/zoo/tells_and_finds"


class Events(TenonTest):
    engines = BOTH_IN_FULL
    arguments = ("--plugins", str(ZOO))
    url = "/api/tells-and-finds"

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

    def listen(self, client, topics="tells-and-finds.news"):
        """An open stream that has greeted: what is told later comes."""
        stream = client.events(topics)
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)
        self.assertEqual(stream.next()["event"], "hello")
        return stream

    def heard(self, *streams):
        """Of each stream the data of what came before all of them are told an end."""
        self.tell("news", '"end"')
        all_data = []
        for stream in streams:
            data = []
            while not data or data[-1] != "end":
                event = stream.next()
                if event.get("event", "").startswith("tells-and-finds."):
                    data.append(event["data"])
            all_data.append(data[:-1])
        return all_data

    def post(self, path, body, client=None):
        return (client or self.ada).post(f"{self.url}/{path}", body.encode(), headers={"Content-Type": "text/plain"})

    def tell(self, topic, data, **named):
        response = self.post(f"tell/{topic}?{urllib.parse.urlencode(named)}", data)
        self.assertEqual(response.status, 204, response)

    def test_everybody_who_listens_hears(self):
        bob, eve = self.listen(self.bob), self.listen(self.eve, "core.plugins,tells-and-finds.*")
        other = self.listen(self.eve, "tells-and-finds.boards,core.plugins")
        self.tell("news", '{\n"n":\r\n[1, "a\\nb"]}')
        self.tell("news", "")
        self.assertEqual(self.ada.get(f"{self.url}/inline").status, 204)
        told = [{"n": [1, "a\nb"]}, None, "inline"]
        self.assertEqual(self.heard(bob, eve), [told, told])
        # Another topic of the plugin, of records, hears of records alone.
        made = self.ada.post(f"{self.url}/boards", {"name": "a"})
        self.assertEqual(made.status, 201)
        event = other.next("tells-and-finds.boards")
        self.assertEqual((event["data"]["action"], event["data"]["id"]), ("create", made.json()["id"]))

    def test_named_people_and_groups_alone_hear(self):
        group = self.ada.post("/api/core/groups", {"name": "Team"}).json()["id"]
        response = self.ada.post(f"/api/core/groups/{group}/members", {"add": [self.eve.id]})
        self.assertEqual(response.status, 200, response)
        eve = self.signed_in("eve")
        streams = [self.listen(client) for client in (self.ada, self.bob, eve)]
        self.tell("news", "1", users=self.bob.id)
        self.tell("news", "2", groups=group)
        self.tell("news", "3", users=f"{self.bob.id},{self.eve.id}", groups=group)
        self.tell("news", "4", users="nobody")
        self.tell("news", "5", users="")
        self.assertEqual(self.heard(*streams), [[], [1, 3], [2, 3]])

    def test_a_topic_with_a_permission_is_for_those_who_have_it(self):
        ada, bob = self.listen(self.ada, "tells-and-finds.*"), self.listen(self.bob, "tells-and-finds.inside,tells-and-finds.news")
        self.tell("inside", "1")
        self.tell("inside", "2", users=self.bob.id)
        self.assertEqual(self.heard(ada, bob), [[1], []])

    def test_a_transaction_tells_when_it_is_on_disk(self):
        bob = self.listen(self.bob)
        self.assertEqual(self.post("commit", '"after"').status, 204)
        self.assertEqual(self.post("commit?undo=true", '"never"').status, 204)
        self.assertEqual(self.post("queued", '"queued"').status, 204)
        self.assertEqual(self.post("queued?undo=true", '"never"').status, 409)
        self.assertEqual(self.heard(bob), [["before", "after", "before", "queued"]])

    def test_the_transaction_of_a_write_tells_nothing(self):
        bob = self.listen(self.bob)
        response = self.ada.post(f"{self.url}/boards", {"name": "tell me"})
        self.assertEqual(response.status, 500, response)
        self.assertEqual([board for board in self.ada.get(f"{self.url}/boards").json()["items"] if board["name"] == "tell me"], [])
        self.assertEqual(self.heard(bob), [[]])

    def test_what_is_told_wrongly_is_refused(self):
        # A plugin's own fault is nobody else's business.
        self.assert_problem(self.post("tell/other", "1"), 500, "plugin.failed")
        self.assert_logged("events.undeclared_topic")
        for path, body, status, code in (
                ("tell/news", "{", 400, "json.invalid"),
                ("tell/news", '"' + "a" * 16383 + '"', 413, "events.too_large")):
            response = self.post(path, body)
            self.assertEqual((response.status, response.json()["code"]), (status, code), response)
        self.assert_problem(self.bob.get("/api/core/events?topics=tells-and-finds.other"), 404, "events.unknown_topic")

    def test_a_plugin_that_comes_and_goes(self):
        bob = self.listen(self.bob)
        for what in ("disable", "enable"):
            self.assertEqual(self.ada.post(f"/api/core/plugins/tells-and-finds/{what}").status, 200)
            if what == "disable":
                early = self.listen(self.eve, "tells-and-finds.news,tells-and-finds.*")
        self.tell("news", "1")
        self.assertEqual(self.heard(bob, early), [[1], [1]])
