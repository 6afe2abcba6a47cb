"""Fastify and better-sqlite3 as one would write it by hand: bench/peers/fastify.mjs."""

import os

from .peer import PEERS, Peer, module, node
from .rows import DEPTH, WORD, insert, tasks

SESSION = "session-of-the-benchmark"


class Fastify(Peer):
    name = "Fastify"
    health = "/health"
    durability = "not synced (`synchronous=NORMAL`)"
    is_searched = False

    def command(self):
        for needed in ("fastify", "better-sqlite3"):
            module(needed)
        return [node(), str(PEERS / "fastify.mjs"), str(self.port), os.path.join(self.folder, "tasks.db"), SESSION]

    def prepare(self):
        rows = list(tasks())
        insert(os.path.join(self.folder, "tasks.db"), rows, create=True, is_searched=self.is_searched)
        self.headers = {"Cookie": "session=" + SESSION}
        self.list_path = "/tasks"
        self.get_paths = [f"/tasks/{row[0]}" for row in rows]
        self.create_path = "/tasks"
        row = rows[-DEPTH]  # of the newest first
        self.lists = {"list": self.list_path, "filtered": "/tasks?status=open", "deep": f"/tasks?created={row[6]}&id={row[0]}",
                      "search": f"/search?q={WORD}"}


class SearchedFastify(Fastify):
    """With a search index over title and body."""

    is_searched = True
