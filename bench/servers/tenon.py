"""The release build of Tenon."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from .common import cpu_seconds_of


class Tenon:
    """The release build with the plugins named and a data directory of its own."""

    kept = {}

    def __init__(self, build, plugins=("bench",), keep=None, options=()):
        self.build = pathlib.Path(build)
        self.plugins = plugins
        self.keep = keep
        self.options = options

    def __enter__(self):
        if self.keep:
            self.folder = Tenon.kept.setdefault(self.keep, tempfile.mkdtemp(prefix="tenon-bench-"))
        else:
            self.folder = tempfile.mkdtemp(prefix="tenon-bench-")
        self.data = os.path.join(self.folder, "data")
        plugins = pathlib.Path(self.folder, "plugins")
        plugins.mkdir(exist_ok=True)
        for plugin in self.plugins:
            home = "bench-plugins" if plugin == "bench" else "plugins"
            source = self.build / "lib" / "tenon" / home / plugin
            if not source.is_dir():
                raise SystemExit(f"bench: {source} is missing; build it with ./dev bench")
            link = plugins / plugin
            if not link.exists():
                link.symlink_to(source)
        self.start()
        return self

    def start(self):
        """Starts it and waits for `ready`; seconds_to_ready is from exec to then."""
        plugins = pathlib.Path(self.folder, "plugins")
        command = [str(self.build / "bin" / "tenon"), "serve", "--data", self.data, "--listen", "127.0.0.1:0",
                   "--plugins", str(plugins), "--log", "json", "--log-access", "false",
                   "--http-queue", "4096", "--http-share-queue", "4096", *self.options]
        begin = time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=open(os.path.join(self.folder, "log"), "ab"), text=True)
        line = self.process.stdout.readline()
        self.seconds_to_ready = time.monotonic() - begin
        if not line.startswith("ready "):
            raise SystemExit(f"bench: tenon did not start, see {self.folder}/log")
        self.url = line.split()[1].strip()

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def rest(self):
        """Lets it come to rest after the start."""
        time.sleep(0.5)

    def cpu_seconds(self):
        return cpu_seconds_of(self.process.pid)

    def memory(self):
        """KiB by the names of /proc/<pid>/smaps_rollup."""
        text = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text(encoding="ascii")
        return {name: int(value) for name, value in re.findall(r"^(\w+):\s+(\d+) kB", text, re.MULTILINE)}

    def __exit__(self, *_):
        self.stop()
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)
