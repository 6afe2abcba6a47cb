"""Changes of an installed plugin, each from the same data again and again, and what may be found after it was broken off."""

import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))

import tenon  # noqa: E402
from made_once import made_once  # noqa: E402

SOURCE = tenon.BUILD / "tests/plugins/zoo/multi_version/multi-version"
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
SLOW = {"name": "slow", "fields": [{"name": "version", "type": "text"}]}
ITEMS = {"name": "items", "publish": True, "rules": {"read": "true", "create": "true", "update": "true"},
         "fields": [{"name": "title", "type": "text"}, {"name": "scan", "type": "blob"}]}
LATER = {**ITEMS, "fields": [*ITEMS["fields"], {"name": "done", "type": "boolean", "required": True, "default": False}]}
MARKED = {**ITEMS, "fields": [*ITEMS["fields"], {"name": "mark", "type": "text"}]}
TABLES = {"1.0.0": (ITEMS, SLOW), "1.1.0": (LATER, SLOW), "2.0.0": (MARKED, SLOW)}
# A migration that 1.1.0 can run with, and one that removes a field which 1.1.0 needs.
MIGRATIONS = {"2.0.0": {"0001_mark.sql": "-- tenon: phase expand\nUPDATE items SET mark = title;\n",
                        "0002_undone.sql": "-- tenon: phase contract\n-- tenon: upgrade-only\nALTER TABLE items DROP COLUMN done;\n"}}
TITLE = "A note of another plugin"


@dataclasses.dataclass(frozen=True)
class State:
    """The plugin as an admin and a user see it."""

    version: str = ""  # nothing: it is not there
    titles: tuple = ()
    previous: str = ""
    has_data: bool = True
    has_pin: bool = True
    exports: int = 0


GONE = State(has_data=False, has_pin=False)
EXPORTED = State(has_data=False, has_pin=False, exports=1)
OLD = State("1.0.0", ("one",))
NEW = State("1.1.0", ("one", "two"), "1.0.0")


@dataclasses.dataclass(frozen=True)
class Change:
    """`command` has the words of the command line, before the package. `request` does the same by HTTP. `{export}` in both is the name of
    the existing export."""

    name: str
    data: str  # the data that it begins with
    before: State
    after: State
    command: tuple
    request: tuple
    package: str = ""


CHANGES = (
    Change("install", "empty", GONE, State("1.0.0"), ("install",), ("POST", ""), "1.0.0"),
    Change("upgrade", "old", OLD, State("1.1.0", ("one",), "1.0.0"), ("upgrade",), ("POST", ""), "1.1.0"),
    Change("rollback", "new", NEW, OLD, ("rollback", "multi-version"), ("POST", "/multi-version/rollback")),
    Change("remove and keep", "new", NEW, State(), ("remove", "multi-version"), ("DELETE", "/multi-version?data=keep")),
    Change("remove and purge", "new", NEW, GONE, ("remove", "multi-version", "--data-of-plugin", "purge"),
           ("DELETE", "/multi-version?data=purge")),
    Change("remove and export", "new", NEW, EXPORTED, ("remove", "multi-version", "--data-of-plugin", "export"),
           ("DELETE", "/multi-version?data=export")),
    Change("install with data", "exported", EXPORTED, State("1.1.0", NEW.titles, exports=1),
           ("install", "--restore-export", "{export}"), ("POST", "?data={export}"), "1.1.0"),
)
# An upgrade in phases: nothing of the phases is left at its end and after the next start.
PHASED = Change("upgrade in phases", "new", NEW, State("2.0.0", NEW.titles, "1.1.0"), ("upgrade",), ("POST", ""), "2.0.0")


def scan_of(title):
    """The file of a record."""
    return f"scan of {title} ".encode() * 20_000


def upload(client, content):
    """The id of a file that a record can take."""
    tus = {"Tus-Resumable": "1.0.0"}
    made = client.post("/api/multi-version/blobs", headers={**tus, "Upload-Length": str(len(content))})
    assert made.status == 201, made
    sent = client.patch(made.headers["location"], content, headers={
        **tus, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"})
    assert sent.status == 204, sent
    return made.headers["location"].rsplit("/", 1)[1]


class Site:
    """A data directory that begins as one of the stock's, with a server on it when asked for."""

    def __init__(self, stock, data):
        self.stock = stock
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-change-", dir=MEMORY))
        self.data = self.root / "data"
        shutil.copytree(stock.root / data, self.data)
        self.server = self.ada = None

    def start(self, prefix=()):
        self.server = tenon.Server("--plugins", tenon.BUILD / "lib/tenon/plugins", "--log-access", "false", data=self.data)
        self.server.arguments[:0] = prefix
        self.server.start()
        self.ada = tenon.Client(self.server)
        self.ada.cookies = dict(self.stock.cookies)
        return self

    def change(self, change):
        """Makes a change by HTTP. Returns the response."""
        method, path = change.request
        body = self.stock.packages[change.package].read_bytes() if change.package else {} if method == "POST" else None
        headers = {"Content-Type": "application/octet-stream"} if change.package else None
        return self.ada.request(method, "/api/core/plugins" + path.replace("{export}", self.export()), body, headers=headers)

    def export(self):
        return next((path.name for path in (self.data / "exports").glob("[!.]*")), "none.tar")

    def command(self, change):
        """The arguments of the same without a server."""
        package = [self.stock.packages[change.package]] if change.package else []
        words = [word.replace("{export}", self.export()) for word in change.command]
        arguments = [tenon.BINARY, "plugin", *words, *package, "--data", self.data]
        return [*map(str, arguments), "--plugins", str(tenon.BUILD / "lib/tenon/plugins")]

    def rows(self, sql):
        with contextlib.closing(sqlite3.connect(self.data / "tenon.db")) as database:
            return database.execute(sql).fetchall()

    def is_waiting(self):
        """Returns whether the plugin was changed and cannot start."""
        response = self.ada.get("/api/core/plugins/multi-version")
        return response.status == 200 and response.json()["state"] == "failed"

    def state(self):
        response = self.ada.get("/api/core/plugins/multi-version")
        has_data = (self.data / "multi-version.db").exists()
        has_pin = bool(self.rows("SELECT 1 FROM plugins_pins WHERE plugin = 'multi-version'"))
        exports = [item["reason"] for item in self.ada.get("/api/core/exports").json()["items"]]
        assert not any(exports), exports
        if response.status == 404:
            assert self.ada.get("/api/multi-version/version").status == 404, "routes of a plugin that is not there"
            return State(has_data=has_data, has_pin=has_pin, exports=len(exports))
        plugin = response.json()
        assert (plugin["state"], plugin["reason"]) == ("active", None), plugin
        version = self.ada.get("/api/multi-version/version")
        assert (version.status, version.body.decode()) == (200, plugin["version"]), (version, plugin)
        items = self.ada.get("/api/multi-version/items?sort=title").json()["items"]
        assert all(("done" in item) == (plugin["version"] == "1.1.0") for item in items), items
        assert plugin["version"] != "2.0.0" or all(item["mark"] == item["title"] for item in items), items
        for item in items:
            scan = self.ada.get(f"/api/multi-version/items/{item['id']}/scan")
            assert (scan.status, scan.body) == (200, scan_of(item["title"])), scan
        return State(plugin["version"], tuple(item["title"] for item in items), plugin["previous"], has_data, has_pin, len(exports))

    def check_rest(self, was_full=False):
        """Checks that nothing else is changed, and that no files are left over."""
        # A host whose disk was full says so until it has written again.
        ready = self.ada.get("/readyz")
        assert ready.status == 200 and (ready.body == b"ready\n" or was_full), ready
        notes = self.ada.get("/api/notes/notes").json()["items"]
        assert [note["title"] for note in notes] == [TITLE], notes
        assert self.ada.get("/api/core/plugins/notes").json()["state"] == "active"
        keys = [(key["number"], key["trust"]) for key in self.ada.get("/api/core/keys").json()["items"]]
        assert keys == self.stock.keys, keys
        assert self.rows("SELECT * FROM plugins_changes") == [], "a change is open"
        named = set()
        for folder, snapshot in self.rows("SELECT folder, snapshot FROM plugins_versions"):
            named |= {folder} | ({snapshot} if snapshot not in ("", "-") else set())
        assert self.left() == named, (self.left(), named)
        halves = [str(path) for pattern in ("exports/.*", "plugins/.staging/*") for path in self.data.glob(pattern)]
        assert not halves, halves
        if not (self.data / "multi-version.db").exists():
            claims = self.rows("SELECT key FROM blobs_claims WHERE plugin = 'multi-version'")
            assert not claims, claims
        extra = {file.name for file in self.data.glob("multi-version.db*")} - {"multi-version.db", "multi-version.db-wal", "multi-version.db-shm"}
        assert not extra, extra

    def left(self):
        """Folders of versions and snapshots, below the data directory."""
        found = set()
        for path in (self.data / "plugins").glob("*/*"):
            if path.parent.name == ".uploads":
                continue
            inner = path.glob("*") if path.name == "snapshots" else [path]
            found |= {str(one.relative_to(self.data)) for one in inner}
        return found

    def close(self):
        """Ends the server as a kill does."""
        if self.server:
            if self.ada:
                self.ada.close()
            self.server.kill()
            # The killed process may have been the tracer; the server ends a moment after it.
            with contextlib.suppress(FileNotFoundError), open(self.data / "lock", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
            self.server.process.stdout.close()
            self.server.log_path.unlink(missing_ok=True)
            self.server = self.ada = None

    def remove(self):
        self.close()
        shutil.rmtree(self.root, ignore_errors=True)


class Stock:
    """Packages and data to begin with: `empty` without the plugin, `old` with 1.0.0, `new` upgraded to 1.1.0, `exported` without the
    plugin, but with an export of its data. Processes share one, which no test changes."""

    def __init__(self):
        self.root = made_once("stock", self.key(), self.make)
        self.packages = {version: self.root / f"multi-version-{version}.tenon" for version in TABLES}
        facts = json.loads((self.root / "stock.json").read_text())
        self.cookies, self.keys = facts["cookies"], [tuple(key) for key in facts["keys"]]

    @staticmethod
    def key():
        """Returns the key of the programs and plugins in it, and of the day, because its session expires."""
        libraries = [*SOURCE.rglob("*.so"), *(tenon.BUILD / "lib/tenon/plugins").rglob("*.so")]
        facts = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in sorted([tenon.BINARY, *libraries])]
        return hashlib.sha256(repr((facts, time.strftime("%F"), pathlib.Path(__file__).read_text())).encode()).hexdigest()[:16]

    def make(self, root):
        self.root, self.cookies, self.keys = root, {}, []
        self.run("keygen", self.root / "ada", "--no-password")
        self.packages = {version: self.package(version) for version in TABLES}
        (self.root / "nothing").mkdir()
        site = Site(self, "nothing").start()
        try:
            self.fill(site)
        finally:
            site.remove()
        (self.root / "stock.json").write_text(json.dumps({"cookies": self.cookies, "keys": self.keys}))

    def fill(self, site):
        ada = site.ada
        made = ada.post("/api/core/setup", {"token": site.server.setup_link_token(), "login": "ada", "name": "Ada",
                                            "password": tenon.PASSWORD})
        assert made.status == 201, made
        self.cookies = dict(ada.cookies)
        assert ada.post("/api/core/keys", {"key": (self.root / "ada.pub").read_text(), "name": "ada"}).status == 201
        self.keys = [(key["number"], key["trust"]) for key in ada.get("/api/core/keys").json()["items"]]
        assert ada.post("/api/notes/notes", {"title": TITLE, "text": ""}).status == 201
        self.keep(site, "empty")
        for change, title, name in ((CHANGES[0], "one", "old"), (CHANGES[1], "two", "new")):
            response = site.change(change)
            assert response.status == 200, response
            item = {"title": title, "scan": {"upload": upload(site.ada, scan_of(title))}}
            assert site.ada.post("/api/multi-version/items", item).status == 201
            self.keep(site, name)
        assert site.change(CHANGES[5]).status == 200
        self.keep(site, "exported")

    def keep(self, site, name):
        site.server.stop()
        site.close()
        shutil.copytree(site.data, self.root / name)
        site.start()

    def package(self, version):
        folder = self.root / "build" / version / "multi-version"
        shutil.copytree(SOURCE, folder)
        [library] = folder.rglob("multi-version.so")
        library.write_bytes(library.read_bytes().replace(b"1.0.0", version.encode()))
        manifest = json.loads((folder / "plugin.json").read_text())
        (folder / "plugin.json").write_text(json.dumps({**manifest, "version": version}))
        (folder / "tables.json").write_text(json.dumps({"tables": list(TABLES[version])}))
        for name, text in MIGRATIONS.get(version, {}).items():
            (folder / "migrations").mkdir(exist_ok=True)
            (folder / "migrations" / name).write_text(text)
        file = self.root / f"multi-version-{version}.tenon"
        self.run("pack", folder, "--output", file)
        self.run("sign", file, "--key", self.root / "ada.key")
        return file

    @staticmethod
    def run(*arguments):
        done = tenon.tenon("plugin", *arguments)
        assert done.returncode == 0, done


def classes_by_change(module, prefix, changes, *bases, **members):
    """Adds to a module's names one test class for each change, with it as `change`: the scheduler runs them in parallel."""
    for change in changes:
        name = prefix + "".join(word.capitalize() for word in change.name.split())
        module[name] = type(name, bases, {"change": change, "__module__": module["__name__"], **members})
