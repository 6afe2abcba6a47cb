"""Common code of the peers that are whole servers."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from .asking import Unavailable, ask
from .processes import cpu_seconds_of_tree, free_port, memory_of_tree

PEERS = pathlib.Path(__file__).resolve().parent.parent / "peers"
ROOT = PEERS.parent.parent
START_SECONDS = 60


def module(name):
    """An npm package of bench/peers."""
    found = PEERS / "node_modules" / name
    if not found.is_dir():
        raise Unavailable(f"{name} is not installed in bench/peers; ./dev bench does that where npm's registry is reached")
    return found


def node():
    """The project's pinned Node."""
    for found in (ROOT / "tools" / "node" / "node_modules").glob("node-linux-*/bin/node"):
        return str(found)
    raise Unavailable("tools/node has no Node; ./dev bench installs it")


class Peer:
    """A server with a folder of its own that is made ready once and may be started several times.

    A subclass says `name`, `health` (the path that returns 200 when it is ready) and `durability` (what a create means), and has
    `prepare()` and `command()`. Raises Unavailable when it is not installed or does not do what is asked of it.
    """

    name = health = durability = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tenon-bench-peer-")
        self.process = None
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        try:
            self.prepare()
            self.start()
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            raise Unavailable(f"{self.name}: {error}") from error
        except BaseException:
            self.__exit__()
            raise
        return self

    def prepare(self):
        """Makes the folder ready."""

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def start(self):
        """Starts it and waits for its first 200; seconds_to_response is from exec to then."""
        begin = time.monotonic()
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                                            env={**os.environ, **self.environment()})
        while True:
            try:
                if ask("GET", self.url + self.health)[0] == 200:
                    break
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() - begin > START_SECONDS:
                text = pathlib.Path(self.folder, "log").read_text(encoding="utf-8", errors="replace")
                raise Unavailable(f"{self.name} did not start: {text[-500:]}")
            time.sleep(0.001)
        self.seconds_to_response = time.monotonic() - begin

    def crash(self):
        """Kills it and starts it again at once: seconds from the signal to the first 200."""
        begin = time.monotonic()
        self.process.kill()
        self.process.wait()
        self.start()
        return time.monotonic() - begin

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def cpu_seconds(self):
        return cpu_seconds_of_tree(self.process.pid)

    def memory(self):
        return memory_of_tree(self.process.pid)

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
