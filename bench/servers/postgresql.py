"""A PostgreSQL server of its own, with its default settings: commits are synced."""

import contextlib
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import tempfile
import time

from .asking import Unavailable

PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
START_SECONDS = 60


class Postgresql:
    """Runs until __exit__; `url` is an empty database of the role `tenon`."""

    def __enter__(self):
        if not (PROGRAMS / "postgres").is_file():
            raise Unavailable(f"{PROGRAMS}/postgres is not installed; ./dev test installs it")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-bench-pg-"))
        password, data = self.folder / "password", self.folder / "data"
        password.write_text(secrets.token_hex(16))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            shutil.chown(password, "postgres", "postgres")
        with contextlib.ExitStack() as stack:
            stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
            subprocess.run(self.command("initdb", "-D", data, "-U", "tenon", "--auth=scram-sha-256", f"--pwfile={password}", "--locale=C.UTF-8",
                                        "--encoding=UTF8"), check=True, stdout=subprocess.DEVNULL)
            with open(self.folder / "log", "ab") as log:
                self.process = subprocess.Popen(self.command("postgres", "-D", data, "-k", self.folder, "-c", "listen_addresses="),
                                                stdout=log, stderr=log)
            stack.callback(self.stop)
            self.password = password.read_text()
            self.url = f"postgresql://tenon:{self.password}@/tenon?host={self.folder}"
            self.wait()
            self.psql("postgres", "CREATE DATABASE tenon")
            self.cleanup = stack.pop_all()
        return self

    def command(self, program, *arguments):
        """PostgreSQL refuses to run as root."""
        as_whom = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        return [*as_whom, str(PROGRAMS / program), *map(str, arguments)]

    def wait(self):
        deadline = time.monotonic() + START_SECONDS
        while subprocess.run([PROGRAMS / "pg_isready", "-q", "-h", self.folder], check=False).returncode != 0:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Unavailable("PostgreSQL did not start: " + (self.folder / "log").read_text())
            time.sleep(0.05)

    def psql(self, database, text):
        subprocess.run([PROGRAMS / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", f"postgresql://tenon:{self.password}@/{database}?host={self.folder}",
                        "-c", text], check=True, stdout=subprocess.DEVNULL)

    def analyze(self):
        """Writes the statistics at once; autovacuum writes them some time after many rows."""
        self.psql("tenon", "VACUUM ANALYZE")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def __exit__(self, *_):
        self.cleanup.close()
