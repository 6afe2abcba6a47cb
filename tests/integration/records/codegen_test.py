"""Typed tables of a plugin in the real server: what its C++ reads and writes, for itself and by the rules of the tables."""

import base64
import uuid

from tenon import BOTH_IN_FULL, BUILD, PASSWORD, TenonTest, eventually, tenon

CREATE, UPDATE, REMOVE = 1, 2, 4


class TypedTables(TenonTest):
    engines = BOTH_IN_FULL
    plugins = BUILD / "tests/plugins/typed"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        done = tenon("user", "add", "bob", "--role", "member", "--password-stdin", "--data", cls.server.data, stdin=PASSWORD + "\n")
        assert done.returncode == 0, done.stderr

    def setUp(self):
        self.ada, self.bob = self.client("ada"), self.client("bob")
        self.me = self.user_of(self.ada)

    @staticmethod
    def user_of(client):
        return client.get("/api/core/session").json()["user"]["id"]

    def create(self, client=None, **fields):
        return (client or self.ada).post("/api/typed/typed-cards", {"title": uuid.uuid4().hex[:20], **fields})

    def made(self, **fields):
        response = self.create(**fields)
        self.assertEqual(response.status, 201, response)
        return response.json()

    def fields_of(self, response, status=422, code="records.validation"):
        self.assert_problem(response, status, code)
        return [(one["field"], one["code"]) for one in response.json()["errors"]]

    def titles(self, client, query=""):
        return [one["title"] for one in client.get("/api/typed/typed-cards" + query).json()["items"]]

    def test_reads_as_the_plugin(self):
        response = self.ada.post(f"/api/typed/typed-checks/{self.user_of(self.bob)}")
        self.assertEqual(response.status, 200, response)
        self.assertEqual(response.json()["failed"], [])
        self.assertGreater(response.json()["count"], 140)

    def test_creates_changes_and_deletes_card(self):
        label = self.ada.post("/api/typed/typed-labels", {"name": "red"}).json()["id"]
        card = self.made(labels=[label], owner=self.me)
        self.assertEqual((card["labels"], card["created_by"], card["version"], card["stamp"]),
                         ([label], self.me, 1, f"by {self.me}"))
        self.assertIn(card, self.ada.get("/api/typed/typed-cards").json()["items"])
        path = f"/api/typed/typed-cards/{card['id']}"
        done = self.ada.patch(path, {"version": 1, "state": "done"})
        self.assertEqual((done.status, done.json()["state"], done.json()["version"]), (200, "done", 2), done)
        self.assertNotIn(card["title"], self.titles(self.ada))
        late = self.ada.patch(path, {"version": 1, "title": "late"})
        self.assert_problem(late, 412, "records.conflict")
        self.assertEqual(late.json()["record"]["title"], card["title"])
        self.assertEqual(self.ada.delete(path).status, 204)
        self.assert_problem(self.ada.delete(path), 404, "records.not_found")

    def test_applies_rules_of_the_caller(self):
        card = self.made(owner=self.me)
        path = f"/api/typed/typed-cards/{card['id']}"
        self.assertIn(card["title"], self.titles(self.ada))
        self.assertNotIn(card["title"], self.titles(self.bob))
        self.assert_problem(self.bob.patch(path, {"version": 1, "title": "bob's"}), 404, "records.not_found")
        free = self.made()
        self.assertIn(free["title"], self.titles(self.bob))
        self.assert_problem(self.bob.delete(f"/api/typed/typed-cards/{free['id']}"), 403, "records.forbidden")

    def test_binds_text_as_value_in_filters(self):
        mark = uuid.uuid4().hex[:8]
        self.made(title=mark + " it's %")
        self.made(title=mark + " plain")
        for part, found in ((mark, 2), (mark + " it%27s", 1), (mark + "%25", 0), (mark + " it%27s %25", 1), (mark + "_", 0),
                            ("%27 or %271%27 = %271", 0), (mark + "%27 or title like %27%25", 0), ("%5C", 0), ("?", 0)):
            with self.subTest(part=part):
                titles = self.titles(self.ada, "?title=" + part.replace(" ", "%20"))
                self.assertEqual(len([one for one in titles if mark in one]), found, titles)

    def test_continues_list_at_cursor(self):
        mark = uuid.uuid4().hex[:8]
        wanted = [self.made(title=f"{mark} {number}")["title"] for number in range(3)][::-1]
        found, cursor = [], ""
        while True:
            page = self.ada.get(f"/api/typed/typed-cards?title={mark}&limit=2&cursor={cursor}").json()
            found += [one["title"] for one in page["items"]]
            cursor = page["next"]
            if not cursor:
                break
        self.assertEqual(found, wanted)
        self.assert_problem(self.ada.get("/api/typed/typed-cards?cursor=nonsense"), 400, "records.bad_cursor")

    def test_names_invalid_fields(self):
        self.assertEqual(self.fields_of(self.create(title="x" * 21, labels=[str(uuid.uuid4())])),
                         [("title", "too_long"), ("labels", "reference")])

    def test_passes_record_to_callback_before_write(self):
        rest = "/api/typed/cards"
        self.assertEqual(self.fields_of(self.create(title="TODO")), [("title", "vague")])
        self.assertEqual(self.fields_of(self.ada.post(rest, {"title": "TODO", "owner": self.me})), [("title", "vague")])
        # One field is the default, then set; then each comes of another write.
        self.assertEqual(self.fields_of(self.ada.post(rest, {"title": "due", "owner": self.me})), [("points", "too_few")])
        card = self.ada.post(rest, {"title": "due", "points": 2, "owner": self.me}).json()
        self.assertEqual(card["stamp"], f"by {self.me}")
        self.assertEqual(self.fields_of(self.ada.patch(f"{rest}/{card['id']}", {"points": 1})), [("points", "too_few")])
        self.assertEqual(self.ada.patch(f"{rest}/{card['id']}", {"title": "fixed", "points": 1}).status, 200)
        self.assertEqual(self.fields_of(self.ada.patch(f"{rest}/{card['id']}", {"title": "other"})), [("title", "fixed")])
        self.assertEqual(self.ada.patch(f"{rest}/{card['id']}", {"points": 5}).status, 200)
        locked = self.ada.post(rest, {"title": "locked", "owner": self.me}).json()
        self.assert_problem(self.ada.delete(f"{rest}/{locked['id']}"), 409, "typed.locked")
        labelled = self.ada.post(rest, {"title": "labelled", "owner": self.me}).json()
        self.assertEqual(len(labelled["labels"]), 1, labelled)

    def test_passes_record_to_callback_after_write(self):
        first = self.made(owner=self.me)
        path = f"/api/typed/typed-cards/{first['id']}"
        title = uuid.uuid4().hex[:20]
        self.ada.patch(path, {"version": 1, "title": title})
        second = self.made(owner=self.me)
        self.ada.delete(f"/api/typed/typed-cards/{second['id']}")

        def changes_of(card):
            return [(one["act"], one["title"]) for one in self.ada.get("/api/typed/typed-changes").json()["changes"]
                    if one["id"] == card["id"]]
        eventually(lambda: changes_of(second)[-1:] == [(REMOVE, None)])
        self.assertEqual([act for act, _ in changes_of(first)], [CREATE, UPDATE])
        self.assertEqual(changes_of(first)[-1], (UPDATE, title))

    def test_turns_upload_into_file_of_record(self):
        tus = {"Tus-Resumable": "1.0.0"}
        made = self.ada.post("/api/typed/blobs", headers={
            **tus, "Upload-Length": "5", "Upload-Metadata": "filename " + base64.b64encode(b"a.txt").decode()})
        self.assertEqual(made.status, 201, made)
        where = made.headers["location"]
        uploaded = self.ada.patch(where, b"hello", headers={
            **tus, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"})
        self.assertEqual(uploaded.status, 204, uploaded)
        card = self.create(upload=where.rsplit("/", 1)[1])
        self.assertEqual((card.status, card.json().get("cover")), (201, "a.txt"), card)
        self.assertEqual(self.ada.get(f"/api/typed/cards/{card.json()['id']}/cover").body, b"hello")
