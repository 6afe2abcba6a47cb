"""A server with an admin and a trusted key, packages of the plugin `multi-version` of the zoo, its data, and exports of them."""

import base64
import hashlib
import json
import pathlib
import shutil
import tempfile
import unittest

from tenon import BUILD, ENGINE, Client, Server, core_rows, tenon

SOURCE = BUILD / "tests/plugins/zoo/multi_version/multi-version"
TUS = {"Tus-Resumable": "1.0.0"}
RULES = {"read": "true", "create": "true", "update": "true"}
SLOW = {"name": "slow", "fields": [{"name": "version", "type": "text"}]}
ITEMS = {"name": "items", "publish": True, "authorship": True, "version": True, "timestamps": True, "rules": RULES,
         "fields": [{"name": "title", "type": "text"}, {"name": "scan", "type": "blob"}]}
LATER = {**ITEMS, "fields": [*ITEMS["fields"], {"name": "done", "type": "boolean", "required": True, "default": False}]}
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4000


class ExportCase(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-export-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        done = tenon("plugin", "keygen", self.root / "ada", "--no-password")
        self.assertEqual(done.returncode, 0, done)
        self.server, self.ada = self.new_server("data")

    def new_server(self, name, environment=None):
        server = Server("--plugins", self.root / "none", data=self.root / name, environment=environment).start()
        self.addCleanup(server.close)
        client = Client(server)
        self.addCleanup(client.close)
        made = client.post("/api/core/setup", {"token": server.setup_link_token(), "login": "ada", "name": "Ada",
                                               "password": "correct horse battery"})
        self.assertEqual(made.status, 201, made)
        key = (self.root / "ada.pub").read_text()
        self.assertEqual(client.post("/api/core/keys", {"key": key, "name": "ada"}).status, 201)
        return server, client

    def package(self, version, tables=(ITEMS, SLOW), migrations=(), **manifest):
        folder = self.root / "build" / version / "multi-version"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SOURCE, folder)
        [library] = folder.rglob("multi-version.so")
        library.write_bytes(library.read_bytes().replace(b"1.0.0", version.encode()))
        own = json.loads((folder / "plugin.json").read_text())
        (folder / "plugin.json").write_text(json.dumps({**own, "version": version, **manifest}))
        (folder / "tables.json").write_text(json.dumps({"tables": list(tables)}))
        for name in migrations:
            (folder / "migrations").mkdir(exist_ok=True)
            (folder / "migrations" / name).write_text(migrations[name])
        file = self.root / f"multi-version-{version}.tenon"
        for arguments in (("pack", folder, "--output", file), ("sign", file, "--key", self.root / "ada.key")):
            done = tenon("plugin", *arguments)
            self.assertEqual(done.returncode, 0, done)
        return file

    def send(self, file, data="", client=None):
        path = "/api/core/plugins" + (f"?data={data}" if data else "")
        return (client or self.ada).post(path, file.read_bytes(), headers={"Content-Type": "application/octet-stream"})

    def install(self, version, **options):
        response = self.send(self.package(version, **options))
        self.assertEqual((response.status, response.json().get("state")), (200, "active"), response)

    def upload(self, content):
        made = self.ada.post("/api/multi-version/blobs", headers={**TUS, "Upload-Length": str(len(content)),
                                                          "Upload-Metadata": "filename " + base64.b64encode(b"a.png").decode()})
        self.assertEqual(made.status, 201, made)
        uploaded = self.ada.patch(made.headers["location"], content, headers={
            **TUS, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"})
        self.assertEqual(uploaded.status, 204, uploaded)
        return made.headers["location"].rsplit("/", 1)[1]

    def fill(self):
        """Records with a history, two files and a setting: what is there then."""
        first = self.ada.post("/api/multi-version/items", {"title": "one", "scan": {"upload": self.upload(PICTURE)}})
        self.assertEqual(first.status, 201, first)
        changed = self.ada.patch(first.headers["location"], {"title": "first"}, headers={"If-Match": first.headers["etag"]})
        self.assertEqual((changed.status, changed.json()["version"]), (200, 2), changed)
        self.ada.post("/api/multi-version/items", {"title": "two", "scan": {"upload": self.upload(b"words")}})
        self.ada.post("/api/multi-version/items", {"title": "three"})
        core_rows(self.server, "INSERT INTO plugins_settings VALUES('multi-version', 'greeting', '{\"text\": \"hello\"}')")
        return self.contents()

    def contents(self, client=None, server=None):
        client, server = client or self.ada, server or self.server
        items = client.get("/api/multi-version/items?sort=title").json()["items"]
        files = [client.get(f"/api/multi-version/items/{item['id']}/scan").body for item in items if item["scan"]]
        settings = core_rows(server, "SELECT key, value FROM plugins_settings WHERE plugin = 'multi-version'")
        claims = core_rows(server, "SELECT key, id FROM blobs_claims WHERE plugin = 'multi-version' ORDER BY key")
        return items, files, settings, claims

    def remove(self, choice="export", client=None):
        response = (client or self.ada).delete(f"/api/core/plugins/multi-version?data={choice}")
        self.assertEqual(response.status, 200 if choice == "export" else 204, response)
        return response.json()["export"] if choice == "export" else None

    def exports(self, client=None):
        return (client or self.ada).get("/api/core/exports").json()["items"]

    def assert_nothing(self, server=None):
        data = (server or self.server).data
        self.assertEqual(list(data.glob("multi-version.db*")), [])
        if ENGINE == "postgresql":
            left = ("SELECT nspname FROM pg_namespace WHERE nspname = 'plugin_multi-version' "
                    "UNION SELECT plugin FROM tenon_roles WHERE plugin = 'multi-version'")
            self.assertEqual(core_rows(server or self.server, left), [])
        for table in ("plugins_settings", "blobs_claims", "plugins_changes", "plugins_versions", "plugins_pins"):
            self.assertEqual(core_rows(server or self.server, f"SELECT * FROM {table} WHERE plugin = 'multi-version'"), [], table)
        hidden = [path.name for path in (data / "exports").glob(".*")] if (data / "exports").exists() else []
        self.assertEqual((hidden, list((data / "plugins").glob(".staging/*"))), ([], []))

    def assert_problem(self, response, status, code):
        self.assertEqual((response.status, response.json()["code"]), (status, code), response)
        return response.json()["detail"]

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
