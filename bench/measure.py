"""What bench.py runs: the servers, the load, the counters."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def version_of(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except FileNotFoundError:
        raise SystemExit(f"bench: {command[0]} is missing; ./dev bench installs it") from None
    line = done.stdout.strip().splitlines()[0]
    found = re.search(r"[\d.]+\d", line)
    return f"{command[0]} {found.group(0) if found else line}"


def cpu_seconds_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Nginx:
    """One worker that answers 1 KB from its configuration."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tenon-bench-nginx-")
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        configuration = pathlib.Path(self.folder, "nginx.conf")
        configuration.write_text(
            "daemon off; worker_processes 1; worker_rlimit_nofile 8192; error_log stderr crit; pid nginx.pid;\n"
            "events { worker_connections 4096; }\n"
            "http { access_log off; keepalive_requests 100000000; default_type text/plain;\n"
            f"  server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ return 200 \"{'x' * 1024}\"; }} }} }}\n",
            encoding="ascii",
        )
        self.process = subprocess.Popen(["nginx", "-p", self.folder, "-c", str(configuration)], stdin=subprocess.DEVNULL)
        wait_for(port)
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii")
        self.worker = int(children.split()[0])
        return self

    def cpu_seconds(self):
        return cpu_seconds_of(self.worker)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def wait_for(port):
    for _ in range(500):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.01)
    raise SystemExit(f"bench: nothing listens on port {port}")


class Tenon:
    """The release build with the plugins named and a data directory of its own."""

    kept = {}

    def __init__(self, build, plugins=("bench",), keep=None):
        self.build = pathlib.Path(build)
        self.plugins = plugins
        self.keep = keep

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
        command = [str(self.build / "bin" / "tenon"), "serve", "--data", self.data, "--listen", "127.0.0.1:0",
                   "--plugins", str(plugins), "--log", "json", "--log-access", "false",
                   "--http-queue", "4096", "--http-share-queue", "4096"]
        begin = time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=open(os.path.join(self.folder, "log"), "ab"), text=True)
        line = self.process.stdout.readline()
        self.seconds_to_ready = time.monotonic() - begin
        if not line.startswith("ready "):
            raise SystemExit(f"bench: tenon did not start, see {self.folder}/log")
        self.url = line.split()[1].strip()
        return self

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
        self.process.terminate()
        self.process.wait()
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)


def wrk(url, connections, seconds, script=None):
    """One run of the load generator: requests, errors, seconds, max_ms."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", str(HERE / (script or "report.lua")), url]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def plain_writes(build, folder, writers, seconds):
    """Writes a second and the worst one in ms of plain SQLite in the same folder, one transaction each."""
    program = pathlib.Path(build) / "bin" / "tenon-bench-plain-writes"
    done = subprocess.run([str(program), os.path.join(folder, "plain.db"), str(writers), str(seconds)],
                          stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(done.stdout)
    return result["writes_per_second"], result["worst_ms"]
