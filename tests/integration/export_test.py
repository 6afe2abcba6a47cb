"""The data of a plugin that is removed: written into one file, listed, taken out, deleted; taken back by an installation, or refused."""

import base64
import contextlib
import hashlib
import io
import json
import pathlib
import shutil
import sqlite3
import tarfile
import tempfile
import unittest

from tenon import BUILD, Client, Server, TenonTest, core_rows, eventually, tenon

SOURCE = BUILD / "tests/plugins/zoo/grows/grows"
TUS = {"Tus-Resumable": "1.0.0"}
RULES = {"read": "true", "create": "true", "update": "true"}
SLOW = {"name": "slow", "fields": [{"name": "version", "type": "text"}]}
ITEMS = {"name": "items", "publish": True, "authorship": True, "version": True, "timestamps": True, "rules": RULES,
         "fields": [{"name": "title", "type": "text"}, {"name": "scan", "type": "blob"}]}
LATER = {**ITEMS, "fields": [*ITEMS["fields"], {"name": "done", "type": "boolean", "required": True, "default": False}]}
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4000


class ExportTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-export-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        done = tenon("plugin", "keygen", self.root / "ada", "--no-password")
        self.assertEqual(done.returncode, 0, done)
        self.server, self.ada = self.new_server("data")

    def new_server(self, name):
        server = Server("--plugins", str(BUILD / "lib/tenon/plugins"), data=self.root / name).start()
        self.addCleanup(server.close)
        client = Client(server)
        self.addCleanup(client.close)
        made = client.post("/api/core/setup", {"token": server.setup_link_token(), "login": "ada", "name": "Ada",
                                               "password": "correct horse battery"})
        self.assertEqual(made.status, 201, made)
        key = (self.root / "ada.pub").read_text()
        self.assertEqual(client.post("/api/core/keys", {"key": key, "name": "ada"}).status, 201)
        return server, client

    def package(self, version, tables=(ITEMS, SLOW), **manifest):
        folder = self.root / "build" / version / "grows"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SOURCE, folder)
        [library] = folder.rglob("grows.so")
        library.write_bytes(library.read_bytes().replace(b"1.0.0", version.encode()))
        own = json.loads((folder / "plugin.json").read_text())
        (folder / "plugin.json").write_text(json.dumps({**own, "version": version, **manifest}))
        (folder / "tables.json").write_text(json.dumps({"tables": list(tables)}))
        file = self.root / f"grows-{version}.tenon"
        for arguments in (("pack", folder, "--output", file), ("sign", file, "--key", self.root / "ada.key")):
            done = tenon("plugin", *arguments)
            self.assertEqual(done.returncode, 0, done)
        return file

    def send(self, file, data="", client=None):
        path = "/api/core/plugins" + (f"?data={data}" if data else "")
        return (client or self.ada).post(path, file.read_bytes(), headers={"Content-Type": "application/octet-stream"})

    def install(self, version, **options):
        answer = self.send(self.package(version, **options))
        self.assertEqual((answer.status, answer.json().get("state")), (200, "active"), answer)

    def upload(self, content):
        made = self.ada.post("/api/grows/blobs", headers={**TUS, "Upload-Length": str(len(content)),
                                                          "Upload-Metadata": "filename " + base64.b64encode(b"a.png").decode()})
        self.assertEqual(made.status, 201, made)
        brought = self.ada.patch(made.headers["location"], content, headers={
            **TUS, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"})
        self.assertEqual(brought.status, 204, brought)
        return made.headers["location"].rsplit("/", 1)[1]

    def fill(self):
        """Records with a history, two files and a setting: what is there then."""
        first = self.ada.post("/api/grows/items", {"title": "one", "scan": {"upload": self.upload(PICTURE)}})
        self.assertEqual(first.status, 201, first)
        changed = self.ada.patch(first.headers["location"], {"title": "first"}, headers={"If-Match": first.headers["etag"]})
        self.assertEqual((changed.status, changed.json()["version"]), (200, 2), changed)
        self.ada.post("/api/grows/items", {"title": "two", "scan": {"upload": self.upload(b"words")}})
        self.ada.post("/api/grows/items", {"title": "three"})
        core_rows(self.server, "INSERT INTO plugins_settings VALUES('grows', 'greeting', '{\"text\": \"hello\"}')")
        return self.contents()

    def contents(self, client=None, server=None):
        client, server = client or self.ada, server or self.server
        items = client.get("/api/grows/items?sort=title").json()["items"]
        files = [client.get(f"/api/grows/items/{item['id']}/scan").body for item in items if item["scan"]]
        settings = core_rows(server, "SELECT key, value FROM plugins_settings WHERE plugin = 'grows'")
        claims = core_rows(server, "SELECT key, id FROM blobs_claims WHERE plugin = 'grows' ORDER BY key")
        return items, files, settings, claims

    def remove(self, choice="export", client=None):
        answer = (client or self.ada).delete(f"/api/core/plugins/grows?data={choice}")
        self.assertEqual(answer.status, 200 if choice == "export" else 204, answer)
        return answer.json()["export"] if choice == "export" else None

    def exports(self, client=None):
        return (client or self.ada).get("/api/core/exports").json()["items"]

    def assert_nothing(self, server=None):
        data = (server or self.server).data
        self.assertEqual(list(data.glob("grows.db*")), [])
        for table in ("plugins_settings", "blobs_claims", "plugins_changes", "plugins_versions", "plugins_pins"):
            self.assertEqual(core_rows(server or self.server, f"SELECT * FROM {table} WHERE plugin = 'grows'"), [], table)
        hidden = [path.name for path in (data / "exports").glob(".*")] if (data / "exports").exists() else []
        self.assertEqual((hidden, list((data / "plugins").glob(".staging/*"))), ([], []))

    def assert_problem(self, answer, status, code):
        self.assertEqual((answer.status, answer.json()["code"]), (status, code), answer)
        return answer.json()["detail"]

    def test_data_go_into_a_file_and_come_back_as_they_were(self):
        self.install("1.0.0")
        before = self.fill()
        self.assertEqual([item["version"] for item in before[0]], [2, 1, 1])
        self.assertEqual(before[1], [PICTURE, b"words"])
        name = self.remove()
        self.assert_nothing()
        [item] = self.exports()
        facts = item["facts"]
        self.assertEqual((item["name"], item["reason"], facts["plugin"], facts["version"], facts["records"], facts["files"],
                          facts["file_bytes"], facts["tables"]),
                         (name, None, "grows", "1.0.0", 3, 2, len(PICTURE) + 5,
                          [{"table": "items", "records": 3}, {"table": "slow", "records": 0}]), item)
        self.assertEqual(self.ada.get("/api/core/exports?plugin=notes").json()["items"], [])
        self.assertEqual(self.ada.get(f"/api/core/exports/{name}").json(), item)
        # An ordinary archive, for the admin alone.
        file = self.ada.get(f"/api/core/exports/{name}/file")
        self.assertEqual((file.status, file.headers["content-disposition"], len(file.body)),
                         (200, f'attachment; filename="{name}"', item["bytes"]), file.headers)
        part = self.ada.get(f"/api/core/exports/{name}/file", Range="bytes=0-99")
        self.assertEqual((part.status, part.body), (206, file.body[:100]))
        with tarfile.open(fileobj=io.BytesIO(file.body)) as archive:
            names = archive.getnames()
            self.assertEqual((names[:3], names[-2:]), (["export.json", "settings/1.json", "data.db"], ["claims/1.json", "hash"]), names)
            self.assertIn("blobs/" + hashlib.sha256(PICTURE).hexdigest(), names)
        # Taken back, by the next version, which migrates it.
        answer = self.send(self.package("1.1.0", tables=(LATER, SLOW)), data=name)
        self.assertEqual((answer.status, answer.json().get("version"), answer.json().get("state")), (200, "1.1.0", "active"), answer)
        after = self.contents()
        self.assertEqual([item.pop("done") for item in after[0]], [False] * 3)
        self.assertEqual(after, before)
        self.assertEqual([one["name"] for one in self.exports()], [name])
        # It lives on: a restart, a write, and another export, which has it all.
        self.server.restart()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        self.assertEqual(self.ada.post("/api/grows/items", {"title": "four", "scan": {"upload": self.upload(b"more")}}).status, 201)
        self.assertEqual(self.contents()[1], [PICTURE, b"more", b"words"])
        second = self.remove()
        self.assertEqual([one["name"] for one in self.exports()], [second, name])
        # The first is deleted; the second is taken to another server as a file.
        self.assertEqual(self.ada.delete(f"/api/core/exports/{name}").status, 204)
        self.assert_problem(self.ada.delete(f"/api/core/exports/{name}"), 404, "plugins.export_unknown")
        other, client = self.new_server("other")
        done = tenon("plugin", "install", self.root / "grows-1.1.0.tenon", "--data", other.data,
                     "--data-of-plugin", self.server.data / "exports" / second)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.contents(client, other)[1], [PICTURE, b"more", b"words"])
        actions = [row[0] for row in core_rows(self.server, "SELECT action FROM identity_audit WHERE action LIKE 'plugins.export%'")]
        self.assertEqual(sorted(actions), ["plugins.export_removed", "plugins.export_taken_out", "plugins.export_taken_out"])

    def test_by_the_command_line_without_a_server(self):
        self.install("1.0.0")
        before = self.fill()
        package = self.package("1.1.0", tables=(LATER, SLOW))
        self.server.stop()
        done = tenon("plugin", "remove", "grows", "--data", self.server.data, "--data-of-plugin", "export")
        self.assertEqual(done.returncode, 0, done)
        [file] = (self.server.data / "exports").iterdir()
        self.assertIn(str(file), done.stdout)
        listed = tenon("plugin", "exports", "--data", self.server.data)
        self.assertIn(f"{file}\n  grows 1.0.0, taken ", listed.stdout)
        # What is left is removed when the server starts; until then the export stays.
        kept = tenon("plugin", "forget-export", file.name, "--data", self.server.data)
        self.assertEqual((kept.returncode, file.exists()), (1, True), kept)
        refused = tenon("plugin", "install", package, "--data", self.server.data, "--data-of-plugin", file.name)
        self.assertEqual(refused.returncode, 1, refused)
        self.assertIn("Start it once", refused.stderr)
        self.server.start()
        self.assert_nothing()
        self.server.stop()
        done = tenon("plugin", "install", package, "--data", self.server.data, "--data-of-plugin", file.name)
        self.assertEqual(done.returncode, 0, done)
        self.server.start()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        after = self.contents()
        self.assertEqual([item.pop("done") for item in after[0]], [False] * 3)
        self.assertEqual(after, before)
        done = tenon("plugin", "forget-export", file.name, "--data", self.server.data)
        self.assertEqual((done.returncode, list(file.parent.iterdir())), (0, []), done)
        wrong = tenon("plugin", "forget-export", "../tenon.db", "--data", self.server.data)
        self.assertEqual(wrong.returncode, 1, wrong)

    def test_data_are_taken_back_only_where_there_are_none(self):
        self.install("1.0.0")
        self.fill()
        name = self.remove()
        package = self.root / "grows-1.0.0.tenon"
        self.assertEqual(self.send(package).status, 200)
        self.assertIn("it is installed", self.assert_problem(self.send(package, name), 409, "plugins.data_exists"))
        self.remove("keep")
        self.assertIn("its database is", self.assert_problem(self.send(package, name), 409, "plugins.data_exists"))
        self.assertEqual(self.send(package).status, 200)
        self.remove("purge")
        core_rows(self.server, "INSERT INTO plugins_settings VALUES('grows', 'greeting', '1')")
        self.assertIn("settings of it are", self.assert_problem(self.send(package, name), 409, "plugins.data_exists"))
        core_rows(self.server, "DELETE FROM plugins_settings")
        self.assertEqual(self.send(package, name).status, 200)
        # An older version does not take what a newer one wrote.
        self.assertEqual(self.send(self.package("1.1.0", tables=(LATER, SLOW))).status, 200)
        newer = self.remove()
        detail = self.assert_problem(self.send(package, newer), 409, "data.newer")
        self.assertIn("1.1.0", detail)
        # Nor one that would lose a field.
        lost = {**LATER, "fields": LATER["fields"][1:]}
        self.assert_problem(self.send(self.package("1.2.0", tables=(lost, SLOW)), newer), 409, "data.migration_refused")
        self.assert_nothing()
        # A version that fails when it starts leaves nothing.
        self.assert_problem(self.send(self.package("1.1.9", tables=(LATER, SLOW)), newer), 409, "plugins.start_failed")
        self.assert_nothing()
        self.assertEqual(self.ada.get("/api/core/plugins/grows").status, 404)
        self.assertEqual(self.send(self.root / "grows-1.1.0.tenon", newer).status, 200)
        self.assertEqual(len(self.contents()[0]), 3)

    def test_what_is_no_export_or_was_changed_is_refused_and_changes_nothing(self):
        self.install("1.0.0")
        self.fill()
        name = self.remove()
        package = self.root / "grows-1.0.0.tenon"
        folder = self.server.data / "exports"
        whole = (folder / name).read_bytes()
        for what, content, code in (
                ("cut", whole[:-1], "plugins.export_damaged"),
                ("cut-end", whole[:-1024], "plugins.export_damaged"),
                ("half", whole[:len(whole) // 2], "plugins.export_damaged"),
                ("longer", whole + b"\0", "plugins.export_invalid"),
                ("flipped", self.flipped(whole), "plugins.export_damaged"),
                ("empty", b"", "plugins.export_damaged"),
                ("words", b"no archive" * 200, "plugins.export_invalid"),
                ("package", package.read_bytes(), "plugins.export_invalid")):
            with self.subTest(what):
                (folder / f"{what}.tar").write_bytes(content)
                self.assert_problem(self.send(package, f"{what}.tar"), 422, code)
                self.assert_nothing()
        listed = {item["name"]: item["reason"] and item["reason"]["code"] for item in self.exports()}
        self.assertEqual((listed["words.tar"], listed["empty.tar"], listed["flipped.tar"]),
                         ("plugins.export_invalid", "plugins.export_damaged", None), listed)
        for wrong in ("nothing.tar", "../tenon.db", ".hidden.tar", "%2e%2e%2ftenon.db"):
            self.assertEqual(self.send(package, wrong).status, 404, wrong)
        self.assertEqual(self.send(package, "/etc/passwd").status, 422)
        self.assertEqual(self.ada.delete("/api/core/exports/.hidden.tar").status, 404)
        # The data of another plugin.
        other = self.rewritten(whole, "grows", "grown")
        (folder / "other.tar").write_bytes(other)
        self.assert_problem(self.send(package, "other.tar"), 409, "plugins.export_of_another")
        # Somebody who is no admin.
        self.ada.post("/api/core/users", {"login": "eve", "name": "Eve", "role": "member", "password": "correct horse battery"})
        eve = Client(self.server).sign_in("eve")
        self.addCleanup(eve.close)
        for path in ("/api/core/exports", f"/api/core/exports/{name}", f"/api/core/exports/{name}/file"):
            self.assertEqual(eve.get(path).status, 403)
        self.assertEqual(eve.delete(f"/api/core/exports/{name}").status, 403)
        self.assertEqual(self.send(package, name).status, 200)

    @staticmethod
    def flipped(whole):
        at = whole.index(b"SQLite format 3") + 5000
        return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]

    @staticmethod
    def rewritten(whole, text, other):
        """With another text in export.json, and the hash that fits it."""
        head, rest = whole[:1024 + 512], whole[1024 + 512:]
        changed = head.replace(f'"plugin":"{text}"'.encode(), f'"plugin":"{other}"'.encode()) + rest
        at = changed.rindex(b"hash\0\0\0")
        digest = hashlib.sha256(changed[:at]).hexdigest().encode()
        return changed[:at + 512] + digest + changed[at + 512 + 64:]

    def test_a_damaged_file_of_a_record_stops_the_export_and_the_plugin_stays(self):
        self.install("1.0.0")
        before = self.fill()
        digest = hashlib.sha256(PICTURE).hexdigest()
        blob = self.server.data / "blobs/grows" / digest[:2] / digest[2:]
        content = blob.read_bytes()
        blob.chmod(0o600)
        blob.write_bytes(b"X" + content[1:])
        answer = self.ada.delete("/api/core/plugins/grows?data=export")
        self.assertIn(digest, self.assert_problem(answer, 409, "plugins.export_incomplete"))
        self.assertEqual((self.ada.get("/api/core/plugins/grows").json()["state"], self.exports()), ("active", []))
        self.assertEqual(list((self.server.data / "exports").iterdir()), [])
        blob.write_bytes(content)
        self.assertEqual(self.contents(), before)
        self.remove()

    def test_a_removal_that_was_decided_is_ended_by_the_next_start(self):
        self.install("1.0.0")
        self.fill()
        name = self.remove()
        data = self.server.data
        self.server.stop()
        # As a kill behind the decision leaves it.
        (data / "exports" / name).rename(data / "exports" / f".{name}")
        (data / "exports" / ".undecided.tar").write_bytes(b"")
        with contextlib.closing(sqlite3.connect(data / "tenon.db")) as database, database:
            database.execute("INSERT INTO plugins_changes VALUES('grows', 'purge', ?, 0)", (name,))
        self.server.start()
        self.assert_nothing()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        self.assertEqual([item["name"] for item in eventually(self.exports)], [name])


class ExportOnPostgresql(TenonTest):
    engines = ("postgresql",)

    def test_there_are_no_exports_yet(self):
        client = self.client("ada")
        self.assert_problem(client.delete("/api/core/plugins/grows?data=export"), 501, "plugins.export_unsupported")
        self.assertEqual(client.get("/api/core/exports").json(), {"items": [], "next": None})


if __name__ == "__main__":
    unittest.main()
