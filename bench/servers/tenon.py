"""The release build of Tenon."""

import contextlib
import http.client
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from .asking import ask, need
from .processes import cpu_seconds_of, memory_of_tree, tree_of


def folder_of(build, plugin):
    """Returns the folder of a plugin in the build: one of the product's, or one of the bench's own."""
    for home in ("plugins", "bench-plugins"):
        folder = pathlib.Path(build, "lib", "tenon", home, plugin)
        if folder.is_dir():
            return folder
    raise SystemExit(f"bench: the plugin {plugin} is missing in {build}; build it with ./dev bench")


class Tenon:
    """The release build with a data directory of its own and the plugins named: those of the build, or the path of a plugin's folder."""

    name = "Tenon"

    def __init__(self, build, plugins=("bench",), options=(), supervised=False):
        self.build = pathlib.Path(build)
        self.plugins = plugins
        self.options = options
        self.supervised = supervised

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tenon-bench-")
        self.data = os.path.join(self.folder, "data")
        plugins = pathlib.Path(self.folder, "plugins")
        plugins.mkdir()
        for plugin in self.plugins:
            source = plugin if isinstance(plugin, pathlib.Path) else folder_of(self.build, plugin)
            (plugins / source.name).symlink_to(source)
        self.start()
        return self

    def command(self):
        command = [str(self.build / "bin" / "tenon"), "serve", "--data", self.data, "--listen", "127.0.0.1:0",
                   "--plugins", os.path.join(self.folder, "plugins"), "--log", "json", "--log-access", "false",
                   "--http-queue", "4096", "--http-share-queue", "4096", *self.options]
        return command if self.supervised else [*command, "--no-supervisor"]

    def start(self):
        """Starts it; seconds_to_ready is from exec to `ready`, seconds_to_response to its first 200."""
        begin = time.monotonic()
        self.process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=open(os.path.join(self.folder, "log"), "ab"), text=True)
        line = self.process.stdout.readline()
        self.seconds_to_ready = time.monotonic() - begin
        if not line.startswith("ready "):
            raise SystemExit(f"bench: tenon did not start, see {self.folder}/log")
        self.url = line.split()[1].strip()
        need("GET", self.url + "/healthz")
        self.seconds_to_response = time.monotonic() - begin

    def host(self):
        """The process that its supervisor forked; nothing between two."""
        return next(iter(tree_of(self.process.pid)[1:]), None)

    def crash(self):
        """Kills the host under its supervisor: seconds from the signal to the first 200 on a new connection."""
        host = self.host()
        begin = time.monotonic()
        os.kill(host, signal.SIGKILL)
        while True:
            # One that the host took before it ended is lost with it.
            with contextlib.suppress(OSError, http.client.HTTPException):
                if ask("GET", self.url + "/healthz")[0] == 200 and self.host() not in (None, host):
                    return time.monotonic() - begin

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def cpu_seconds(self):
        return cpu_seconds_of(self.process.pid)

    def memory(self):
        return memory_of_tree(self.process.pid)

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
