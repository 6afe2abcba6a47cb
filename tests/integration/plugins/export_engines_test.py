"""Exports between the engines: what was exported on one is taken back on the other; hostile ones and kills on PostgreSQL."""

import contextlib
import hashlib
import io
import json
import sqlite3
import tarfile
import tempfile
import threading
import time
import unittest

import postgresql
from export_case import ITEMS, LATER, PICTURE, RULES, SLOW, ExportCase
from tenon import Client, core_rows, plugin_rows, tenon

ON_SQLITE = {"TENON_DATABASE": ""}
KINDS = {"name": "kinds", "publish": True, "rules": RULES, "authorship": True,
         "fields": [{"name": "word", "type": "text", "searchable": True}, {"name": "number", "type": "integer", "unique": True},
                    {"name": "price", "type": "number"}, {"name": "borrowed", "type": "boolean"}, {"name": "bought", "type": "date"},
                    {"name": "read", "type": "datetime"}, {"name": "extra", "type": "json"},
                    {"name": "kind", "type": "choice", "choices": ["a", "b"]},
                    {"name": "marks", "type": "choice", "choices": ["x", "y"], "many": True},
                    {"name": "best", "type": "reference", "table": "items"}, {"name": "like", "type": "reference", "table": "kinds", "many": True}]}
TOTALS = {"0001_totals.sql": "CREATE TABLE totals (n INTEGER NOT NULL, raw BLOB) STRICT;\nINSERT INTO totals VALUES (7, x'00ff');\n",
          "0001_totals.pg.sql": "CREATE TABLE totals (n bigint NOT NULL, raw bytea);\nINSERT INTO totals VALUES (7, '\\x00ff');\n"}
MANY = 1_500


class ExportEnginesTest(ExportCase):
    engines = ("postgresql",)

    def kinds(self, client):
        """Records of all kinds, those of some thousands by number."""
        found = client.get("/api/multi-version/kinds?sort=number&limit=3").json()["items"]
        last = client.get("/api/multi-version/kinds?sort=-number&limit=3").json()["items"]
        words = [item["number"] for item in client.get("/api/multi-version/kinds?q=needle").json()["items"]]
        return found, last, words

    def fill_kinds(self, client):
        first = client.get("/api/multi-version/items?sort=title").json()["items"][0]["id"]
        liked = []
        for begin in range(0, MANY, 100):
            rows = [{"word": f"Wört {number} \"'\\" + (" needle" if number == 77 else ""), "number": number * 10**12, "price": number / 3,
                     "borrowed": number % 2 == 0, "bought": "2026-11-22", "read": "2026-11-22T10:00:00.123Z",
                     "extra": {"a": [number, None, "x"]}, "kind": "b", "marks": ["x", "y"], "best": first, "like": liked}
                    for number in range(begin, begin + 100)]
            response = client.post("/api/multi-version/kinds/batch", {"create": rows})
            self.assertEqual(response.status, 200, response)
            liked = [item["id"] for item in client.get("/api/multi-version/kinds?limit=2").json()["items"]]

    def totals(self, server):
        if server.environment["TENON_DATABASE"]:
            return plugin_rows(server, "multi-version", "SELECT n, encode(raw, 'hex') FROM totals")
        with contextlib.closing(sqlite3.connect(server.data / "multi-version.db")) as database:
            return [[str(n), raw] for n, raw in database.execute("SELECT n, hex(raw) FROM totals")]

    def carry(self, name, source, target):
        """The export is put where another server lists its own."""
        (target.data / "exports").mkdir(exist_ok=True)
        (target.data / "exports" / name).write_bytes((source.data / "exports" / name).read_bytes())

    def test_restores_export_on_the_other_engine(self):
        tables = {"tables": (ITEMS, SLOW, KINDS), "migrations": TOTALS}
        self.install("1.0.0", **tables)
        self.fill()
        self.fill_kinds(self.ada)
        items, kinds = self.contents()[:2], self.kinds(self.ada)
        self.assertEqual((len(kinds[0]), kinds[2]), (3, [77 * 10**12]), kinds)
        name = self.remove()
        self.assert_nothing()
        [facts] = [item["facts"] for item in self.exports()]
        self.assertEqual((facts["data_version"], facts["migration"]), ("1.0.0", 1))
        self.assertIn({"table": "kinds", "records": MANY}, facts["tables"])
        # To a server on SQLite, by a newer version; then back, by one that is newer still.
        other, client = self.new_server("other", ON_SQLITE)
        self.carry(name, self.server, other)
        taken = self.send(self.package("1.1.0", **tables), data=name, client=client)
        self.assertEqual((taken.status, taken.json().get("state")), (200, "active"), taken)
        self.assertEqual((self.items(client), self.kinds(client), self.totals(other)), (items, kinds, [["7", "00FF"]]))
        self.assertFalse((other.data / "multi-version.db-journal").exists())
        with contextlib.closing(sqlite3.connect(other.data / "multi-version.db")) as database:
            self.assertEqual(database.execute("SELECT name FROM sqlite_schema WHERE name = 'tenon_copy'").fetchall(), [])
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        self.assertEqual(client.post("/api/multi-version/kinds", {"number": 1, "word": "later"}).status, 201)
        back = self.remove(client=client)
        self.carry(back, other, self.server)
        taken = self.send(self.package("1.2.0", tables=(LATER, SLOW, KINDS), migrations=TOTALS), data=back)
        self.assertEqual((taken.status, taken.json().get("state")), (200, "active"), taken)
        after = self.items(self.ada)
        self.assertEqual([item.pop("done") for item in after[0]], [False] * 3)
        self.assertEqual((after, self.totals(self.server)), (items, [["7", "00ff"]]))
        self.assertEqual(self.kinds(self.ada)[1:], kinds[1:])
        # The data works: row ids continue, searches find new rows, an upgrade and its rollback succeed.
        self.assertEqual(self.ada.post("/api/multi-version/kinds", {"number": 2, "word": "latest"}).status, 201)
        self.assertEqual([item["number"] for item in self.ada.get("/api/multi-version/kinds?q=latest").json()["items"]], [2])
        self.install("1.3.0", tables=(LATER, SLOW, KINDS), migrations=TOTALS)
        self.assertEqual(self.ada.post("/api/core/plugins/multi-version/rollback", {}).status, 200)
        self.assertEqual(self.kinds(self.ada)[1:], kinds[1:])

    def items(self, client):
        items = client.get("/api/multi-version/items?sort=title").json()["items"]
        return items, [client.get(f"/api/multi-version/items/{item['id']}/scan").body for item in items if item["scan"]]

    def test_exports_data_of_unmigrated_upgrade_unchanged(self):
        self.install("1.0.0")
        before = self.fill()
        package = self.package("1.1.0", tables=(LATER, SLOW))
        self.server.stop()
        done = tenon("plugin", "upgrade", package, "--data", self.server.data)
        self.assertEqual(done.returncode, 0, done)
        done = tenon("plugin", "remove", "multi-version", "--data", self.server.data, "--data-of-plugin", "export")
        self.assertEqual(done.returncode, 0, done)
        self.server.start()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        [item] = self.exports()
        self.assertEqual((item["facts"]["version"], item["facts"]["data_version"]), ("1.1.0", "1.0.0"), item)
        self.assertEqual(self.send(self.root / "multi-version-1.0.0.tenon", item["name"]).status, 200)
        self.assertEqual(self.contents(), before)

    def test_rejects_export_of_undeclared_schema(self):
        self.install("1.0.0")
        self.fill()
        plugin_rows(self.server, "multi-version", "ALTER TABLE slow ADD COLUMN strange jsonb")
        detail = self.assert_problem(self.ada.delete("/api/core/plugins/multi-version?data=export"), 422, "data.copy_refused")
        self.assertIn("strange", detail)
        self.assertEqual((self.ada.get("/api/core/plugins/multi-version").json()["state"], self.exports()), ("active", []))
        self.assertEqual(list((self.server.data / "exports").iterdir()), [])
        plugin_rows(self.server, "multi-version", "ALTER TABLE slow DROP COLUMN strange")
        self.remove()

    def with_database(self, name, statements, change=lambda data: data):
        """The export `name` with a database changed by statements, and hashes that match; returns its name."""
        whole = (self.server.data / "exports" / name).read_bytes()
        with tempfile.NamedTemporaryFile(suffix=".db") as file:
            with tarfile.open(fileobj=io.BytesIO(whole)) as archive:
                entries = [(entry.name, archive.extractfile(entry).read()) for entry in archive]
            file.write(dict(entries)["data.db"])
            file.flush()
            with contextlib.closing(sqlite3.connect(file.name)) as database, database:
                for statement in statements:
                    database.execute(statement)
            with open(file.name, "rb") as content:
                data = change(content.read())
        text = bytearray()
        for entry, content in entries[:-1]:
            if entry == "export.json":
                content = json.dumps({**json.loads(content), "data_bytes": len(data)}).encode()
            text += self.entry(entry, data if entry == "data.db" else content)
        text += self.entry("hash", hashlib.sha256(text).hexdigest().encode() + b"\n") + bytes(1024)
        (self.server.data / "exports" / "hostile.tar").write_bytes(text)
        return "hostile.tar"

    @staticmethod
    def entry(name, content):
        header = bytearray(512)
        for at, field in ((0, name.encode()), (100, b"0000600"), (108, b"0000000"), (116, b"0000000"), (124, b"%011o" % len(content)),
                          (136, b"00000000000"), (156, b"0"), (257, b"ustar"), (263, b"00"), (329, b"0000000"), (337, b"0000000")):
            header[at:at + len(field)] = field
        header[148:156] = b"%06o\0 " % (sum(header) + 8 * 32)
        return bytes(header) + content + bytes(-len(content) % 512)

    def test_ignores_foreign_objects_in_export(self):
        self.install("1.0.0")
        before = self.fill()
        name = self.remove()
        package = self.root / "multi-version-1.0.0.tenon"
        injection = 'x"; DROP TABLE slow; --'.replace('"', '""')
        for what, statements, change, code in (
                ("a table more", ["CREATE TABLE more (a TEXT)", "INSERT INTO more VALUES ('x')"], bytes, "data.copy_refused"),
                ("a name that is SQL", [f'CREATE TABLE "{injection}" (a TEXT)', f"INSERT INTO \"{injection}\" VALUES ('x')"], bytes,
                 "data.copy_refused"),
                ("a column that is SQL", [f'ALTER TABLE slow ADD COLUMN "{injection}" TEXT'], bytes, "data.copy_refused"),
                ("a text that PostgreSQL has not", ["UPDATE items SET title = 'a' || char(0)"], bytes, "data.copy_refused"),
                ("a view for a table", ["ALTER TABLE slow RENAME TO quick", "CREATE VIEW slow AS SELECT * FROM quick"], bytes,
                 "data.copy_refused"),
                ("a damaged page", [], lambda data: data[:4096] + bytes(b ^ 255 for b in data[4096:8192]) + data[8192:],
                 "plugins.export_damaged"),
                ("no database", [], lambda data: b"x" * len(data), "plugins.export_damaged")):
            with self.subTest(what):
                self.assert_problem(self.send(package, self.with_database(name, statements, change)), 422, code)
                self.assert_nothing()
        # Triggers and views of a SQLite database are not imported.
        hostile = self.with_database(name, ["CREATE TRIGGER gone AFTER UPDATE ON items BEGIN DELETE FROM items; END",
                                            "CREATE VIEW seen AS SELECT 1", "CREATE INDEX other ON items (title)"])
        self.assertEqual(self.send(package, hostile).status, 200)
        self.assertEqual(self.contents(), before)
        found = plugin_rows(self.server, "multi-version",
                            "SELECT count(*) FROM pg_class WHERE relnamespace = '\"plugin_multi-version\"'::regnamespace AND "
                            "(relname IN ('seen', 'other', 'tenon_copy') OR relkind = 'v')")
        self.assertEqual(found, [["0"]])
        self.assertEqual(plugin_rows(self.server, "multi-version", "SELECT tgname FROM pg_trigger WHERE tgname = 'gone'"), [])

    # Kills. One transaction of the host decides about an export or its restore.

    def killed(self, change, is_reached):
        """Kills the server as soon as the request of another thread has reached the point."""
        responses = []

        def ask():
            client = Client(self.server).sign_in("ada")
            with contextlib.suppress(OSError):
                responses.append(change(client))
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
        self.server.start()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)

    def exporting(self, pattern):
        return lambda: [path for path in (self.server.data / "exports").glob(pattern)]

    def copying(self):
        database = self.server.environment["TENON_DATABASE"].partition("?")[0].rpartition("/")[2]
        return lambda: postgresql.cluster().sql(
            "SELECT 1 FROM pg_stat_activity WHERE usename LIKE 'plugin_multi-version_%_o' AND query LIKE 'INSERT INTO \"slow\"%'", database)

    def rows(self):
        return plugin_rows(self.server, "multi-version", "SELECT count(*), sum(hashtext(version)) FROM slow")

    def test_recovers_when_killed_during_export_or_restore(self):
        self.install("1.0.0")
        before = self.fill()
        plugin_rows(self.server, "multi-version", "INSERT INTO slow (id, version) SELECT '01900000-0000-7000-8000-' || lpad(n::text, 12, '0'), "
                    "repeat(md5(n::text), 12) FROM generate_series(1, 60000) AS s(n)")
        rows = self.rows()
        for pattern in (".*.db-begun", ".*.db", ".*.tar"):
            with self.subTest(pattern):
                self.killed(lambda client: client.delete("/api/core/plugins/multi-version?data=export"), self.exporting(pattern))
                self.assertEqual((self.contents(), self.rows(), self.exports()), (before, rows, []))
                self.assertEqual(list((self.server.data / "exports").iterdir()), [])
        name = self.remove()
        package = self.root / "multi-version-1.0.0.tenon"
        self.killed(lambda client: self.send(package, name, client), self.copying())
        self.assert_nothing()
        self.assertEqual(self.ada.get("/api/core/plugins/multi-version").status, 404)
        self.assertEqual([(item["name"], item["reason"]) for item in self.exports()], [(name, None)])
        self.assertEqual(self.send(package, name).status, 200)
        self.assertEqual((self.contents(), self.rows()), (before, rows))
        self.assertEqual(self.contents()[1], [PICTURE, b"words"])
        self.assertEqual(core_rows(self.server, "SELECT * FROM plugins_changes"), [])


if __name__ == "__main__":
    unittest.main()
