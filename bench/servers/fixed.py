"""Programs of the benchmark that return a fixed 1 KB."""

import pathlib
import subprocess

from .processes import cpu_seconds_of, free_port, wait_for


class FixedProgram:
    """One thread, by the program with these arguments after its port."""

    def __init__(self, build, program, path, *arguments):
        self.program = pathlib.Path(build) / "bin" / program
        self.path = path
        self.arguments = arguments

    def __enter__(self):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}{self.path}"
        self.process = subprocess.Popen([str(self.program), str(port), *self.arguments], stdout=subprocess.DEVNULL)
        wait_for(port)
        return self

    def cpu_seconds(self):
        return cpu_seconds_of(self.process.pid)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def bare_loop(build):
    """The bare epoll loop of bench/bare_server.cpp: the least that a server can do for a response."""
    return FixedProgram(build, "tenon-bench-bare-server", "/", "--fixed")


def host_http_server(build):
    """The HTTP server with an inline route of the host, of bench/http_server.cpp: routing and metrics, no plugin."""
    return FixedProgram(build, "tenon-bench-http-server", "/api/bench/fixed")
