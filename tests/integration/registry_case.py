"""A registry in a folder, with packages whose libraries are one of the tests' with other facts written over."""

import contextlib
import functools
import http.server
import json
import pathlib
import platform
import shutil
import tempfile
import threading
import unittest

from tenon import BUILD, tenon


class Files(http.server.SimpleHTTPRequestHandler):
    """A plain web server of a folder."""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(folder, handler=Files, context=None):
    """URL of a web server of a folder, over TLS where a context is given."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
    server.daemon_threads = True
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None
    # Ended soon: it looks that often whether it is to end.
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"{'https' if context else 'http'}://localhost:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class RegistryCase(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-registry-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.folder = self.root / "registry"
        (self.folder / "keys").mkdir(parents=True)
        self.secret, self.public, _ = self.key("registry")
        self.packer, self.packer_public, self.packer_number = self.key("packer")
        shutil.copy(self.packer_public, self.folder / "keys" / f"{self.packer_number}.pub")

    def key(self, name):
        made = tenon("plugin", "keygen", self.root / name, "--no-password", "--json")
        self.assertEqual(made.returncode, 0, made)
        return self.root / f"{name}.key", self.root / f"{name}.pub", json.loads(made.stdout)["key"]

    def run_registry(self, *arguments, code=0, environment=None):
        done = tenon("registry", *arguments, environment=environment)
        self.assertEqual(done.returncode, code, done)
        if code != 0:
            self.assertEqual(done.stdout, "", done)
            self.assertTrue(done.stderr.startswith("tenon: "), done)
        return done

    def json(self, *arguments):
        return json.loads(self.run_registry(*arguments, "--json").stdout)

    def build(self):
        return self.run_registry("build", self.folder, "--key", self.secret)

    def pack(self, plugin, version, files=None, **members):
        """An unsigned package of a plugin whose id has six letters, in a version of five."""
        folder = self.root / "sources" / f"{plugin}-{version}"
        library = folder / "lib" / platform.machine()
        library.mkdir(parents=True)
        manifest = {"id": plugin, "name": plugin.capitalize(), "version": version, "abi": {"major": 0, "minor": 13}, **members}
        (folder / "plugin.json").write_text(json.dumps(manifest))
        for name, content in (files or {}).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        content = (BUILD / "tests/plugins-libraries/sound.so").read_bytes()
        facts, own = b'"id":"broken","version":"1.0.0"', f'"id":"{plugin}","version":"{version}"'.encode()
        self.assertEqual((content.count(facts), len(facts)), (1, len(own)))
        (library / f"{plugin}.so").write_bytes(content.replace(facts, own))
        output = self.root / f"{plugin}-{version}.tenon"
        done = tenon("plugin", "pack", folder, "--output", output)
        self.assertEqual(done.returncode, 0, done)
        return output

    def put(self, plugin, version, name=None, key=None, **options):
        """Packs, signs and lays the package into the registry's folder, whose path it returns."""
        package = self.pack(plugin, version, **options)
        done = tenon("plugin", "sign", package, "--key", key or self.packer)
        self.assertEqual(done.returncode, 0, done)
        target = self.folder / (name or f"{plugin}-{version}.tenon")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(package, target)
        return target
