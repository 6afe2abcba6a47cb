"""bare_server.cpp on the very file that Tenon serves."""

import os

from .asking import Unavailable
from .peer import Peer


class Bare(Peer):
    name = "bare server"
    health = "/tasks"

    def __init__(self, tenon):
        self.binary = os.path.join(tenon.build, "bin", "tenon-bench-bare-server")
        self.database = tenon.database
        self.headers = {}
        self.list_path = "/tasks"
        self.get_paths = [path.removeprefix("/api/bench") for path in tenon.get_paths]

    def command(self):
        if not os.path.exists(self.binary):
            raise Unavailable(f"{self.binary} is missing; ./dev bench builds it")
        return [self.binary, str(self.port), self.database]
