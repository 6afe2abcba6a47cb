"""Access to notes: every route for a guest, a member and the admin."""

import uuid

from notes_case import API, NotesTest

UNKNOWN_ID = str(uuid.UUID(int=7))

# Method, path, body, and what a member and the admin get; a guest gets 401 everywhere.
ROUTES = [
    ("GET", "/notes", None, 200),
    ("POST", "/notes", {"title": "A"}, 201),
    ("GET", f"/notes/{UNKNOWN_ID}", None, 404),
    ("PATCH", f"/notes/{UNKNOWN_ID}", {"pinned": True}, 404),
    ("DELETE", f"/notes/{UNKNOWN_ID}", None, 404),
    ("POST", f"/notes/{UNKNOWN_ID}/restore", None, 404),
    ("GET", f"/notes/{UNKNOWN_ID}/markdown", None, 404),
    ("GET", f"/notes/{UNKNOWN_ID}/revisions", None, 404),
    ("GET", f"/notes/{UNKNOWN_ID}/revisions/{UNKNOWN_ID}", None, 404),
    ("POST", f"/notes/{UNKNOWN_ID}/revisions/{UNKNOWN_ID}/restore", None, 404),
    ("DELETE", "/trash", None, 200),
    ("GET", "/notebooks", None, 200),
    ("POST", "/notebooks", {"name": ""}, 422),
    ("PATCH", f"/notebooks/{UNKNOWN_ID}", {"name": "B"}, 404),
    ("DELETE", f"/notebooks/{UNKNOWN_ID}", None, 404),
    ("GET", "/tags", None, 200),
    ("PATCH", f"/tags/{UNKNOWN_ID}", {"name": "b"}, 404),
    ("DELETE", f"/tags/{UNKNOWN_ID}", None, 404),
    ("GET", "/search?q=a", None, 200),
    ("GET", "/suggest?q=a", None, 200),
    ("POST", "/import", {"import": UNKNOWN_ID, "files": []}, 200),
    ("GET", "/export", None, 200),
    ("POST", f"/notes/{UNKNOWN_ID}/attachments", {"id": UNKNOWN_ID, "blob": "0" * 64, "target": "a.png", "name": "a.png"}, 404),
    ("GET", f"/attachments/{UNKNOWN_ID}", None, 404),
    ("DELETE", f"/attachments/{UNKNOWN_ID}", None, 404),
    ("GET", f"/notes/{UNKNOWN_ID}/shares", None, 404),
    ("PUT", f"/notes/{UNKNOWN_ID}/shares", {"shares": []}, 404),
    ("GET", f"/notebooks/{UNKNOWN_ID}/shares", None, 404),
    ("PUT", f"/notebooks/{UNKNOWN_ID}/shares", {"shares": []}, 404),
]

# The host's own: for files that come in pieces, and for the published table.
HOST_ROUTES = 4 + 12


class Access(NotesTest):
    def test_checks_every_route_for_each_role(self):
        self.add_member("bob")
        secret = self.create("Secret of the house", "no other user may read this")
        clients = {"guest": self.client(), "member": self.client("bob"), "admin": self.ada}
        for who, client in clients.items():
            for method, path, body, status in ROUTES:
                with self.subTest(who=who, route=f"{method} {path}"):
                    response = client.request(method, API + path, body)
                    if who == "guest":
                        self.assert_problem(response, 401, "identity.signed_out")
                        self.assertNotIn(b"Secret", response.body)
                    else:
                        self.assertEqual(status, response.status, response)
        self.assertEqual(secret["text"], self.note(secret)["text"])

    def test_covers_every_route_in_table(self):
        plugin = next(each for each in self.ada.get("/api/core/plugins").json()["items"] if each["id"] == "notes")
        self.assertEqual(plugin["routes"], len(ROUTES) + HOST_ROUTES)

    def test_lets_member_edit_notes_shared_with_everyone(self):
        self.add_member("eve")
        note = self.create("Shared", "one")
        self.share(note)
        eve = self.client("eve")
        saved = self.call("PATCH", f"/notes/{note['id']}", {"text": "two"}, client=eve, If_Match='"1"')
        self.assertEqual(("Ada", "Eve"), (saved["author"]["name"], saved["editor"]["name"]))

    def test_rejects_writes_from_another_site(self):
        response = self.response("POST", "/notes", {"title": "Forged"}, Sec_Fetch_Site="cross-site")
        self.assertEqual(403, response.status)
        self.assertNotIn("Forged", self.titles())

    def test_returns_404_when_disabled_and_keeps_notes(self):
        note = self.create("Kept", "while away")
        self.assertEqual(200, self.ada.post("/api/core/plugins/notes/disable").status)
        for path in ("/notes", f"/notes/{note['id']}", "/export"):
            self.assert_problem(self.response("GET", path), 404, "plugins.not_active")
        self.assertEqual(200, self.ada.post("/api/core/plugins/notes/enable").status)
        self.assertEqual("while away", self.note(note)["text"])
        self.assertIn("Kept", self.found("away"))
