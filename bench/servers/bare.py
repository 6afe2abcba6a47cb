"""bare_server.cpp on the very file that Tenon serves."""

import os

from .asking import Unavailable
from .peer import Peer


class Bare(Peer):
    name = "bare server"

    def __init__(self, tenon, where=""):
        """`where` is SQL: of which tasks it lists the newest."""
        self.binary = os.path.join(tenon.build, "bin", "tenon-bench-bare-server")
        self.database = tenon.database
        self.headers = {}
        self.table = tenon.table
        self.where = where
        self.list_path = self.health = f"/{self.table}"
        self.get_paths = [path.removeprefix("/api/bench") for path in tenon.get_paths]
        self.lists = {"filtered" if where else "list": self.list_path}

    def command(self):
        if not os.path.exists(self.binary):
            raise Unavailable(f"{self.binary} is missing; ./dev bench builds it")
        return [self.binary, str(self.port), self.database, self.table, self.where]
