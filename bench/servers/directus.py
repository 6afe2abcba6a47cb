"""Directus of npm on SQLite with the tasks, for a user who may read and create them."""

import os
import subprocess

from .asking import need
from .peer import Peer, module, node
from .rows import DEPTH, WORD, insert, tasks

ADMIN = {"email": "admin@example.com", "password": "correct horse battery"}
TOKEN = "token-of-the-benchmark"


def field(name, kind, special=None, **schema):
    return {"field": name, "type": kind, "schema": schema, "meta": {"special": [special] if special else None}}


COLLECTION = {
    "collection": "tasks", "schema": {}, "meta": {},
    "fields": [
        field("id", "uuid", "uuid", is_primary_key=True, length=36),
        field("title", "string", is_nullable=False, max_length=200),
        field("body", "text", is_nullable=False),
        field("status", "string", is_nullable=False),
        field("priority", "integer", is_nullable=False),
        field("assignee", "string"),
        field("created", "timestamp", "date-created", is_indexed=True),
        field("updated", "timestamp", "date-updated"),
    ],
}


class Directus(Peer):
    name = "Directus"
    health = "/server/ping"
    durability = "synced by default (rollback journal, `synchronous=FULL`)"

    def environment(self):
        return {"HOST": "127.0.0.1", "PORT": str(self.port), "SECRET": "secret-of-the-benchmark-32-letters-long", "DB_CLIENT": "sqlite3",
                "DB_FILENAME": os.path.join(self.folder, "data.db"), "ADMIN_EMAIL": ADMIN["email"],
                "ADMIN_PASSWORD": ADMIN["password"], "TELEMETRY": "false", "LOG_LEVEL": "warn", "PRESSURE_LIMITER_ENABLED": "false",
                "NODE_ENV": "production", "STORAGE_LOCAL_ROOT": os.path.join(self.folder, "uploads"),
                "EXTENSIONS_PATH": os.path.join(self.folder, "extensions")}

    def program(self, *arguments):
        return [node(), str(module("directus") / "cli.js"), *arguments]

    def command(self):
        return self.program("start")

    def prepare(self):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            subprocess.run(self.program("bootstrap"), check=True, cwd=self.folder, stdout=log, stderr=log,
                           env={**os.environ, **self.environment()})
        self.start()
        signed_in = need("POST", self.url + "/auth/login", ADMIN)
        admin = {"Authorization": "Bearer " + signed_in["data"]["access_token"]}
        need("POST", self.url + "/collections", COLLECTION, admin)
        policy = need("POST", self.url + "/policies", {
            "name": "Tasks", "app_access": False, "admin_access": False,
            "permissions": [{"collection": "tasks", "action": action, "fields": ["*"], "permissions": {}, "validation": {}}
                            for action in ("read", "create", "update")]}, admin)["data"]["id"]
        role = need("POST", self.url + "/roles", {"name": "Tasks", "policies": [{"policy": policy}]}, admin)["data"]["id"]
        need("POST", self.url + "/users", {"email": "anna@example.com", "role": role, "token": TOKEN}, admin)
        self.headers = {"Authorization": "Bearer " + TOKEN}
        self.stop()
        rows = list(tasks())
        insert(os.path.join(self.folder, "data.db"), rows)
        self.list_path = "/items/tasks?limit=50&sort=-created"
        self.get_paths = [f"/items/tasks/{row[0]}" for row in rows]
        self.create_path = "/items/tasks"
        # Its search is LIKE over the texts.
        self.lists = {"list": self.list_path, "filtered": self.list_path + "&filter[status][_eq]=open",
                      "deep": self.list_path + f"&offset={DEPTH}", "search": f"/items/tasks?limit=20&search={WORD}"}
