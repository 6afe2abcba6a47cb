"""Tables as files in the real server: an export that comes back, and an import whose server is killed."""

import urllib.parse

from tables_case import TablesTest
from tenon import Client, eventually

TABLES = {"tables": [
    {"name": "tasks", "publish": True,
     "rules": {"read": "owner = @user", "create": "owner = @user", "update": "owner = @user", "delete": "owner = @user"},
     "fields": [
         {"name": "title", "type": "text", "required": True, "unique": True},
         {"name": "owner", "type": "user"},
         {"name": "count", "type": "integer"}]},
]}
ROWS = 15000


class Transfer(TablesTest):
    arguments = ("--jobs-lease", "2s")

    TABLES = TABLES

    def sign_in(self):
        self.bob = Client(self.server).sign_in("bob")
        self.addCleanup(self.bob.close)

    def state(self, path):
        response = self.bob.get(path)
        self.assertEqual(response.status, 200, response)
        return response.json()

    def over(self, path):
        state = self.state(path)
        return state if state["state"] not in ("waiting", "running") else None

    def test_continues_import_after_kill_and_exports_it(self):
        self.sign_in()
        bob = self.bob.get("/api/core/session").json()["user"]["id"]
        lines = [f"row {number:05},{bob},{number}" for number in range(ROWS)]
        response = self.bob.post("/api/hello/tasks/import", {"text": "title,owner,count\n" + "\n".join(lines)})
        self.assertEqual(response.status, 202, response)
        path = f"/api/hello/tasks/import/{response.json()['job']}"
        self.assertTrue(eventually(lambda: self.state(path)["rows"] > 0))
        self.server.kill()
        self.server.start()
        self.sign_in()
        state = eventually(lambda: self.over(path))
        self.assertEqual((state["state"], state["rows"], state["created"], state["wrong"]), ("done", ROWS, ROWS, 0), state)
        query = urllib.parse.urlencode({"format": "csv", "sort": "title", "fields": "title,owner,count"})
        exported = self.bob.get(f"/api/hello/tasks/export?{query}")
        self.assertEqual(exported.status, 200, exported)
        text = exported.body.decode() if isinstance(exported.body, bytes) else exported.body
        rows = text.split("\r\n")
        self.assertEqual(rows[0], "id,title,owner,count")
        self.assertEqual([row[37:] for row in rows[1:-1]], [f'"row {n:05}",{bob},{n}' for n in range(ROWS)])

    def test_lets_only_its_user_cancel_import(self):
        self.sign_in()
        bob = self.bob.get("/api/core/session").json()["user"]["id"]
        lines = [f"again {number:05},{bob},{number}" for number in range(ROWS)]
        response = self.bob.post("/api/hello/tasks/import", {"text": "title,owner,count\n" + "\n".join(lines)})
        path = f"/api/hello/tasks/import/{response.json()['job']}"
        self.assertEqual(self.bob.delete(path).status, 204)
        state = eventually(lambda: self.over(path))
        self.assertEqual(state["state"], "cancelled", state)
        self.assertLess(state["rows"], ROWS)
        query = urllib.parse.urlencode({"filter": "title like 'again%'", "count": "true", "limit": 1})
        self.assertEqual(self.bob.get(f"/api/hello/tasks?{query}").json()["total"], state["created"])
