"""Events of notes that change reach the users who may read them, and no others."""

import uuid

from notes_case import NotesTest


class Realtime(NotesTest):
    def setUp(self):
        super().setUp()
        users = {each["login"]: each for each in self.ada.get("/api/core/users").json()["items"]}
        self.bob_user = users.get("bob") or self.add_member("bob")
        self.bob = self.client("bob")

    def next_event(self, events, note):
        """The next event of this note."""
        while True:
            event = events.next("notes.news")
            if event["data"].get("id") == note["id"]:
                return event["data"]

    def follow(self, client):
        events = client.events("notes.news")
        self.addCleanup(events.close)
        events.next("hello")
        return events

    def test_sends_changes_to_readers_of_the_note(self):
        mine, theirs = self.follow(self.ada), self.follow(self.bob)
        hidden = self.create("Hidden")
        note = self.create("Shared")
        self.assertEqual("create", self.next_event(mine, hidden)["action"])
        self.share(note, "reader", "user", self.bob_user["id"])
        first = self.next_event(theirs, note)
        self.assertEqual("create", first["action"])
        self.assertEqual({"id", "version", "touched"}, set(first["record"]))
        self.save(self.note(note), text="two")
        second = self.next_event(theirs, note)
        self.assertEqual(("update", 2), (second["action"], second["record"]["version"]))
        self.call("PATCH", f"/notes/{note['id']}", {"tags": ["live"]})
        self.assertEqual("update", self.next_event(theirs, note)["action"])
        self.call("PUT", f"/notes/{note['id']}/shares", {"shares": []})
        self.assertEqual("delete", self.next_event(theirs, note)["action"])

    def readable(self, client):
        return {each["id"] for each in client.get("/api/notes/news?limit=200").json()["items"]}

    def test_sends_only_readable_fields(self):
        group = self.ada.post("/api/core/groups", {"name": f"Group {uuid.uuid4()}"}).json()
        self.ada.post(f"/api/core/groups/{group['id']}/members", {"add": [self.bob_user["id"]]})
        top = self.notebook(f"Top {uuid.uuid4()}")
        inside = self.notebook("Inside", top)
        deep, direct = self.create("Deep", notebook=inside["id"]), self.create("Direct")
        everybody = self.create("Everybody")
        self.assertEqual(set(), self.readable(self.bob) & {deep["id"], direct["id"], everybody["id"]})
        self.share(top, "reader", "group", group["id"], "notebooks")
        self.share(direct, "writer", "group", group["id"])
        self.share(everybody, "reader")
        for note in (deep, direct, everybody):
            self.assertIn(note["id"], self.readable(self.bob))
            self.assertEqual(200, self.response("GET", f"/notes/{note['id']}", client=self.bob).status)
        # Moved out, it is read no more; what Bob puts in is read by its owner.
        self.call("PATCH", f"/notebooks/{inside['id']}", {"parent": None})
        self.assertNotIn(deep["id"], self.readable(self.bob))
        self.share(inside, "writer", "user", self.bob_user["id"], "notebooks")
        theirs = self.call("POST", "/notes", {"title": "By bob", "notebook": inside["id"]}, 201, self.bob)
        self.assertLessEqual({theirs["id"], deep["id"]}, self.readable(self.ada) & self.readable(self.bob))
        self.call("PUT", f"/notebooks/{inside['id']}/shares", {"shares": []})
        self.assertNotIn(deep["id"], self.readable(self.bob))
        self.assertIn(theirs["id"], self.readable(self.bob))
        self.call("DELETE", f"/notebooks/{inside['id']}")
        self.assertNotIn(theirs["id"], self.readable(self.ada))

    def test_rejects_writing_news_by_rest(self):
        note = self.create("Safe")
        responses = [self.ada.patch(f"/api/notes/news/{note['id']}", {"version": 7}), self.ada.delete(f"/api/notes/news/{note['id']}"),
                   self.ada.post("/api/notes/news", {"version": 1})]
        self.assertEqual([403, 403, 403], [response.status for response in responses])
