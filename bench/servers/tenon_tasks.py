"""Tenon with the bench plugin, its tasks, and a signed-in member."""

import os
import subprocess

from .asking import ask, need
from .rows import insert, tasks
from .tenon import Tenon

PASSWORD = "correct horse battery"


class TenonTasks(Tenon):
    name = "Tenon"
    durability = "synced, with others' in one commit (`synchronous=FULL`)"

    def __enter__(self):
        super().__enter__()
        try:
            self.stop()
            self.database = os.path.join(self.data, "bench.db")
            rows = list(tasks())
            insert(self.database, rows)
            for login, role in (("admin", "admin"), ("anna", "member")):
                subprocess.run([str(self.build / "bin" / "tenon"), "user", "add", login, "--role", role, "--password-stdin",
                                "--data", self.data], input=PASSWORD + "\n", text=True, check=True, stdout=subprocess.DEVNULL)
            self.start()
            self.headers = {"Cookie": self.sign_in("anna")}
            self.list_path = "/api/bench/tasks"
            self.get_paths = [f"/api/bench/tasks/{row[0]}" for row in rows]
            self.create_path = "/api/bench/tasks"
            return self
        except BaseException:
            self.__exit__()
            raise

    def sign_in(self, login):
        """The cookie of a new session."""
        _, fields, _ = ask("POST", self.url + "/api/core/session", {"login": login, "password": PASSWORD})
        cookie = (fields["Set-Cookie"] or "").partition(";")[0]
        need("GET", self.url + "/api/core/session", headers={"Cookie": cookie})
        return cookie
