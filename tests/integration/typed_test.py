"""Typed tables of a plugin in the real server: what its C++ writes and what the host refuses."""

import uuid

from tenon import BUILD, TenonTest


class TypedTables(TenonTest):
    plugins = BUILD / "tests/plugins/typed"

    def setUp(self):
        self.ada = self.client("ada")
        self.me = self.ada.get("/api/core/session").json()["user"]["id"]

    def create(self, **fields):
        return self.ada.post("/api/typed/typed-cards", {"title": uuid.uuid4().hex[:20], **fields})

    def test_a_card_is_made_finished_and_gone_from_the_list(self):
        label = self.ada.post("/api/typed/typed-labels", {"name": "red"}).json()["id"]
        card = self.create(labels=[label])
        self.assertEqual(card.status, 201, card)
        card = card.json()
        self.assertEqual((card["labels"], card["created_by"], card["version"]), ([label], self.me, 1))
        self.assertIn(card, self.ada.get("/api/typed/typed-cards").json()["items"])
        path = f"/api/typed/typed-cards/{card['id']}/finish"
        done = self.ada.post(path, {"version": 1})
        self.assertEqual((done.status, done.json()["state"], done.json()["version"]), (200, "done", 2), done)
        self.assertNotIn(card["id"], [one["id"] for one in self.ada.get("/api/typed/typed-cards").json()["items"]])
        self.assert_problem(self.ada.post(path, {"version": 1}), 412, "records.conflict")
        missing = f"/api/typed/typed-cards/{uuid.uuid4()}/finish"
        self.assert_problem(self.ada.post(missing, {"version": 1}), 404, "typed.not_found")

    def test_what_the_host_refuses_names_the_fields(self):
        for change, status, code, field in (
                ({"title": "x" * 21}, 422, "data.check", ("title", "invalid")),
                ({"labels": [str(uuid.uuid4())]}, 409, "data.reference", ("labels", "reference"))):
            with self.subTest(code=code):
                answer = self.create(**change)
                self.assert_problem(answer, status, code)
                self.assertEqual([(one["field"], one["code"]) for one in answer.json()["errors"]], [field])
                self.assertNotIn("constraint", answer.json()["detail"])
