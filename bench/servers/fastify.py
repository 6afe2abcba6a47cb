"""Fastify and better-sqlite3 as one would write it by hand: bench/peers/fastify.mjs."""

import os

from .peer import PEERS, Peer, module, node
from .rows import insert, tasks

SESSION = "session-of-the-benchmark"


class Fastify(Peer):
    name = "Fastify"
    health = "/health"
    durability = "not synced (`synchronous=NORMAL`)"

    def command(self):
        for needed in ("fastify", "better-sqlite3"):
            module(needed)
        return [node(), str(PEERS / "fastify.mjs"), str(self.port), os.path.join(self.folder, "tasks.db"), SESSION]

    def prepare(self):
        rows = list(tasks())
        insert(os.path.join(self.folder, "tasks.db"), rows, create=True)
        self.headers = {"Cookie": "session=" + SESSION}
        self.list_path = "/tasks"
        self.get_paths = [f"/tasks/{row[0]}" for row in rows]
        self.create_path = "/tasks"
