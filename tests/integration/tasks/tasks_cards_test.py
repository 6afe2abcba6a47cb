"""Additions of the plugin to its tables: activity by triggers, cards that repeat by a job, boards of Trello."""

import datetime
import json

from tasks_case import TasksTest
from tenon import core_rows, eventually

TRELLO = {
    "name": "Garden", "desc": "Beds and paths",
    "lists": [{"id": "l2", "name": "Doing", "pos": 2}, {"id": "l1", "name": "To do", "pos": 1.5},
              {"id": "l3", "name": "Old", "pos": 3, "closed": True}],
    "labels": [{"id": "g", "name": "", "color": "lime"}, {"id": "u", "name": "Urgent", "color": "red_dark"},
               {"id": "u2", "name": "Urgent", "color": None}],
    "cards": [
        {"id": "c2", "idList": "l1", "name": "Second", "pos": 20, "due": "2026-03-04T09:00:00.000Z", "idLabels": ["u", "gone"]},
        {"id": "c1", "idList": "l1", "name": "First", "pos": 10, "desc": "*Dig*", "idLabels": ["g", "u2"]},
        {"id": "c3", "idList": "l3", "name": "Once", "pos": 5}, {"id": "c4", "idList": "l2", "name": "é" * 600, "pos": 1},
        {"id": "c5", "idList": "gone", "name": "Nowhere", "pos": 1}],
    "checklists": [{"id": "k", "idCard": "c1", "name": "Steps", "checkItems": [
        {"name": "Rake", "state": "incomplete", "pos": 2}, {"name": "Spade", "state": "complete", "pos": 1}]}],
    "actions": [
        {"type": "commentCard", "date": "2026-02-02T10:00:00Z", "memberCreator": {"fullName": "Bo"},
         "data": {"text": "Later", "card": {"id": "c1"}}},
        {"type": "updateCard", "data": {}},
        {"type": "commentCard", "date": "2026-02-01T10:00:00Z", "memberCreator": {"fullName": "Al"},
         "data": {"text": "Earlier", "card": {"id": "c1"}}}],
}


class TasksCards(TasksTest):
    def test_records_activity_of_a_card(self):
        _, todo, done = self.board("To do", "Done")
        card = self.card(todo, "Write")
        where = {"board": card["board"], "card": card["id"]}
        self.change("cards", card, column=done["id"], position="a1")
        self.change("cards", card, title="Write it")
        self.change("cards", card, description="a")
        self.change("cards", card, description="ab")
        self.change("cards", card, due="2026-12-01")
        self.change("cards", card, archived="2026-12-02T00:00:00Z")
        self.change("cards", card, archived=None)
        item = self.make("checklist_items", **where, title="Ask", position="a0")
        self.change("checklist_items", item, done=True)
        self.assertEqual([
            ("made", None, "To do"), ("moved", "To do", "Done"), ("renamed", "Write", "Write it"), ("described", None, None),
            ("dated", None, "2026-12-01"), ("archived", None, None), ("restored", None, None), ("checked", None, "Ask")],
            self.happened(card))
        rows = self.all("activity", filter=f"card = '{card['id']}'")
        self.assertEqual({self.me(self.ada)}, {row["actor"] for row in rows})

    def test_sends_card_and_activity_events_to_viewers(self):
        _, todo, doing = self.board("To do", "Doing")
        card = self.card(todo, "Seen")
        with self.ada.events("tasks.cards,tasks.activity") as events:
            events.next("hello")
            self.change("cards", card, column=doing["id"])
            self.assertEqual(doing["id"], events.next("tasks.cards")["data"]["record"]["column"])
            activity = events.next("tasks.activity")["data"]["record"]
            self.assertEqual(("moved", "To do", "Doing"), (activity["kind"], activity["before"], activity["after"]))

    def repeat(self):
        """Has the plugin begin again after the time of a run, which is made up for."""
        self.assertEqual(200, self.ada.post("/api/core/plugins/tasks/disable").status)
        core_rows(self.server, "UPDATE jobs_schedules SET next_ms = next_ms - 3600000 WHERE plugin = 'tasks' AND name = 'repeat'")
        self.assertEqual(200, self.ada.post("/api/core/plugins/tasks/enable").status)

    def copies(self, board, count):
        cards = eventually(lambda: len(found := self.of_board("cards", board, sort="created")) == count and found)
        self.assertTrue(cards, self.of_board("cards", board))
        return cards

    def test_repeats_card_on_its_day(self):
        today = datetime.datetime.now(datetime.timezone.utc).date()
        board, todo, done = self.board("To do", "Done")
        label = self.make("labels", board=board["id"], name="Chore")
        card = self.card(done, "Water", description="All of it", labels=[label["id"]], assignees=[self.me(self.ada)],
                         due="2020-01-06", repeat="weekly", repeats="2020-01-13", repeat_column=todo["id"])
        self.make("checklist_items", board=board["id"], card=card["id"], title="Can", position="a0", done=True)
        self.card(todo, "Later", repeat="daily", repeats=str(today + datetime.timedelta(days=2)))
        self.repeat()
        copy = self.copies(board, 3)[2]
        self.assertEqual(("Water", "All of it", todo["id"], [label["id"]], [self.me(self.ada)], "weekly", None),
                         tuple(copy[name] for name in (
                             "title", "description", "column", "labels", "assignees", "repeat", "created_by")))
        # The last Monday, and the next one.
        due, repeats = (datetime.date.fromisoformat(copy[name]) for name in ("due", "repeats"))
        self.assertEqual((0, 7), (due.weekday(), (repeats - due).days))
        self.assertGreater(repeats, due)
        self.assertLessEqual(due, datetime.datetime.now(datetime.timezone.utc).date())
        items = self.all("checklist_items", filter=f"card = '{copy['id']}'")
        self.assertEqual([("Can", False)], [(item["title"], item["done"]) for item in items])
        before = self.read("cards", card)
        self.assertEqual((None, None, None), (before["repeat"], before["repeats"], before["repeat_column"]))
        self.assertEqual([("made", None, "To do")], self.happened(copy))

    def test_repeats_monthly_and_skips_archived_boards(self):
        board, todo = self.board("To do")
        away, shelf = self.board("Shelf", archived="2026-01-01T00:00:00Z")
        days = {"yearly": "2096-02-29", "monthly": "2024-01-31", "weekdays": "2024-01-05"}
        self.card(shelf, "Resting", repeat="daily", repeats="2024-01-01")
        for repeat, day in days.items():
            self.card(todo, repeat, repeat=repeat, repeats=day)
        self.repeat()
        cards = self.copies(board, 5)
        copies = {card["title"]: card for card in cards if card["created_by"] is None}
        self.assertEqual({"monthly", "weekdays"}, set(copies))
        self.assertLess(datetime.date.fromisoformat(copies["weekdays"]["repeats"]).weekday(), 5)
        self.assertIn(datetime.date.fromisoformat(copies["monthly"]["repeats"]).day, (28, 29))
        self.assertEqual(1, len(self.of_board("cards", away)))

    def test_imports_board_from_trello(self):
        board, ended = self.import_trello(TRELLO)
        self.assertEqual({"over": True, "done": True, "error": ""}, ended)
        self.assertEqual(("Garden", "Beds and paths"), tuple(self.read("boards", board)[name] for name in ("title", "description")))
        columns = self.of_board("columns", board, sort="position")
        self.assertEqual(["To do", "Doing", "Old"], [column["title"] for column in columns])
        labels = {label["id"]: (label["name"], label["color"]) for label in self.of_board("labels", board)}
        self.assertEqual({("lime", "green"), ("Urgent", "red"), ("Urgent 2", "gray")}, set(labels.values()))
        cards = self.of_board("cards", board, sort="position")
        self.assertEqual(["é" * 500, "Once", "First", "Second"], [card["title"] for card in cards])
        first, second, once = cards[2], cards[3], cards[1]
        self.assertEqual(columns[0]["id"], first["column"])
        self.assertEqual(("*Dig*", None, "2026-03-04"), (first["description"], first["due"], second["due"]))
        self.assertEqual(["Urgent"], [labels[label][0] for label in second["labels"]])
        self.assertEqual(["lime", "Urgent 2"], [labels[label][0] for label in first["labels"]])
        self.assertEqual((True, False), (once["archived"] is not None, first["archived"] is not None))
        items = self.of_board("checklist_items", board, sort="position")
        self.assertEqual([("Spade", True), ("Rake", False)], [(item["title"], item["done"]) for item in items])
        comments = self.of_board("comments", board, sort="created")
        self.assertEqual(["*Al, 2026-02-01:*\n\nEarlier", "*Bo, 2026-02-02:*\n\nLater"], [each["text"] for each in comments])

    def test_rejects_invalid_trello_board_and_leaves_nothing(self):
        broken = {**TRELLO, "cards": [{"id": "c1", "idList": "l1", "name": "x", "pos": 1, "idLabels": 3}]}
        for content in (b"{", b"[1]", b"{}", b'{"lists":[],"cards":{"a":1}}', json.dumps(broken).encode()):
            with self.subTest(content=content[:40]):
                board, ended = self.import_trello(content)
                self.assertEqual((True, False), (ended["over"], ended["done"]), ended)
                self.assertIn("no board exported from Trello", ended["error"])
                self.read("boards", board, status=404)

    def test_imports_only_own_uploads(self):
        self.add_member("mallory")
        blob = self.upload(json.dumps(TRELLO).encode())
        mallory = self.client("mallory")
        response = mallory.post("/api/tasks/trello", {"blob": blob})
        self.assert_problem(response, 422, "tasks.not_uploaded")
        response = mallory.get("/api/tasks/trello/0192a000-0000-7000-8000-000000000009")
        self.assert_problem(response, 404, "tasks.no_import")
