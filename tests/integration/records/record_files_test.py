"""Files of records in the real server: uploaded in pieces, claimed by a record, shown by its rules, and gone with it."""

import base64
import hashlib
import json
import pathlib
import shutil
import tempfile
import time
import uuid

from tenon import BOTH_IN_FULL, BUILD, ENGINE, Client, TenonTest, core_rows, eventually, tenon

TUS = {"Tus-Resumable": "1.0.0"}
STREAM = {**TUS, "Content-Type": "application/offset+octet-stream"}
TABLES = {"tables": [
    {"name": "papers", "publish": True, "authorship": True,
     "rules": {"read": "created_by = @user", "create": "true", "update": "created_by = @user", "delete": "created_by = @user"},
     "fields": [{"name": "title", "type": "text"}, {"name": "scan", "type": "blob", "max_bytes": 300000}]},
]}


# A plugin that says nothing of uploads: its tables take them.
TABLES_ALONE = {"tables": [
    {"name": "scans", "publish": True,
     "rules": {"read": "true", "create": "can('hello.scan')", "update": "keeper in @groups"},
     "fields": [{"name": "keeper", "type": "reference", "table": "core:groups", "writable": True},
                {"name": "page", "type": "blob", "max_bytes": 5000},
                {"name": "stamp", "type": "blob", "max_bytes": 9000000, "read_only": True}]},
    {"name": "words", "publish": True, "rules": {"read": "true", "create": "true"}, "fields": [{"name": "word", "type": "text"}]},
]}


class RecordFiles(TenonTest):
    engines = BOTH_IN_FULL

    @classmethod
    def setUpClass(cls):
        plugins = pathlib.Path(tempfile.mkdtemp(prefix="tenon-record-files-"))
        cls.addClassCleanup(shutil.rmtree, plugins, ignore_errors=True)
        source = next((BUILD / "tests/plugins/zoo/keeps_files").rglob("plugin.json")).parent
        shutil.copytree(source, plugins / "keeps-files")
        (plugins / "keeps-files" / "tables.json").write_text(json.dumps(TABLES))
        cls.arguments = ("--plugins", str(plugins), "--blobs-grace", "1s")
        super().setUpClass()
        done = tenon("user", "add", "bob", "--role", "member", "--password-stdin", "--data", cls.server.data,
                     stdin="correct horse battery\n")
        assert done.returncode == 0, done.stderr

    def setUp(self):
        self.ada, self.bob = map(self.client_of, ("ada", "bob"))

    def client_of(self, login):
        client = Client(self.server).sign_in(login)
        self.addCleanup(client.close)
        return client

    def upload(self, client, content, name="scan.txt"):
        """Uploads in two pieces; returns the id of the upload."""
        made = client.post("/api/keeps-files/blobs", headers={
            **TUS, "Upload-Length": str(len(content)), "Upload-Metadata": "filename " + base64.b64encode(name.encode()).decode()})
        self.assertEqual(made.status, 201, made)
        where, half = made.headers["location"], len(content) // 2
        for offset, piece in ((0, content[:half]), (half, content[half:])):
            sent = client.patch(where, piece, headers={**STREAM, "Upload-Offset": str(offset)})
            self.assertEqual(sent.status, 204, sent)
        return where.rsplit("/", 1)[1]

    def is_kept(self, content):
        name = hashlib.sha256(content).hexdigest()
        return (pathlib.Path(self.server.data) / "blobs/keeps-files" / name[:2] / name[2:]).exists()

    def wait_for(self, is_so):
        deadline = time.monotonic() + 60
        while not is_so():
            self.assertLess(time.monotonic(), deadline, "it never came")
            time.sleep(0.05)

    def test_keeps_upload_as_long_as_its_record(self):
        first, second = bytes(range(256)) * 1000, b"second" * 1000
        made = self.ada.post("/api/keeps-files/papers", {"scan": {"upload": self.upload(self.ada, first)}})
        self.assertEqual(made.status, 201, made)
        path, scan = made.headers["location"], made.json()["scan"]
        self.assertEqual(scan, {"id": hashlib.sha256(first).hexdigest(), "name": "scan.txt",
                                "type": "application/octet-stream", "size": len(first)})
        part = self.ada.get(f"{path}/scan/{scan['id']}", Range="bytes=1000-1999")
        self.assertEqual((part.status, part.body), (206, first[1000:2000]))
        self.assertEqual(self.bob.get(f"{path}/scan").status, 404)
        self.assertEqual(self.bob.get(f"{path}/scan/{scan['id']}").status, 404)
        # An upload is its owner's alone.
        self.assert_problem(self.bob.post("/api/keeps-files/papers", {"scan": {"upload": self.upload(self.ada, b"hers")}}),
                            422, "records.validation")
        self.assert_problem(self.ada.patch(path, {"scan": {"upload": self.upload(self.ada, b"x" * 300001)}}),
                            422, "records.validation")
        self.server.kill()
        self.server.start()
        ada = self.ada = self.client_of("ada")
        self.assertEqual(ada.get(f"{path}/scan").body, first)
        self.assertTrue(self.is_kept(first))
        # Replaced and deleted: what no record has any more is swept.
        self.assertEqual(ada.patch(path, {"scan": {"upload": self.upload(ada, second)}}).status, 200)
        self.assertEqual(ada.get(f"{path}/scan").body, second)
        self.wait_for(lambda: not self.is_kept(first))
        self.assertTrue(self.is_kept(second))
        self.assertEqual(ada.delete(path).status, 204)
        self.wait_for(lambda: not self.is_kept(second))


class FilesOfTables(TenonTest):
    engines = BOTH_IN_FULL

    @classmethod
    def setUpClass(cls):
        plugins = pathlib.Path(tempfile.mkdtemp(prefix="tenon-table-files-"))
        cls.addClassCleanup(shutil.rmtree, plugins, ignore_errors=True)
        shutil.copytree(next((BUILD / "tests/plugins/hello").rglob("plugin.json")).parent, plugins / "hello")
        manifest = json.loads((plugins / "hello/plugin.json").read_text())
        manifest["permissions"] = [{"id": "hello.scan", "title": "Scan", "roles": []}]
        (plugins / "hello/plugin.json").write_text(json.dumps(manifest))
        (plugins / "hello/tables.json").write_text(json.dumps(TABLES_ALONE))
        cls.arguments = ("--plugins", str(plugins))
        super().setUpClass()
        done = tenon("user", "add", "bob", "--role", "member", "--password-stdin", "--data", cls.server.data,
                     stdin="correct horse battery\n")
        assert done.returncode == 0, done.stderr

    def client_of(self, login):
        client = Client(self.server).sign_in(login)
        self.addCleanup(client.close)
        return client

    def begin(self, client, size):
        return client.post("/api/hello/blobs", headers={**TUS, "Upload-Length": str(size)})

    def test_allows_upload_to_writers_of_records_with_files(self):
        ada, bob = self.client_of("ada"), self.client_of("bob")
        made = self.begin(ada, 4)
        self.assertEqual(made.status, 201, made)
        path = made.headers["location"]
        sent = ada.patch(path, b"page", headers={**STREAM, "Upload-Offset": "0"})
        self.assertEqual(sent.status, 204, sent)
        record = ada.post("/api/hello/scans", {"page": {"upload": path.rsplit("/", 1)[1]}})
        self.assertEqual(record.status, 201, record)
        self.assertEqual(ada.get(record.headers["location"] + "/page").body, b"page")
        # As large as the largest field that can be written, and no larger.
        self.assertEqual(self.begin(ada, 5000).status, 201)
        self.assert_problem(self.begin(ada, 5001), 413, "blobs.too_large")
        # He may create words, which have no files, and is in no group whose scans he may change.
        self.assert_problem(self.begin(bob, 4), 403, "records.forbidden")
        stranger = Client(self.server)
        self.addCleanup(stranger.close)
        self.assert_problem(self.begin(stranger, 4), 401, "identity.signed_out")
        group = ada.post("/api/core/groups", {"name": "Keepers"}).json()
        bob_id = bob.get("/api/core/session").json()["user"]["id"]
        members = f"/api/core/groups/{group['id']}/members"
        self.assertEqual(ada.post(members, {"add": [bob_id]}).status, 200)
        begun = self.begin(bob, 4)
        self.assertEqual(begun.status, 201, begun)
        # The upload of another user is not found; losing the permission ends one's own.
        self.assertEqual(ada.patch(begun.headers["location"], b"page", headers={**STREAM, "Upload-Offset": "0"}).status, 404)
        self.assertEqual(ada.post(members, {"remove": [bob_id]}).status, 200)
        self.assert_problem(bob.patch(begun.headers["location"], b"page", headers={**STREAM, "Upload-Offset": "0"}),
                            403, "records.forbidden")

    def test_reports_and_releases_claims_left_by_crash(self):
        ada = self.client_of("ada")
        path = self.begin(ada, 5).headers["location"]
        ada.patch(path, b"scrap", headers={**STREAM, "Upload-Offset": "0"})
        record = ada.post("/api/hello/scans", {"page": {"upload": path.rsplit("/", 1)[1]}})
        self.assertEqual(record.status, 201, record)
        self.server.kill()
        left = f"records/{uuid.uuid4()}"
        # The state after the server ends between the claim and the record.
        scrap = hashlib.sha256(b"scrap").hexdigest()
        core_rows(self.server, f"INSERT INTO blobs_claims (plugin, key, id) VALUES ('hello', '{left}', '{scrap}')")
        if ENGINE == "sqlite":  # of a database the doctor looks at the server alone
            report = tenon("doctor", "--json", "--data", self.server.data)
            notes = [found for check in json.loads(report.stdout)["checks"] for found in check["findings"]
                     if found["code"] == "blobs.orphaned_claims"]
            self.assertEqual([(found["where"], found["severity"]) for found in notes], [("hello", "note")], report.stdout)
        self.server.start()
        self.assert_logged("released orphaned claims of files")

        def keys():
            return [key for (key,) in core_rows(self.server, "SELECT key FROM blobs_claims WHERE plugin = 'hello'")]
        eventually(lambda: left not in keys())
        self.assertNotEqual(keys(), [], "what records have stays claimed")
        self.assertNotIn("blobs.orphaned_claims", tenon("doctor", "--json", "--data", self.server.data).stdout)
