"""A PostgreSQL of the tests' own: one server for a process, reached by a socket, and a database for each data folder."""

import atexit
import contextlib
import hashlib
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import tempfile
import time

from made_once import made_once

PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
START_SECONDS = 60


def command(program, *arguments):
    """It refuses to run as root, and ends with this process."""
    as_whom = ["--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", *as_whom, "--pdeathsig=SIGQUIT", str(PROGRAMS / program), *map(str, arguments)]


def give_to_postgres(folder):
    if os.geteuid() == 0:
        subprocess.run(["chown", "-R", "postgres:postgres", folder], check=True)


def make_data(folder):
    """Fills the folder for a new server: `data`, and the `password` of the roles postgres and tenon."""
    with tempfile.TemporaryDirectory(prefix="tenon-pg-") as home:
        secret, data = pathlib.Path(home, "password"), pathlib.Path(home, "data")
        secret.write_text(secrets.token_hex(16))
        give_to_postgres(home)
        subprocess.run(command("initdb", "-D", data, "-U", "postgres", "--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync",
                               "--locale=C.UTF-8", "--encoding=UTF8"), check=True, stdout=subprocess.DEVNULL)
        subprocess.run(command("postgres", "--single", "-D", data, "-c", "fsync=off", "postgres"), text=True, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, input=f"CREATE ROLE tenon LOGIN CREATEROLE PASSWORD '{secret.read_text()}'\n")
        subprocess.run(["cp", "-r", secret, data, folder], check=True)


class Cluster:
    """Started by its making; ended by close(), and with this process."""

    def __init__(self):
        version = subprocess.run([PROGRAMS / "postgres", "--version"], text=True, capture_output=True, check=True).stdout.split()[2]
        made = made_once("postgresql", version, make_data)
        self.password = (made / "password").read_text()
        self.process, self.made = None, set()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-pg-"))
        subprocess.run(["cp", "-r", made / "data", self.folder], check=True)
        give_to_postgres(self.folder)
        self.start()

    def start(self):
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            command("postgres", "-D", self.folder / "data", "-k", self.folder, "-c", "listen_addresses=", "-c", "fsync=off",
                         "-c", "max_connections=200"), stdout=log, stderr=log)
        log.close()
        deadline = time.monotonic() + START_SECONDS
        while subprocess.run([PROGRAMS / "pg_isready", "-q", "-h", self.folder], check=False).returncode != 0:
            assert time.monotonic() < deadline and self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.05)

    def stop(self, by=signal.SIGQUIT):
        """SIGQUIT: at once, without a word to those who are connected."""
        self.process.send_signal(by)
        self.process.wait()

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database, role="tenon"):
        return f"postgresql://{role}:{self.password}@/{database}?host={self.folder}"

    def sql(self, text, database="postgres", role="postgres"):
        """Runs statements as the superuser; what they print, a line a row and a | between columns."""
        done = subprocess.run([PROGRAMS / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", self.url(database, role), "-c", text],
                              text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def hold_host_lock(self, database):
        """A process whose connection waits for a host's lock in the database, and has it from the moment it is free."""
        holder = subprocess.Popen(
            [PROGRAMS / "psql", "-X", "-q", "-A", "-t", self.url(database, "postgres")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        holder.stdin.write("SELECT pg_backend_pid();\nSELECT pg_advisory_lock(hashtextextended('tenon host', 0));\n")
        holder.stdin.flush()
        holder.backend = int(holder.stdout.readline())
        return holder

    def make(self, database, options=""):
        self.sql(f'CREATE DATABASE "{database}" OWNER tenon {options}')
        return self.url(database)

    def of_folder(self, data):
        """The URL of the database that belongs to a data folder; made when it is asked for first."""
        name = "data_" + hashlib.sha256(str(pathlib.Path(data).resolve()).encode()).hexdigest()[:16]
        if name not in self.made:
            self.make(name)
            self.made.add(name)
        return self.url(name)


_shared = []


def cluster():
    """The one of this run."""
    if not _shared:
        _shared.append(Cluster())
        atexit.register(_shared[0].close)
    return _shared[0]
