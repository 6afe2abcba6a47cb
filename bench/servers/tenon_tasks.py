"""Tenon with the bench plugin, its tasks, and a signed-in member."""

import os
import subprocess

from .asking import ask, need
from .rows import COUNT, DEPTH, WORD, insert, tasks
from .tenon import Tenon

PASSWORD = "correct horse battery"


class TenonTasks(Tenon):
    name = "Tenon"
    table = "tasks"
    durability = "synced, with others' in one commit (`synchronous=FULL`)"

    def __enter__(self):
        super().__enter__()
        try:
            self.stop()
            self.database = os.path.join(self.data, "bench.db")
            ids = self.fill()
            for login, role in (("admin", "admin"), ("anna", "member")):
                subprocess.run([str(self.build / "bin" / "tenon"), "user", "add", login, "--role", role, "--password-stdin",
                                "--data", self.data], input=PASSWORD + "\n", text=True, check=True, stdout=subprocess.DEVNULL)
            self.start()
            self.headers = {"Cookie": self.sign_in("anna")}
            self.create_path = self.list_path = f"/api/bench/{self.table}"
            self.get_paths = [f"/api/bench/{self.table}/{identity}" for identity in ids]
            self.made_ready()
            return self
        except BaseException:
            self.__exit__()
            raise

    def fill(self):
        """Writes the rows into the file of the stopped server and returns their IDs."""
        rows = list(tasks())
        insert(self.database, rows, table=self.table)
        return [row[0] for row in rows]

    def made_ready(self):
        """The server runs, with its rows and its member."""

    def sign_in(self, login):
        """The cookie of a new session."""
        _, fields, _ = ask("POST", self.url + "/api/core/session", {"login": login, "password": PASSWORD})
        cookie = (fields["Set-Cookie"] or "").partition(";")[0]
        need("GET", self.url + "/api/core/session", headers={"Cookie": cookie})
        return cookie


class TenonTable(TenonTasks):
    """The same tasks in a published table: its REST API, its access rules, no code of the plugin."""

    table = "todos"

    def made_ready(self):
        table = self.list_path
        self.list_path += "?sort=-created"
        cursor = None
        for _ in range(min(DEPTH, COUNT) // 200):
            page = need("GET", f"{self.url}{self.list_path}&limit=200&fields=id" + (f"&cursor={cursor}" if cursor else ""),
                        headers=self.headers)
            cursor = page["next"]
        deep = f"{self.list_path}&cursor={cursor}"
        self.lists = {"list": self.list_path, "filtered": f"{table}?sort=-created&filter=status%20%3D%20%27open%27", "deep": deep,
                      "search": f"{table}?q={WORD}&limit=20"}
