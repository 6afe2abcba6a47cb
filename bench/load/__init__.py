"""The load generators."""

import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def wrk(url, connections, seconds, script=None, headers=None, arguments=()):
    """One run of the load generator: requests, errors, seconds, max_ms. The script gets the arguments."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", str(HERE / (script or "report.lua")),
               *(f"-H{name}: {value}" for name, value in (headers or {}).items()), url, "--", *arguments]
    done = subprocess.run(command, env={**os.environ, "LUA_PATH": f"{HERE}/?.lua"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def plain_writes(build, folder, writers, seconds, batch=1):
    """Writes a second and the worst one in ms of plain SQLite in the same folder, `batch` in a transaction."""
    program = pathlib.Path(build) / "bin" / "tenon-bench-plain-writes"
    done = subprocess.run([str(program), os.path.join(folder, "plain.db"), str(writers), str(seconds), str(batch)],
                          stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(done.stdout)
    return result["writes_per_second"], result["worst_ms"]


def engine_writes(build, folder, writers, seconds):
    """The same for the writes of the bench plugin's route, queued straight into the engine in the same folder."""
    program = pathlib.Path(build) / "bin" / "tenon-bench-engine-writes"
    done = subprocess.run([str(program), os.path.join(folder, "engine.db"), str(HERE.parent / "plugin" / "tables.json"), str(writers), str(seconds)],
                          stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(done.stdout)
    return result["writes_per_second"], result["worst_ms"]


class Steady:
    """tenon-bench-steady: a load at a steady rate, from now on until end() gives what it found. See load/steady.cpp."""

    def __init__(self, server, rate, connections, cookie, targets, acknowledged):
        program = pathlib.Path(server.build) / "bin" / "tenon-bench-steady"
        self.process = subprocess.Popen(
            [str(program), server.url.rpartition(":")[2], str(rate), str(connections), cookie, str(targets), str(acknowledged)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if not self.process.stdout.readline():
            raise SystemExit("bench: the load did not begin, see above")

    def end(self):
        found, _ = self.process.communicate()
        if self.process.returncode:
            raise SystemExit("bench: the load broke, see above")
        return json.loads(found)
