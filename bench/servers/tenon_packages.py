"""Tenon with an admin, and packages of a plugin of the build in many versions."""

import http.client
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.parse

from .asking import ask, need
from .copies import copy_plugin, version_of
from .tenon import Tenon, folder_of

PASSWORD = "correct horse battery"


class Packages:
    """Signed packages of the plugin bench, made when they are asked for and kept until the end."""

    plugin = "bench"

    def __init__(self, build):
        self.build = pathlib.Path(build)
        self.source = folder_of(build, self.plugin)
        self.made = {}

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-bench-packages-"))
        self.run("keygen", self.folder / "key", "--no-password")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def key(self):
        """The file with the public key."""
        return self.folder / "key.pub"

    def run(self, *arguments):
        subprocess.run([str(self.build / "bin" / "tenon"), "plugin", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    def version(self, number, fields=()):
        """The bytes of the package of a version this many numbers below that of the build; its table `tasks` has these additional fields."""
        name = f"{number}{'-'.join(field['name'] for field in fields)}"
        if name not in self.made:
            before = int(version_of(self.source).replace(".", ""))
            folder = copy_plugin(self.source, self.folder / name, version=".".join(f"{before + number:03}"))
            tables = json.loads((folder / "tables.json").read_text(encoding="utf-8"))
            for table in tables["tables"]:
                if table["name"] == "tasks":
                    table["fields"] += fields
            (folder / "tables.json").write_text(json.dumps(tables), encoding="utf-8")
            file = self.folder / f"{name}.tenon"
            self.run("pack", folder, "--output", file)
            self.run("sign", file, "--key", self.folder / "key.key")
            self.made[name] = file.read_bytes()
            shutil.rmtree(folder.parent)
        return self.made[name]


class TenonPackages(Tenon):
    """A server where an admin installs these packages. Plugins as Tenon has them run too."""

    def __init__(self, build, packages, plugins=()):
        super().__init__(build, plugins=plugins)
        self.packages = packages

    def __enter__(self):
        super().__enter__()
        try:
            self.stop()
            program = str(self.build / "bin" / "tenon")
            subprocess.run([program, "user", "add", "admin", "--role", "admin", "--password-stdin", "--data", self.data],
                           input=PASSWORD + "\n", text=True, check=True, stdout=subprocess.DEVNULL)
            subprocess.run([program, "plugin", "trust", str(self.packages.key), "--data", self.data], check=True, stdout=subprocess.DEVNULL)
            self.start()
            return self
        except BaseException:
            self.__exit__()
            raise

    def start(self):
        super().start()
        self.cookie = None

    def signed_in(self):
        """The cookie of the admin."""
        if self.cookie is None:
            _, fields, _ = ask("POST", self.url + "/api/core/session", {"login": "admin", "password": PASSWORD})
            self.cookie = (fields["Set-Cookie"] or "").partition(";")[0]
            need("GET", self.url + "/api/core/session", headers={"Cookie": self.cookie})
        return self.cookie

    def install(self, package):
        """Milliseconds that it took to install this package, or to upgrade to it."""
        return self.timed("", package, "application/octet-stream")

    def change(self, action):
        """Milliseconds that `enable`, `disable` or `rollback` took."""
        return self.timed(f"/{self.packages.plugin}/{action}", b"{}", "application/json")

    def timed(self, path, body, kind):
        address = urllib.parse.urlsplit(self.url)
        headers = {"Cookie": self.signed_in(), "Content-Type": kind}
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=120)
        try:
            begin = time.monotonic()
            connection.request("POST", "/api/core/plugins" + path, body, headers)
            response = connection.getresponse()
            text = response.read().decode()
            taken = (time.monotonic() - begin) * 1000
        finally:
            connection.close()
        if response.status != 200:
            raise SystemExit(f"bench: POST /api/core/plugins{path} returned {response.status}: {text}")
        return taken

    def max_holds(self):
        """Milliseconds that the first of the requests waited, for each change that any waited for."""
        text = pathlib.Path(self.folder, "log").read_text(encoding="utf-8")
        return [int(found) for found in re.findall(r'requests waited for a change of a plugin.*?"max_wait_ms":(\d+)', text)]
