"""kill -9 of a server on PostgreSQL between a snapshot, a migration and a restore: wholly the old or wholly the new after the next start."""

import threading
import time
import unittest

import postgresql
from install_case import LATER, SLOW, InstallCase
from tenon import Client

ROWS = 100_000
OLD = ("1.0.0", ["one"], False)
NEW = ("1.1.0", ["one"], True)
# Statements of a restore: the rows, then all other objects in one text.
RESTORING = ("COPY %slow% FROM STDIN%", "SELECT pg_catalog.setval%")


class InstallPostgresqlKillTest(InstallCase):
    engines = ("postgresql",)

    def setUp(self):
        super().setUp()
        self.database = self.server.environment["TENON_DATABASE"].partition("?")[0].rpartition("/")[2]
        self.install("1.0.0")
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "one"}).status, 201)
        # Enough rows to catch a copy of them while it runs.
        self.sql("INSERT INTO \"plugin_multi-version\".slow (id, version) SELECT '01900000-0000-7000-8000-' || lpad(n::text, 12, '0'), "
                 f"repeat(md5(n::text), 12) FROM generate_series(1, {ROWS}) AS s(n)")
        self.rows_before = self.all_rows()

    def sql(self, text):
        return postgresql.cluster().sql(text, self.database).strip()

    def all_rows(self):
        return self.rows("SELECT count(*), sum(hashtext(version)) FROM slow")

    def state(self):
        """After a new start: version, titles, whether the newer field is there."""
        self.server.start()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        plugin = self.plugin()
        self.assertEqual((plugin["state"], plugin["reason"]), ("active", None), self.server.log())
        self.assertEqual(self.version(), plugin["version"])
        self.assertEqual(self.all_rows(), self.rows_before)
        self.assertEqual(self.sql("SELECT count(*) FROM tenon.plugins_changes"), "0")
        return plugin["version"], self.titles(), "done" in self.ada.get("/api/multi-version/items").json()["items"][0]

    def killed(self, change, is_reached):
        """Kills the server as soon as the request of another thread has reached the point; returns whether it had responded."""
        responses = []

        def ask():
            client = Client(self.server).sign_in("ada")
            try:
                responses.append(change(client))
            except OSError:
                pass
            client.close()

        thread = threading.Thread(target=ask)
        thread.start()
        end = time.monotonic() + 60
        while not is_reached():
            self.assertFalse(responses, f"the point was not reached: {responses}\n{self.server.log()}")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)
        self.server.kill()
        thread.join()
        return bool(responses)

    def snapshots(self, ending):
        return lambda: list((self.server.data / "plugins/multi-version").glob(f"snapshots/*{ending}"))

    def runs(self, statement):
        """Waits within the server, for the moment is short."""
        self.sql(f"""DO $$ BEGIN
          FOR i IN 1 .. 60000 LOOP
            PERFORM pg_stat_clear_snapshot();
            IF EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = '{self.database}' AND usename LIKE 'plugin_multi-version_%_o'
              AND state = 'active' AND query LIKE '{statement}') THEN RETURN; END IF;
            PERFORM pg_sleep(0.001);
          END LOOP;
          RAISE EXCEPTION 'it was not met';
        END $$""")
        return True

    def installing(self, version):
        file = self.package(version, tables=(LATER, SLOW)).read_bytes()
        return lambda client: client.post("/api/core/plugins", file, headers={"Content-Type": "application/octet-stream"})

    def test_survives_kill_during_upgrade(self):
        change = self.installing("1.1.0")
        for name, is_reached in (("while it is copied", self.snapshots(".part")), ("after the copy", self.snapshots(".schema"))):
            with self.subTest(name):
                self.assertFalse(self.killed(change, is_reached))
                self.assertIn(self.state(), (OLD, NEW))
                if self.version() == "1.1.0":
                    self.assertEqual(self.ada.post("/api/core/plugins/multi-version/rollback", {}).status, 200)
        self.assertEqual(change(self.ada).status, 200)
        self.assertEqual((self.version(), self.titles()), ("1.1.0", ["one"]))

    def test_survives_kill_during_rollback_of_failed_upgrade(self):
        change = self.installing("1.1.9")
        for statement in RESTORING:
            with self.subTest(statement):
                self.assertFalse(self.killed(change, lambda: self.runs(statement)))
                self.assertEqual(self.state(), OLD)
        # And it is not in the way of the next one.
        response = self.send(self.package("1.1.0", tables=(LATER, SLOW)))
        self.assertEqual(response.status, 200, response)
        self.assertEqual(self.all_rows(), self.rows_before)

    def test_survives_kill_during_rollback(self):
        change = self.installing("1.1.0")
        for statement in RESTORING:
            with self.subTest(statement):
                self.assertEqual(change(self.ada).status, 200)
                self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "two", "done": True}).status, 201)
                self.assertFalse(self.killed(lambda client: client.post("/api/core/plugins/multi-version/rollback", {}),
                                             lambda: self.runs(statement)))
                # It was decided before the data were touched.
                self.assertEqual(self.state(), OLD)


if __name__ == "__main__":
    unittest.main()
