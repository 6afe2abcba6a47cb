"""The bare epoll loop of bench/bare_server.cpp: the least that a server can do for an answer."""

import pathlib
import subprocess

from .processes import cpu_seconds_of, free_port, wait_for


class FixedLoop:
    """One thread that answers a fixed 1 KB."""

    def __init__(self, build):
        self.program = pathlib.Path(build) / "bin" / "tenon-bench-bare-server"

    def __enter__(self):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([str(self.program), str(port), "--fixed"], stdout=subprocess.DEVNULL)
        wait_for(port)
        return self

    def cpu_seconds(self):
        return cpu_seconds_of(self.process.pid)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
