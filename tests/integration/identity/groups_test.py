"""Groups in the real server: who belongs to one sees its records with the next request, and after a restart."""

import json
import urllib.parse

from tables_case import TablesTest
from tenon import core_rows

TABLES = {"tables": [
    {"name": "plans", "publish": True,
     "rules": {"read": "owner = @user or team in @groups", "create": "true"},
     "fields": [{"name": "title", "type": "text", "required": True},
                {"name": "owner", "type": "user", "writable": True},
                {"name": "team", "type": "reference", "table": "core:groups", "writable": True}]},
]}


class Groups(TablesTest):
    TABLES = TABLES
    MEMBERS = {"bob": "Bob Kahn"}

    def setUp(self):
        self.ada, self.bob = self.client_of("ada"), self.client_of("bob")

    def make(self, name, **fields):
        response = self.ada.post("/api/core/groups", {"name": name, **fields})
        self.assertEqual(response.status, 201, response)
        self.addCleanup(self.ada.delete, response.headers["location"])
        return response.json()

    def change(self, group, **members):
        response = self.ada.post(f"/api/core/groups/{group['id']}/members", members)
        self.assertEqual(response.status, 200, response)
        return response.json()

    def plan(self, title, group):
        response = self.ada.post("/api/hello/plans", {"title": title, "team": group["id"]})
        self.assertEqual(response.status, 201, response)

    def titles(self, client):
        response = client.get("/api/hello/plans?sort=title")
        self.assertEqual(response.status, 200, response)
        return [item["title"] for item in response.json()["items"]]

    def test_shows_shared_records_to_members_at_once(self):
        board, press = self.make("Board"), self.make("Press")
        self.plan("a budget", board)
        self.plan("an interview", press)
        self.assertEqual(self.titles(self.bob), [])
        self.change(board, add=[self.bob.id])
        self.assertEqual(self.titles(self.bob), ["a budget"])
        self.change(press, add=[self.bob.id, self.ada.id])
        self.assertEqual(self.titles(self.bob), ["a budget", "an interview"])
        self.assertEqual(self.titles(self.ada), ["an interview"])
        self.change(board, remove=[self.bob.id])
        self.assertEqual(self.titles(self.bob), ["an interview"])
        self.ada.delete(f"/api/core/groups/{press['id']}")
        self.assertEqual(self.titles(self.bob), [])

    def test_supports_groups_in_filters(self):
        crew = self.make("Crew")
        self.change(crew, add=[self.bob.id])
        self.plan("a voyage", crew)
        asked = urllib.parse.quote("team in @groups and title like 'a v%'")
        items = self.bob.get(f"/api/hello/plans?filter={asked}").json()["items"]
        self.assertEqual([item["team"] for item in items], [crew["id"]])

    def test_keeps_members_after_server_is_killed(self):
        lasting = self.make("Lasting")
        self.change(lasting, add=[self.bob.id])
        self.plan("a bridge", lasting)
        self.server.kill()
        self.server.start()
        for client in (self.ada, self.bob):
            client.close()
        self.assertEqual(self.titles(self.bob), ["a bridge"])
        self.assertEqual(self.ada.get(f"/api/core/groups/{lasting['id']}").json()["members"], 1)

    def test_rejects_duplicate_name_in_any_case(self):
        self.make("Équipe", description="Neuf à cinq")
        problem = self.assert_problem(self.ada.post("/api/core/groups", {"name": " ÉQUIPE"}), 409, "identity.group_name_taken")
        self.assertEqual(problem["errors"][0]["field"], "name")

    def test_lets_members_find_names_only(self):
        group = self.make("Kahnites")
        people = self.bob.get("/api/core/people?q=kahn").json()
        self.assertEqual(people, {"items": [{"kind": "group", "id": group["id"], "name": "Kahnites"},
                                            {"kind": "user", "id": self.bob.id, "name": "Bob Kahn"}], "next": None})
        self.assert_problem(self.bob.get("/api/core/groups"), 403, "identity.forbidden")
        self.assert_problem(self.client().get("/api/core/people"), 401, "identity.signed_out")

    def test_writes_changes_to_audit_record(self):
        group = self.make("Recorded")
        self.change(group, add=[self.bob.id])
        rows = core_rows(self.server, f"SELECT action, actor, details FROM identity_audit WHERE object = '{group['id']}' ORDER BY id")
        self.assertEqual([(action, actor, json.loads(details)) for action, actor, details in rows],
                         [("groups.created", self.ada.id, {"name": "Recorded"}),
                          ("groups.members_changed", self.ada.id, {"added": [self.bob.id]})])
