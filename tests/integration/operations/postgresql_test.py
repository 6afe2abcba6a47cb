"""The host on PostgreSQL: when it refuses to start, its lock on the database, and a database server that goes away."""

import json
import pathlib
import shutil
import tempfile
import unittest

import postgresql
from tenon import BUILD, PASSWORD, Client, Server, TenonTest, eventually, tenon


# The host alone.
NO_PLUGINS = tempfile.TemporaryDirectory(prefix="tenon-no-plugins-")


class Case(unittest.TestCase):
    engines = ("postgresql",)

    def setUp(self):
        self.data = pathlib.Path(tempfile.mkdtemp(prefix="tenon-test-"))
        self.addCleanup(shutil.rmtree, self.data, ignore_errors=True)
        self.cluster = postgresql.cluster()

    def refused(self, url, data=None):
        """Returns the message of `tenon serve` when it does not start; the password is not in it."""
        done = tenon("serve", "--data", data or self.data, "--listen", "127.0.0.1:0", "--database", url)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertNotIn(self.cluster.password, done.stdout + done.stderr)
        return done.stderr

    def server(self, url=None, data=None):
        environment = {"TENON_DATABASE": url} if url else None
        server = Server(data=data or self.data, environment=environment, plugins=NO_PLUGINS.name)
        self.addCleanup(server.close)
        return server

    def doctor(self, url, data=None, code=0):
        """Its report, and its findings by their code."""
        done = tenon("doctor", "--json", "--data", data or self.data, "--database", url, "--plugins", NO_PLUGINS.name)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        self.assertNotIn(self.cluster.password, done.stdout + done.stderr)
        report = json.loads(done.stdout)
        return report, {finding["code"]: finding for check in report["checks"] for finding in check["findings"]}


class Refusals(Case):
    def test_names_missing_database_server(self):
        url = "postgresql://tenon:secret@/nothing?host=/nowhere"
        said = self.refused(url)
        self.assertIn("postgresql://tenon@/nothing?host=/nowhere cannot be reached", said)
        self.assertNotIn("secret", said)
        self.assertIn("database.unreachable", self.doctor(url, code=1)[1])

    def test_reports_wrong_password_without_showing_it(self):
        url = self.cluster.url("postgres").replace(self.cluster.password, "mistaken")
        said = self.refused(url)
        self.assertIn("password authentication failed", said)
        self.assertNotIn("mistaken", said)

    def test_rejects_database_that_is_not_utf8(self):
        url = self.cluster.make("latin", "ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
        self.assertIn("has the encoding LATIN1; UTF8 is needed", self.refused(url))
        self.assertIn("database.server_encoding", self.doctor(url, code=1)[1])

    def test_rejects_role_without_privileges(self):
        self.cluster.sql(f"CREATE ROLE weak LOGIN PASSWORD '{self.cluster.password}'")
        self.cluster.sql("CREATE DATABASE of_weak OWNER weak")
        self.assertIn("ALTER ROLE \"weak\" CREATEROLE", self.refused(self.cluster.url("of_weak", "weak")))
        self.cluster.make("of_another")
        self.cluster.sql("ALTER ROLE weak CREATEROLE")
        url = self.cluster.url("of_another", "weak")
        self.assertIn("does not own the database \"of_another\"", self.refused(url))
        self.assertIn("database.server_rights", self.doctor(url, code=1)[1])

    def test_hides_wrong_url(self):
        for wrong in ("mysql://tenon:secret@db/tenon", "secret"):
            said = tenon("serve", "--data", self.data, "--database", wrong)
            self.assertEqual(1, said.returncode)
            self.assertIn('The value of "database" in the option --database is not valid', said.stderr)
            self.assertNotIn("secret", said.stderr)


class OneHost(Case):
    def test_rejects_second_server_while_first_runs(self):
        server = self.server().start()
        url = server.environment["TENON_DATABASE"]
        with tempfile.TemporaryDirectory() as other:
            self.assertIn("Another Tenon server uses this database", self.refused(url, other))
            # The same for a command that has no server of its own.
            done = tenon("user", "list", "--data", other, "--database", url)
            self.assertEqual(1, done.returncode)
            self.assertIn("Another Tenon server uses this database", done.stderr)
        # A server that was killed leaves no lock.
        server.kill()
        self.assertTrue(eventually(lambda: tenon("user", "list", "--data", self.data).returncode == 0))
        server.start()

    def test_ends_server_that_lost_its_database(self):
        server = self.server().start()
        url = server.environment["TENON_DATABASE"]
        name = url.partition("?")[0].rpartition("/")[2]
        # As one that was faster to come back after the database was away.
        holder = self.cluster.hold_host_lock(name)
        self.addCleanup(holder.kill)
        self.cluster.sql("SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE "
                         f"l.locktype = 'advisory' AND l.granted AND d.datname = '{name}' AND l.pid <> {holder.backend}")
        self.assertEqual(1, server.process.wait(60))
        self.assertIn("another server uses the host's database now, stopping", server.log(None))


class Directories(Case):
    def test_binds_data_directory_to_one_database(self):
        self.server().start().stop()
        url = self.cluster.make("another")
        self.assertIn("belongs to another database", self.refused(url))
        # Without the database it would be an empty installation, and its files strays.
        done = tenon("serve", "--data", self.data, environment={"TENON_DATABASE": ""})
        self.assertEqual(1, done.returncode)
        self.assertIn("belongs to a database of PostgreSQL", done.stderr)
        self.server().start()

    def test_rejects_data_directory_of_sqlite(self):
        (self.data / "tenon.db").write_bytes(b"")
        url = self.cluster.make("fresh")
        self.assertIn("holds an installation on SQLite", self.refused(url))
        self.assertIn("database.another_engine", self.doctor(url, code=1)[1])


class WhatDoctorSays(Case):
    def test_finds_no_problem_in_sound_installation(self):
        server = self.server().start()
        url = server.environment["TENON_DATABASE"]
        report, _ = self.doctor(url)
        said = {check["check"]: check["summary"] for check in report["checks"]}
        self.assertRegex(said["database server"], r"^PostgreSQL 15\.\d+.*, \d.* connections$")
        server.stop()
        self.assertEqual(self.doctor(url)[0]["healthy"], True)


class AwayAndBack(TenonTest):
    engines = ("postgresql",)
    plugins = NO_PLUGINS.name

    def test_returns_503_while_server_is_away_and_recovers(self):
        """fault: PostgreSQL goes away and comes back
        | 503 meanwhile; the host recovers by itself
        | `data.connection_lost` in `/readyz`, metrics and `tenon doctor`"""
        ada = self.client("ada")
        cluster = postgresql.cluster()
        cluster.stop()
        self.addCleanup(lambda: cluster.start() if cluster.process.poll() is not None else None)
        self.assert_problem(ada.get("/api/core/users"), 503, "data.connection_lost")
        self.assert_problem(ada.post("/api/core/groups", {"name": "Lost"}), 503, "data.connection_lost")
        self.assertTrue(eventually(lambda: self.client().get("/readyz").status == 503))
        self.assertEqual(200, self.client().get("/healthz").status)
        self.assertIn(b'tenon_storage_trouble{code="data.connection_lost"} 1', self.client().get("/metrics").body)
        done = tenon("doctor", "--json", "--data", self.server.data)
        self.assertIn("database.unreachable", done.stdout)
        cluster.start()
        self.assertTrue(eventually(lambda: ada.get("/api/core/users").status == 200))
        self.assertTrue(eventually(lambda: ada.post("/api/core/groups", {"name": "Back"}).status in (201, 409)))
        self.assertTrue(eventually(lambda: self.client().get("/readyz").body == b"ready\n"))
        self.assertNotIn(b"tenon_storage_trouble", self.client().get("/metrics").body)
        self.assertNotIn(cluster.password, self.server.log(None))
        # Earlier acknowledged writes are there.
        self.assertEqual(201, Client(self.server).post("/api/core/session", {"login": "ada", "password": PASSWORD}).status)


class ReadOnlyAndBack(TenonTest):
    engines = ("postgresql",)
    plugins = NO_PLUGINS.name

    def test_rejects_writes_while_server_is_read_only(self):
        """fault: PostgreSQL can only be read (it comes back as a standby, and is promoted)
        | reads are served, writes get 503; nothing is lost; the host recovers by itself
        | `data.server_read_only` with each response"""
        ada = self.client("ada")
        self.assertEqual(201, ada.post("/api/core/groups", {"name": "Before"}).status)
        cluster = postgresql.cluster()
        cluster.stop()
        (cluster.folder / "data/standby.signal").touch()
        cluster.start()
        self.addCleanup(cluster.sql, "SELECT pg_is_in_recovery() AND pg_promote()")
        self.assertTrue(eventually(lambda: ada.get("/api/core/groups").status == 200))
        self.assert_problem(ada.post("/api/core/groups", {"name": "Refused"}), 503, "data.server_read_only")
        cluster.sql("SELECT pg_promote()")
        self.assertTrue(eventually(lambda: ada.post("/api/core/groups", {"name": "Back"}).status == 201))
        names = [group["name"] for group in ada.get("/api/core/groups").json()["items"]]
        self.assertIn("Before", names)
        self.assertNotIn("Refused", names)


class JobsWhileItIsAway(TenonTest):
    engines = ("postgresql",)
    arguments = ("--plugins", str(BUILD / "tests/plugins/zoo/runs_jobs"), "--jobs-lease", "1s")

    def test_finishes_running_and_waiting_jobs(self):
        ada = self.client("ada")

        def order(kind, payload=b"null"):
            response = ada.post(f"/api/runs-jobs/jobs/{kind}", payload)
            self.assertEqual(201, response.status, response)
            return response.json()["id"]

        def state(job):
            response = ada.get(f"/api/core/jobs/{job}")
            return response.json()["state"] if response.status == 200 else None

        running, waiting = order("stuck"), order("tomorrow")
        self.assertTrue(eventually(lambda: state(running) == "running"))
        cluster = postgresql.cluster()
        cluster.stop()
        self.addCleanup(lambda: cluster.start() if cluster.process.poll() is not None else None)
        # Long enough for heartbeats to fail and the lease to end.
        self.assert_logged("the server of the host's database cannot be reached")
        cluster.start()
        self.assertTrue(eventually(lambda: self.client().get("/readyz").body == b"ready\n"))
        self.assertEqual("waiting", eventually(lambda: state(waiting)))
        counted = order("count", b"3")
        self.assertTrue(eventually(lambda: ada.get("/api/runs-jobs/free").status < 300 and state(running) == "done"))
        self.assertTrue(eventually(lambda: state(counted) == "done"))


class Commands(Case):
    def test_stores_users_in_database_offline(self):
        done = tenon("user", "add", "ada", "--role", "admin", "--password-stdin", "--data", self.data, stdin=PASSWORD + "\n")
        self.assertEqual(0, done.returncode, done.stderr)
        server = self.server().start()
        client = Client(server).sign_in("ada")
        self.addCleanup(client.close)
        self.assertEqual([], [path.name for path in self.data.glob("*.db")])
        done = tenon("user", "list", "--data", self.data)
        self.assertIn("ada", done.stdout)

    def test_keeps_passwords_out_of_log(self):
        server = self.server().start()
        server.stop()
        self.assertNotIn(self.cluster.password, server.log(None))
