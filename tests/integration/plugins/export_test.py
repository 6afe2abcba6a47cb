"""The data of a plugin that is removed: written into one file, listed, taken out, deleted; taken back by an installation, or refused."""

import hashlib
import io
import socket
import tarfile
import unittest

from export_case import LATER, PICTURE, SLOW, ExportCase
from tenon import BOTH, Client, core_rows, eventually, raw, tenon


class ExportTest(ExportCase):
    engines = BOTH

    def test_restores_exported_data_unchanged(self):
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
                         (name, None, "multi-version", "1.0.0", 3, 2, len(PICTURE) + 5,
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
        response = self.send(self.package("1.1.0", tables=(LATER, SLOW)), data=name)
        self.assertEqual((response.status, response.json().get("version"), response.json().get("state")), (200, "1.1.0", "active"), response)
        after = self.contents()
        self.assertEqual([item.pop("done") for item in after[0]], [False] * 3)
        self.assertEqual(after, before)
        self.assertEqual([one["name"] for one in self.exports()], [name])
        # It lives on: a restart, a write, and another export, which has it all.
        self.server.restart()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        self.assertEqual(self.ada.post("/api/multi-version/items", {"title": "four", "scan": {"upload": self.upload(b"more")}}).status, 201)
        self.assertEqual(self.contents()[1], [PICTURE, b"more", b"words"])
        second = self.remove()
        self.assertEqual([one["name"] for one in self.exports()], [second, name])
        # The first is deleted; the second is taken to another server as a file.
        self.assertEqual(self.ada.delete(f"/api/core/exports/{name}").status, 204)
        self.assert_problem(self.ada.delete(f"/api/core/exports/{name}"), 404, "plugins.export_unknown")
        other, client = self.new_server("other")
        done = tenon("plugin", "install", self.root / "multi-version-1.1.0.tenon", "--data", other.data,
                     "--restore-export", self.server.data / "exports" / second)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.contents(client, other)[1], [PICTURE, b"more", b"words"])
        actions = [row[0] for row in core_rows(self.server, "SELECT action FROM identity_audit WHERE action LIKE 'plugins.export%'")]
        self.assertEqual(sorted(actions), ["plugins.export_downloaded", "plugins.export_downloaded", "plugins.export_removed"])

    def test_exports_and_restores_offline(self):
        self.install("1.0.0")
        before = self.fill()
        package = self.package("1.1.0", tables=(LATER, SLOW))
        self.server.stop()
        done = tenon("plugin", "remove", "multi-version", "--data", self.server.data, "--data-of-plugin", "export")
        self.assertEqual(done.returncode, 0, done)
        [file] = (self.server.data / "exports").iterdir()
        self.assertIn(str(file), done.stdout)
        listed = tenon("plugin", "exports", "--data", self.server.data)
        self.assertIn(f"{file}\n  multi-version 1.0.0, taken ", listed.stdout)
        # The rest is removed when the server starts; until then the export stays.
        kept = tenon("plugin", "export", "delete", file.name, "--data", self.server.data)
        self.assertEqual((kept.returncode, file.exists()), (1, True), kept)
        refused = tenon("plugin", "install", package, "--data", self.server.data, "--restore-export", file.name)
        self.assertEqual(refused.returncode, 1, refused)
        self.assertIn("Start it once", refused.stderr)
        self.server.start()
        self.assert_nothing()
        self.server.stop()
        done = tenon("plugin", "install", package, "--data", self.server.data, "--restore-export", file.name)
        self.assertEqual(done.returncode, 0, done)
        self.server.start()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        after = self.contents()
        self.assertEqual([item.pop("done") for item in after[0]], [False] * 3)
        self.assertEqual(after, before)
        done = tenon("plugin", "export", "delete", file.name, "--data", self.server.data)
        self.assertEqual((done.returncode, list(file.parent.iterdir())), (0, []), done)
        # The former name of the command.
        wrong = tenon("plugin", "forget-export", "../tenon.db", "--data", self.server.data)
        self.assertEqual(wrong.returncode, 1, wrong)

    def test_restores_only_where_no_data_exists(self):
        self.install("1.0.0")
        self.fill()
        name = self.remove()
        package = self.root / "multi-version-1.0.0.tenon"
        self.assertEqual(self.send(package).status, 200)
        self.assertIn("it is installed", self.assert_problem(self.send(package, name), 409, "plugins.data_exists"))
        self.remove("keep")
        self.assertIn("its database is", self.assert_problem(self.send(package, name), 409, "plugins.data_exists"))
        self.assertEqual(self.send(package).status, 200)
        self.remove("purge")
        core_rows(self.server, "INSERT INTO plugins_settings VALUES('multi-version', 'greeting', '1')")
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
        self.assertEqual(self.ada.get("/api/core/plugins/multi-version").status, 404)
        self.assertEqual(self.send(self.root / "multi-version-1.1.0.tenon", newer).status, 200)
        self.assertEqual(len(self.contents()[0]), 3)

    def test_rejects_invalid_export_and_changes_nothing(self):
        self.install("1.0.0")
        self.fill()
        name = self.remove()
        package = self.root / "multi-version-1.0.0.tenon"
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
        other = self.rewritten(whole, "multi-version", "other-version")
        (folder / "other.tar").write_bytes(other)
        self.assert_problem(self.send(package, "other.tar"), 409, "plugins.export_plugin_mismatch")
        # A user who is no admin.
        self.ada.post("/api/core/users", {"login": "eve", "name": "Eve", "role": "member", "password": "correct horse battery"})
        eve = Client(self.server).sign_in("eve")
        self.addCleanup(eve.close)
        for path in ("/api/core/exports", f"/api/core/exports/{name}", f"/api/core/exports/{name}/file"):
            self.assertEqual(eve.get(path).status, 403)
        self.assertEqual(eve.delete(f"/api/core/exports/{name}").status, 403)
        self.assertEqual(self.send(package, name).status, 200)

    def test_stops_export_at_damaged_file(self):
        self.install("1.0.0")
        before = self.fill()
        digest = hashlib.sha256(PICTURE).hexdigest()
        blob = self.server.data / "blobs/multi-version" / digest[:2] / digest[2:]
        content = blob.read_bytes()
        blob.chmod(0o600)
        blob.write_bytes(b"X" + content[1:])
        response = self.ada.delete("/api/core/plugins/multi-version?data=export")
        self.assertIn(digest, self.assert_problem(response, 409, "plugins.export_incomplete"))
        self.assertEqual((self.ada.get("/api/core/plugins/multi-version").json()["state"], self.exports()), ("active", []))
        self.assertEqual(list((self.server.data / "exports").iterdir()), [])
        blob.write_bytes(content)
        self.assertEqual(self.contents(), before)
        self.remove()

    def test_finishes_decided_removal_at_next_start(self):
        self.install("1.0.0")
        self.fill()
        name = self.remove()
        data = self.server.data
        self.server.stop()
        # The state that a kill after the decision leaves.
        (data / "exports" / name).rename(data / "exports" / f".{name}")
        (data / "exports" / ".undecided.tar").write_bytes(b"")
        core_rows(self.server, f"INSERT INTO plugins_changes VALUES('multi-version', 'purge', '{name}', 0)")
        self.server.start()
        self.assert_nothing()
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)
        self.assertEqual([item["name"] for item in eventually(self.exports)], [name])

    def upload_export(self, content, query="", client=None, **headers):
        return (client or self.ada).post("/api/core/exports" + query, content, headers={"Content-Type": "application/octet-stream", **headers})

    def test_uploads_and_restores_export_file(self):
        self.install("1.0.0")
        before = self.fill()
        name = self.remove()
        whole = self.ada.get(f"/api/core/exports/{name}/file").body
        self.assert_problem(self.upload_export(whole), 409, "plugins.export_exists")
        self.assertEqual(self.ada.delete(f"/api/core/exports/{name}").status, 204)
        came = self.upload_export(whole, "?plugin=multi-version")
        self.assertEqual((came.status, came.headers["location"]), (201, "/api/core/exports/" + came.json()["name"]), came)
        item = came.json()
        self.assertEqual((item["bytes"], item["facts"]["plugin"], item["reason"]), (len(whole), "multi-version", None))
        self.assertTrue(item["name"].startswith("multi-version-1.0.0-"), item)
        self.assertEqual(self.exports(), [item])
        self.assertEqual(self.ada.get(came.headers["location"] + "/file").body, whole)
        # In chunks without a total size; the same upload twice at once is one export.
        self.assertEqual(self.ada.delete(came.headers["location"]).status, 204)
        pieces = (whole[at:at + 100_000] for at in range(0, len(whole), 100_000))
        self.assertEqual(self.upload_export(pieces).status, 201)
        self.assertEqual(self.exports(), [item])
        actions = core_rows(self.server, "SELECT object FROM identity_audit WHERE action = 'plugins.export_uploaded'")
        self.assertEqual(actions, [[item["name"]]] * 2)
        self.assertEqual(self.send(self.root / "multi-version-1.0.0.tenon", item["name"]).status, 200)
        self.assertEqual(self.contents(), before)

    def test_removes_upload_that_is_no_export(self):
        self.install("1.0.0")
        self.fill()
        name = self.remove()
        whole = self.ada.get(f"/api/core/exports/{name}/file").body
        for what, content, status, code in (
                ("cut", whole[:-1], 422, "plugins.export_damaged"), ("half", whole[:len(whole) // 2], 422, "plugins.export_damaged"),
                ("flipped", self.flipped(whole), 422, "plugins.export_damaged"), ("longer", whole + b"\0", 422, "plugins.export_invalid"),
                ("nothing", b"", 422, "plugins.export_damaged"), ("words", b"no archive" * 200, 422, "plugins.export_invalid")):
            with self.subTest(what):
                said = self.assert_problem(self.upload_export(content), status, code)
                self.assertTrue(said.startswith("the export: "), said)
        other = self.rewritten(whole, "multi-version", "other-version")
        self.assertIn("other-version", self.assert_problem(self.upload_export(other, "?plugin=multi-version"), 409, "plugins.export_plugin_mismatch"))
        # Larger than may be: said before anything is read.
        head = (f"POST /api/core/exports HTTP/1.1\r\nHost: {self.server.host}:{self.server.port}\r\nSec-Fetch-Site: same-origin\r\n"
                f"Cookie: tenon_session={self.ada.cookies['tenon_session']}\r\nContent-Length: {{}}\r\n\r\n")
        self.assertIn(b"HTTP/1.1 413 ", raw(self.server, head.format(16 * 1024**3 + 1).encode()))
        # A client that disconnects in the middle; another site; no admin.
        with socket.create_connection((self.server.host, self.server.port)) as connection:
            connection.sendall(head.format(len(whole)).encode() + whole[:200_000])
            self.assertTrue(eventually(lambda: list((self.server.data / "exports").glob(".*"))))
        self.assertTrue(eventually(lambda: not list((self.server.data / "exports").glob(".*"))))
        self.assertEqual(self.upload_export(whole, **{"Sec-Fetch-Site": "cross-site"}).status, 403)
        self.ada.post("/api/core/users", {"login": "eve", "name": "Eve", "role": "member", "password": "correct horse battery"})
        eve = Client(self.server).sign_in("eve")
        self.addCleanup(eve.close)
        self.assertEqual(self.upload_export(whole, client=eve).status, 403)
        self.assertEqual([item["name"] for item in self.exports()], [name])
        self.assertEqual([path.name for path in (self.server.data / "exports").iterdir()], [name])


if __name__ == "__main__":
    unittest.main()
