"""Access to a board: only its members see and change it, as readers or as writers, by themselves or by a group."""

from tasks_case import TasksTest

THINGS = ("columns", "labels", "cards", "checklist_items", "comments", "activity", "views")


class TasksAccess(TasksTest):
    def setUp(self):
        super().setUp()
        people = self.ada.get("/api/core/people?kind=user&limit=50").json()["items"]
        if len(people) == 1:
            for login in ("reader", "writer", "grouped", "stranger"):
                self.add_member(login)
        self.clients = {login: self.client(login) for login in ("reader", "writer", "grouped", "stranger")}
        self.ids = {login: self.me(client) for login, client in self.clients.items()}
        group = self.ada.post("/api/core/groups", {"name": f"Team {self.id()}", "description": ""}).json()
        self.assertEqual(200, self.ada.post(f"/api/core/groups/{group['id']}/members", {"add": [self.ids["grouped"]]}).status)
        self.launch, self.todo = self.board(
            "To do", readers=[self.ids["reader"]], writers=[self.ids["writer"]], writer_groups=[group["id"]])
        self.one = self.card(self.todo, "One")
        where = {"board": self.launch["id"], "card": self.one["id"]}
        self.label = self.make("labels", board=self.launch["id"], name="Urgent", color="red")
        self.item = self.make("checklist_items", **where, title="Ask", position="a0")
        self.comment = self.make("comments", **where, text="Hello")
        self.view = self.make("views", board=self.launch["id"], name="Mine", shared=True, query="layout=list")

    def test_shows_board_to_members_only(self):
        for login in ("reader", "writer", "grouped"):
            for table in THINGS:
                with self.subTest(login=login, table=table):
                    self.assertEqual(1, len(self.of_board(table, self.launch, self.clients[login])))
        stranger = self.clients["stranger"]
        for table in THINGS:
            with self.subTest(table=table):
                self.assertEqual([], self.of_board(table, self.launch, stranger))
        for table, record in (("boards", self.launch), ("cards", self.one), ("comments", self.comment), ("views", self.view)):
            self.read(table, record, stranger, 404)
        self.assertEqual([], self.all("cards", stranger, q="One"))
        self.assertEqual(401, self.client().get("/api/tasks/cards").status)

    def test_rejects_changes_by_readers(self):
        reader = self.clients["reader"]
        where = {"board": self.launch["id"], "card": self.one["id"]}
        self.change("boards", self.launch, reader, 403, title="Mine now")
        self.change("cards", self.one, reader, 403, title="Mine now")
        self.change("columns", self.todo, reader, 403, title="Mine now")
        self.make("comments", reader, 403, **where, text="Hello")
        self.make("checklist_items", reader, 403, **where, title="x", position="a1")
        self.make("labels", reader, 403, board=self.launch["id"], name="x")
        self.make("views", reader, 403, board=self.launch["id"], name="For all", shared=True, query="")
        self.call("DELETE", f"/cards/{self.one['id']}", None, 403, reader)
        # They may keep items that are theirs alone.
        own = self.make("views", reader, board=self.launch["id"], name="For me", query="")
        self.assertNotIn(own["id"], [view["id"] for view in self.of_board("views", self.launch)])

    def test_lets_writers_change_cards_but_not_members(self):
        for login in ("writer", "grouped"):
            client = self.clients[login]
            self.change("cards", self.one, client, title=f"By {login}")
            self.change("boards", self.launch, client, title=f"By {login}")
            self.change("boards", self.launch, client, 403, writers=[])
            self.change("boards", self.launch, client, 403, reader_groups=[])
            self.call("DELETE", f"/boards/{self.launch['id']}", None, 403, client)
            self.change("comments", self.comment, client, 403, text="Not mine")

    def test_rejects_items_of_another_board_on_card(self):
        mine, column = self.board("Mine")
        stranger = self.clients["stranger"]
        theirs = self.make("boards", stranger, title="Theirs")
        lane = self.make("columns", stranger, board=theirs["id"], title="Lane", position="a0")
        self.make("cards", stranger, 422, board=theirs["id"], column=self.todo["id"], title="x", position="a0")
        self.make("cards", status=403, board=mine["id"], column=self.todo["id"], title="x", position="a0")
        self.make("comments", status=403, board=mine["id"], card=self.one["id"], text="x")
        self.change("cards", self.one, status=403, board=mine["id"])
        self.make("comments", stranger, 422, board=theirs["id"], card=self.one["id"], text="x")
        self.assertEqual(theirs["id"], lane["board"])
        # With its column a card goes over, and what hangs on it goes along.
        moved = self.change("cards", self.one, board=mine["id"], column=column["id"])
        self.assertEqual(mine["id"], moved["board"])
        for table in ("checklist_items", "comments"):
            self.assertEqual(1, len(self.of_board(table, mine)), table)
            self.assertEqual([], self.of_board(table, self.launch), table)

    def test_accepts_labels_and_repeat_column_of_own_board(self):
        writer = self.clients["writer"]
        mine, lane = self.board("Lane")
        other = self.make("labels", board=mine["id"], name="Mine")
        wrong = {"labels": [self.label["id"], other["id"]], "repeat_column": lane["id"]}
        for field, value in wrong.items():
            with self.subTest(field=field):
                refused = self.make("cards", status=422, board=self.launch["id"], column=self.todo["id"], title="x", position="a0", **{field: value})
                self.assertEqual([(field, "same")], self.errors(refused))
                self.assertIn("same 'board'", refused["errors"][0]["message"])
                self.assertEqual([(field, "same")], self.errors(self.change("cards", self.one, status=422, **{field: value})))
                # A user who may not see it gets the response for a missing record.
                unseen = self.change("cards", self.one, writer, 422, **{field: value})
                missing = [other["id"][:-4] + "0000"] if field == "labels" else lane["id"][:-4] + "0000"
                self.assertEqual(unseen["errors"], self.change("cards", self.one, writer, 422, **{field: missing})["errors"])
                self.assertEqual([(field, "reference")], self.errors(unseen))
        batch = self.call("POST", "/cards/batch", {"update": [{"id": self.one["id"], "labels": [other["id"]]}]}, 422)
        self.assertEqual([("update/0/labels", "same")], self.errors(batch))
        self.assertEqual(([], None), tuple(self.read("cards", self.one)[field] for field in wrong))
        self.change("cards", self.one, writer, labels=[self.label["id"]], repeat_column=self.todo["id"])
        # To another board it goes with what is of that board; labels that are not sent are cleared.
        self.assertEqual([("repeat_column", "same")], self.errors(
            self.change("cards", self.one, status=422, board=mine["id"], column=lane["id"])))
        moved = self.change("cards", self.one, board=mine["id"], column=lane["id"], labels=[other["id"]], repeat_column=None)
        self.assertEqual([other["id"]], moved["labels"])
        self.assertEqual([("board", "same")], self.errors(self.change("labels", other, status=422, board=self.launch["id"])))

    def test_rejects_writing_activity(self):
        where = {"board": self.launch["id"], "card": self.one["id"]}
        self.make("activity", status=403, **where, kind="made", created="2026-01-01T00:00:00Z")
        row = self.of_board("activity", self.launch)[0]
        self.change("activity", row, status=403, kind="moved")
        self.call("DELETE", f"/activity/{row['id']}", None, 403)

    def test_deletes_board_with_its_contents(self):
        self.call("DELETE", f"/boards/{self.launch['id']}", None, 204)
        for table in THINGS:
            self.assertEqual([], self.of_board(table, self.launch), table)
