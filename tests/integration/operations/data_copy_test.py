"""tenon data copy: an installation moved from SQLite to PostgreSQL and back, interrupted, refused, checked."""

import base64
import json
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

import postgresql
from sampling import FULL, chance
from tables_case import copy_plugin
from tenon import BINARY, PASSWORD, Client, Server, eventually, tenon

TUS = {"Tus-Resumable": "1.0.0"}
ON_SQLITE = {"TENON_DATABASE": ""}
OPEN = {"read": "true", "create": "true", "update": "true", "delete": "true"}
TABLES = {"tables": [
    {"name": "shelves", "publish": True, "rules": OPEN,
     "fields": [{"name": "title", "type": "text", "searchable": True, "required": True},
                {"name": "above", "type": "reference", "table": "shelves"}, {"name": "best", "type": "reference", "table": "books"}]},
    {"name": "books", "publish": True, "rules": OPEN, "authorship": True,
     "fields": [{"name": "shelf", "type": "reference", "table": "shelves", "required": True}, {"name": "number", "type": "integer", "unique": True},
                {"name": "price", "type": "number"}, {"name": "borrowed", "type": "boolean"}, {"name": "bought", "type": "date"},
                {"name": "read", "type": "datetime"}, {"name": "extra", "type": "json"}, {"name": "kind", "type": "choice", "choices": ["a", "b"]},
                {"name": "marks", "type": "choice", "choices": ["x", "y", "z"], "many": True},
                {"name": "reader", "type": "reference", "table": "core:users"},
                {"name": "like", "type": "reference", "table": "books", "many": True}]},
]}
PAPERS = {"tables": [{"name": "papers", "publish": True, "rules": OPEN,
                      "fields": [{"name": "title", "type": "text"}, {"name": "scan", "type": "blob", "max_bytes": 300000}]}]}
BOOKS = 600
CONTENT = bytes(range(256)) * 300


class CopyCase(unittest.TestCase):
    engines = ("postgresql",)

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-copy-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.plugins = self.root / "plugins"
        hello = copy_plugin("hello", self.plugins / "hello")
        (hello / "tables.json").write_text(json.dumps(TABLES))
        (hello / "migrations").mkdir(exist_ok=True)
        self.migration = hello / "migrations/0001_totals.sql"
        self.migration.write_text("CREATE TABLE totals (name TEXT PRIMARY KEY, n INTEGER NOT NULL, raw BLOB) STRICT;\n"
                                  "INSERT INTO totals VALUES ('seed', 1, x'00ff');\n")
        self.migration.with_suffix(".pg.sql").write_text("CREATE TABLE totals (name text COLLATE \"C\" PRIMARY KEY, n bigint NOT NULL, raw bytea);\n"
                                                         "INSERT INTO totals VALUES ('seed', 1, '\\x00ff');\n")
        papers = copy_plugin("zoo/keeps_files", self.plugins / "keeps-files")
        (papers / "tables.json").write_text(json.dumps(PAPERS))
        copy_plugin("zoo/runs_jobs", self.plugins / "runs-jobs")
        self.data = self.root / "data"
        self.cluster = postgresql.cluster()
        self.name = "copy_" + self.id().rsplit(".", 1)[1][:40] + "_" + self.root.name[-8:]
        self.url = self.cluster.make(self.name)

    def start(self, url=""):
        server = Server(data=self.data, environment={"TENON_DATABASE": url}, plugins=self.plugins)
        self.addCleanup(server.close)
        return server.start()

    def refused_start(self, url=""):
        done = tenon("serve", "--data", self.data, "--listen", "127.0.0.1:0", environment={"TENON_DATABASE": url})
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        return done.stderr

    def is_unfinished(self, url=""):
        """A server says so. The lock of a process that was killed goes a moment after it."""
        said = eventually(lambda: "is not complete. Run the same `tenon data copy` again" in self.refused_start(url))
        self.assertTrue(said, self.refused_start(url))

    def doctor(self, url=""):
        """Its exit code and what it says."""
        done = tenon("doctor", "--data", self.data, "--plugins", self.plugins, environment={"TENON_DATABASE": url})
        return done.returncode, done.stdout

    def arguments(self, source, target, *more):
        return ("data", "copy", "--from", source, "--to", target, "--plugins", self.plugins, *more)

    def copy(self, source, target, *more, code=0):
        done = tenon(*self.arguments(source, target, *more), environment=ON_SQLITE, timeout=120)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        self.assertNotIn(self.cluster.password, done.stdout + done.stderr)
        return done

    def fill(self):
        """An installation with something of everything; returns the client that made it, with its session."""
        server = self.start()
        ada = Client(server)
        self.addCleanup(ada.close)
        made = ada.post("/api/core/setup", {"token": server.setup_link_token(), "login": "ada", "name": "Ada", "password": PASSWORD})
        self.assertEqual(201, made.status, made)
        bob = ada.post("/api/core/users", {"login": "bob", "name": "Bob \"ü\"", "role": "member", "password": PASSWORD}).json()
        group = ada.post("/api/core/groups", {"name": "Readers", "description": "They read"})
        self.assertEqual(201, group.status, group)
        added = ada.post(f"/api/core/groups/{group.json()['id']}/members", {"add": [bob["id"]]})
        self.assertLess(added.status, 300, added)
        shelves = [ada.post("/api/hello/shelves", {"title": title}).json()["id"] for title in ("Über allem", "it's \"quoted\"")]
        self.assertEqual(200, ada.patch(f"/api/hello/shelves/{shelves[0]}", {"above": shelves[1]}).status)
        self.assertEqual(200, ada.patch(f"/api/hello/shelves/{shelves[1]}", {"above": shelves[0]}).status)
        ids = []
        for first in range(0, BOOKS, 100):
            batch = [{"shelf": shelves[0], "number": number, "price": number / 3, "borrowed": number % 2 == 0, "bought": "2026-11-22",
                      "read": "2026-11-22T10:00:00.123Z", "extra": {"a": [number, None, "x"]}, "kind": "b", "marks": ["x", "z"],
                      "reader": bob["id"], "like": ids[:3]} for number in range(first, first + 100)]
            response = ada.post("/api/hello/books/batch", {"create": batch})
            self.assertEqual(200, response.status, response)
            ids += [one["id"] for one in ada.get("/api/hello/books?limit=5&sort=-number").json()["items"]]
        self.assertEqual(201, ada.post("/api/hello/books", {"shelf": shelves[1], "number": 2 ** 53 + 1, "price": 5.0}).status)
        self.assertEqual(204, ada.delete(f"/api/hello/books/{ids[7]}").status)
        self.assertEqual(200, ada.patch(f"/api/hello/shelves/{shelves[0]}", {"best": ids[9]}).status)
        made = ada.post("/api/keeps-files/blobs", headers={
            **TUS, "Upload-Length": str(len(CONTENT)), "Upload-Metadata": "filename " + base64.b64encode(b"scan.bin").decode()})
        self.assertEqual(201, made.status, made)
        where = made.headers["location"]
        uploaded = ada.patch(where, CONTENT, headers={**TUS, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"})
        self.assertEqual(204, uploaded.status, uploaded)
        paper = ada.post("/api/keeps-files/papers", {"title": "one", "scan": {"upload": where.rsplit("/", 1)[1]}})
        self.assertEqual(201, paper.status, paper)
        for kind in ("tomorrow", "count"):
            self.assertEqual(201, ada.post(f"/api/runs-jobs/jobs/{kind}?key={kind}", b"3").status)
        self.assertTrue(eventually(lambda: "done" in [job["state"] for job in ada.get("/api/core/jobs").json()["items"] if job["kind"] == "count"]))
        before = self.seen(ada)
        self.assertEqual(0, server.stop())
        return ada, before

    def seen(self, client):
        """All that a client sees of the installation; with the session that it has."""
        def of(path):
            response = client.get(path)
            self.assertEqual(200, response.status, f"{path} {response}")
            return response.json()

        books, cursor = [], ""
        while cursor is not None:
            page = of(f"/api/hello/books?limit=200&sort=number{'&cursor=' + cursor if cursor else ''}")
            books += page["items"]
            cursor = page["next"]
        papers = of("/api/keeps-files/papers")["items"]
        groups = of("/api/core/groups")["items"]
        content = client.get(f"/api/keeps-files/papers/{papers[0]['id']}/scan")
        return {"me": of("/api/core/session")["user"], "users": of("/api/core/users")["items"], "groups": groups,
                "members": of(f"/api/core/groups/{groups[0]['id']}/members"), "shelves": of("/api/hello/shelves")["items"], "books": books,
                "found": of("/api/hello/shelves?q=uber")["items"], "papers": papers, "content": (content.status, content.body),
                "jobs": [job for job in of("/api/core/jobs")["items"] if not job["schedule"]], "plugins": [(one["id"], one["state"]) for one in of("/api/core/plugins")["items"]]}

    def moved(self, ada, server, before):
        """The same session, on the server of the target, sees the same data, and can continue."""
        ada.close()
        ada.server = server
        after = self.seen(ada)
        for part in before:
            self.assertEqual(before[part], after[part], part)
        self.assertEqual(BOOKS, len(after["books"]))
        made = ada.post("/api/hello/shelves", {"title": "new"})
        self.assertEqual(201, made.status, made)
        self.assertEqual(204, ada.delete(f"/api/hello/shelves/{made.json()['id']}").status)
        self.assertEqual(409, ada.delete(f"/api/hello/shelves/{after['shelves'][0]['id']}").status)

    def put_files_away(self):
        """The databases of SQLite, out of the data directory."""
        away = self.root / "away"
        away.mkdir(exist_ok=True)
        for file in self.data.glob("*.db*"):
            file.rename(away / file.name)

    def contents(self):
        return {file.name: file.read_bytes() for file in self.data.glob("*.db")}


class DataCopy(CopyCase):
    def test_copies_there_and_back(self):
        ada, before = self.fill()
        files = self.contents()
        done = self.copy(self.data, self.url)
        self.assertIn("core: ", done.stdout)
        self.assertRegex(done.stdout, r"hello: \d+ tables, \d+ rows, the same on both sides")
        self.assertIn("The copy is complete.", done.stdout)
        self.assertEqual(files, self.contents(), "the source was changed")
        self.assertEqual("seed|1|\\x00ff\n", self.cluster.sql("SELECT * FROM plugin_hello.totals", self.name))
        self.assertIn("belongs to a database of PostgreSQL", self.refused_start())
        self.assertEqual(0, self.doctor(self.url)[0])
        self.assertIn("was complete already", self.copy(self.data, self.url).stdout)
        compared = json.loads(self.copy(self.data, self.url, "--check", "--json").stdout)
        self.assertTrue(compared["equal"])

        server = self.start(self.url)
        self.moved(ada, server, before)
        # Neither side may be in use.
        self.assertIn("Another tenon server uses", self.copy(self.url, self.data, code=1).stderr)
        server.stop()
        self.assertIn("is not empty", self.copy(self.url, self.data, code=1).stderr)
        self.put_files_away()
        self.copy(self.url, self.data)
        self.assertIn("holds an installation on SQLite", self.refused_start(self.url))
        self.assertIn("was complete already", self.copy(self.url, self.data).stdout)
        server = self.start()
        self.moved(ada, server, before)
        # A copy that was complete once does not count as a copy of later changes.
        self.assertEqual(0, server.stop())
        self.assertIn("was complete before", self.copy(self.data, self.url, code=1).stderr)

    def test_finds_rows_that_differ(self):
        self.fill()
        self.copy(self.data, self.url)
        self.cluster.sql("SET search_path = plugin_hello; UPDATE books SET price = price + 1 WHERE number = 77; DELETE FROM totals", self.name)
        done = self.copy(self.data, self.url, "--check", code=1)
        self.assertIn(f"hello.books differs: {BOOKS} rows in the source, {BOOKS} in the target, not all of them the same", done.stdout)
        self.assertIn("hello.totals differs: 1 rows in the source, 0 in the target", done.stdout)
        self.assertNotIn("hello.shelves", done.stdout)
        self.assertIn("source and target differ", done.stderr)

    def test_rejects_source_that_changed_during_copy(self):
        self.fill()
        process = subprocess.Popen([str(BINARY), *map(str, self.arguments(self.data, self.url))], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        next(line for line in process.stderr if line.startswith("copied core.identity_users"))
        process.kill()
        process.wait()
        process.stderr.close()
        with sqlite3.connect(self.data / "tenon.db") as database:
            database.execute("UPDATE identity_users SET name = 'Another' WHERE login = 'ada'")
        database.close()
        done = self.copy(self.data, self.url, code=1)
        self.assertIn("core.identity_users differs: 2 rows in the source, 2 in the target", done.stdout)
        self.assertIn("the copy stays unfinished", done.stderr)
        self.assertIn("is not complete", self.refused_start(self.url))
        # The source serves on.
        self.start()

    def test_rejects_invalid_sources_and_targets(self):
        self.fill()
        server = self.start()
        self.assertIn("Another tenon server uses", self.copy(self.data, self.url, code=1).stderr)
        server.stop()
        original, text = self.migration.read_text(), self.migration.with_suffix(".pg.sql").read_text()
        # A migration that does not run there.
        self.migration.with_suffix(".pg.sql").write_text("CREATE TRIGGER t AFTER INSERT ON books BEGIN SELECT 1; END;\n")
        said = self.copy(self.data, self.url, code=1).stderr
        self.assertIn("hello: migrations/0001_totals.sql", said)
        self.assertEqual("0\n", self.cluster.sql("SELECT count(*) FROM tenon.identity_users", self.name), "something was copied")
        self.migration.with_suffix(".pg.sql").write_text(text)
        # A folder that is newer than the data, and one that is missing.
        manifest = json.loads((self.plugins / "hello/plugin.json").read_text())
        (self.plugins / "hello/plugin.json").write_text(json.dumps({**manifest, "version": "99.0.0"}))
        self.assertIn("Start and stop the server on the source once", self.copy(self.data, self.url, code=1).stderr)
        (self.plugins / "hello/plugin.json").write_text(json.dumps(manifest))
        (self.plugins / "hello").rename(self.root / "hello")
        self.assertIn("The plugin hello has data, but no folder", self.copy(self.data, self.url, code=1).stderr)
        (self.root / "hello").rename(self.plugins / "hello")
        self.assertEqual(original, self.migration.read_text())
        # Targets that hold data they must not hold, and invalid targets.
        other = self.cluster.make(self.name + "_x")
        strange = self.root / "strange"
        Server(data=strange, environment={"TENON_DATABASE": other}, plugins=self.root / "none").start().close()
        self.assertIn("is not empty", self.copy(self.data, other, code=1).stderr)
        self.assertIn("does not belong to", self.copy(other, self.data, code=1).stderr)
        self.assertIn("There is no data directory", self.copy(self.root / "nowhere", self.url, code=1).stderr)
        # Written by another version, and a target that holds a copy of something else.
        again = shutil.copytree(self.data, self.root / "again")

        def as_of_another_version(sql):
            with sqlite3.connect(self.data / "tenon.db") as database:
                database.execute(sql)
            database.close()

        as_of_another_version("INSERT INTO tenon_migrations SELECT 'another', number, name, checksum, applied FROM tenon_migrations LIMIT 1")
        self.assertIn("The source was written by another version of the server", self.copy(self.data, self.url, code=1).stderr)
        as_of_another_version("DELETE FROM tenon_migrations WHERE owner = 'another'")
        self.copy(self.data, self.url)
        self.assertIn(f"The target holds a copy of another installation (sqlite {self.data})", self.copy(again, self.url, code=1).stderr)
        for wrong in (("data",), ("data", "copy"), ("data", "copy", "--from", "a", "--to", "b"), ("data", "move")):
            self.assertEqual(2, tenon(*wrong).returncode, wrong)
        self.assertIn("Copies an installation between SQLite and PostgreSQL", tenon("data", "--help").stdout)

    def test_keeps_target_when_source_is_invalid(self):
        self.fill()
        self.assertIn("There is no installation in", self.copy(self.url, self.data, code=1).stderr)
        self.start().stop()
        self.assertIn("Source and target are the same database", self.copy(self.url, self.url, "--data", self.data, code=1).stderr)

    def test_names_text_that_postgresql_rejects(self):
        self.fill()

        def describe(text):
            with sqlite3.connect(self.data / "tenon.db") as database:
                database.execute("UPDATE identity_groups SET description = ?", [text])
                (group,), = database.execute("SELECT id FROM identity_groups")
            database.close()
            return group

        group = describe("a\0b")
        said = self.copy(self.data, self.url, code=1).stderr
        self.assertIn(f"core: The row of identity_groups with id = '{group}' cannot be copied: description: PostgreSQL keeps no text "
                      "with the character U+0000", said)
        self.assertIn("Change it with a server on the source, empty the target, and copy again.", said)
        describe("ab")
        self.copy(self.data, self.url)
        self.start(self.url)


class KilledCopy(CopyCase):
    @staticmethod
    def sampled(name, lines):
        """All of them, or two."""
        return lines if FULL else sorted(chance(name).sample(lines, 2))

    def test_completes_copy_killed_again_and_again(self):
        ada, before = self.fill()
        for lines in self.sampled("killed copies there", (1, 4, 9, 14, 18, 24, 30)):
            process = subprocess.Popen([str(BINARY), *map(str, self.arguments(self.data, self.url))], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            for _, line in zip(range(lines), process.stderr):
                self.assertRegex(line, r"^(copied|compared) [a-z-]+\.\w+: \d+ of \d+ rows")
            process.kill()
            process.wait()
            process.stderr.close()
            if process.returncode == 0:
                break
            self.is_unfinished(self.url)
            self.assertIn("database.copy_unfinished", self.doctor(self.url)[1])
        self.copy(self.data, self.url)
        server = self.start(self.url)
        self.moved(ada, server, before)
        server.stop()
        self.put_files_away()
        for lines in self.sampled("killed copies back", (1, 9, 14, 24)):
            process = subprocess.Popen([str(BINARY), *map(str, self.arguments(self.url, self.data))], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            for _ in zip(range(lines), process.stderr):
                pass
            process.kill()
            process.wait()
            process.stderr.close()
            if process.returncode == 0:
                break
            self.is_unfinished()
            self.assertIn("database.copy_unfinished", self.doctor()[1])
        self.copy(self.url, self.data)
        self.moved(ada, self.start(), before)



if __name__ == "__main__":
    unittest.main()
