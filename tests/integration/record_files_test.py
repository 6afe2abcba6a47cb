"""Files of records in the real server: uploaded in pieces, taken by a record, shown behind its rules, and gone with it."""

import base64
import hashlib
import json
import pathlib
import shutil
import tempfile
import time

from tenon import BUILD, Client, TenonTest, tenon

TUS = {"Tus-Resumable": "1.0.0"}
STREAM = {**TUS, "Content-Type": "application/offset+octet-stream"}
TABLES = {"tables": [
    {"name": "papers", "publish": True, "authorship": True,
     "rules": {"read": "created_by = @user", "create": "true", "update": "created_by = @user", "delete": "created_by = @user"},
     "fields": [{"name": "title", "type": "text"}, {"name": "scan", "type": "blob", "max_bytes": 300000}]},
]}


class RecordFiles(TenonTest):
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
        """The id of the upload, brought in two pieces."""
        made = client.post("/api/keeps-files/blobs", headers={
            **TUS, "Upload-Length": str(len(content)), "Upload-Metadata": "filename " + base64.b64encode(name.encode()).decode()})
        self.assertEqual(made.status, 201, made)
        where, half = made.headers["location"], len(content) // 2
        for offset, piece in ((0, content[:half]), (half, content[half:])):
            brought = client.patch(where, piece, headers={**STREAM, "Upload-Offset": str(offset)})
            self.assertEqual(brought.status, 204, brought)
        return where.rsplit("/", 1)[1]

    def is_kept(self, content):
        name = hashlib.sha256(content).hexdigest()
        return (pathlib.Path(self.server.data) / "blobs/keeps-files" / name[:2] / name[2:]).exists()

    def wait_for(self, is_so):
        deadline = time.monotonic() + 30
        while not is_so():
            self.assertLess(time.monotonic(), deadline, "it never came")
            time.sleep(0.05)

    def test_an_upload_lives_with_its_record(self):
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
