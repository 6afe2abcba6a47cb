"""Registries by the real binary: made in a folder, verified by the real minisign, served by another web server."""

import contextlib
import json
import os
import pathlib
import platform
import shutil
import socket
import ssl
import subprocess

from registry_case import Files, RegistryCase, serving
from tenon import BINARY, BUILD, tenon


class Liar(Files):
    """Serves what is right, but for one file."""

    wrong = ""  # end of the path
    lie = staticmethod(lambda handler, content: None)

    def do_GET(self):
        if not self.path.endswith(self.wrong):
            return super().do_GET()
        content = pathlib.Path(self.translate_path(self.path)).read_bytes()
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            self.lie(content)
        self.close_connection = True
        return None

    def response(self, body, length=None, status=200, **fields):
        self.send_response(status)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class RegistryTest(RegistryCase):
    def test_signs_index_so_that_minisign_verifies(self):
        self.put("copper", "1.0.0")
        built = self.json("build", self.folder, "--key", self.secret)
        self.assertEqual((built["serial"], built["changed"], built["plugins"], built["versions"]), (1, True, 1, 1))
        index = self.folder / "index.json"
        verified = subprocess.run(["minisign", "-Vm", str(index), "-p", str(self.public)], text=True, capture_output=True, timeout=60)
        self.assertEqual(verified.returncode, 0, verified)
        self.assertIn("Trusted comment: tenon registry 1\n", verified.stdout)
        said = json.loads(index.read_text())
        self.assertEqual((said["format"], said["serial"], said["plugins"][0]["id"]), ("tenon-registry 1", 1, "copper"))
        # Hash and size are those of the file, as another tool sees it.
        version = said["plugins"][0]["versions"][0]
        summed = subprocess.run(["b2sum", str(self.folder / version["file"])], text=True, capture_output=True, timeout=60)
        self.assertEqual(summed.stdout.split()[0], version["blake2b"])
        self.assertEqual(version["architectures"], [platform.machine()])
        # minisign reads the key of the signer, too.
        self.assertIn(said["keys"][0]["public"], (self.folder / "keys" / f"{said['keys'][0]['number']}.pub").read_text())
        # Another signature does not do.
        self.sign_index_with_minisign()
        self.run_registry("verify", self.folder, "--key", self.public)
        index.write_text(index.read_text().replace("copper", "copped"))
        self.assertIn("index.json", self.run_registry("verify", self.folder, "--key", self.public, code=1).stderr)

    def sign_index_with_minisign(self):
        index = self.folder / "index.json"
        signed = subprocess.run(["minisign", "-Sm", str(index), "-s", str(self.secret), "-t", "by hand"], text=True, capture_output=True,
                                timeout=60)
        self.assertEqual(signed.returncode, 0, signed)

    def test_creates_same_index_from_same_packages(self):
        self.put("copper", "1.0.0")
        self.put("silver", "1.0.0", name="deep/er/silver.tenon")
        self.build()
        first = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        again = self.root / "again"
        shutil.copytree(self.folder, again)
        for name in ("index.json", "index.json.minisig"):
            (again / name).unlink()
        for path in again.rglob("*"):
            os.utime(path, (1, 1))
        tenon("registry", "build", again, "--key", self.secret, environment={"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo"})
        self.assertEqual({path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()},
                         {path.relative_to(self.folder): content for path, content in first.items()})
        self.assertIs(self.json("build", self.folder, "--key", self.secret)["changed"], False)
        self.put("copper", "1.1.0")
        self.assertEqual(self.json("build", self.folder, "--key", self.secret)["serial"], 2)
        self.assertEqual(self.json("build", self.folder, "--key", self.secret, "--serial", "40")["serial"], 40)
        done = self.run_registry("build", self.folder, "--key", self.secret, "--serial", "39", code=1)
        self.assertIn("serial 40", done.stderr)

    def test_names_files_that_cannot_be_listed(self):
        good = self.put("copper", "1.0.0")
        self.build()
        before = (self.folder / "index.json").read_bytes()
        (self.folder / "bad.tenon").write_bytes(good.read_bytes()[:-1])
        unsigned = self.pack("silver", "1.0.0")
        shutil.copy(unsigned, self.folder / "silver.tenon")
        done = self.run_registry("build", self.folder, "--key", self.secret, code=1)
        self.assertIn("2 of 3 packages", done.stderr)
        self.assertIn("\n  bad.tenon: ", done.stderr)
        self.assertIn("\n  silver.tenon: The package is not signed", done.stderr)
        self.assertEqual((self.folder / "index.json").read_bytes(), before)

    def test_searches_list(self):
        self.put("copper", "1.0.0", description="Pots and pans")
        self.put("copper", "1.1.0", description="Pots and pans")
        self.put("silver", "1.0.0", description="Forks")
        self.build()
        done = self.run_registry("list", self.folder, "--key", self.public)
        self.assertRegex(done.stdout, r"copper +1\.1\.0 +Copper\n  Pots and pans\nsilver +1\.0\.0 +Silver\n  Forks\n")
        found = self.json("list", self.folder, "--key", self.public, "--search", "FORKS")
        self.assertEqual([plugin["id"] for plugin in found["items"]], ["silver"])
        self.assertEqual(self.run_registry("list", self.folder, "--key", self.public, "--search", "gold").stdout, "")
        done = self.run_registry("list", self.folder, "--key", self.packer_public, code=1)
        self.assertIn("not by", done.stderr)

    def test_reads_registry_from_web_server(self):
        self.put("copper", "1.0.0", files={"CHANGELOG.md": b"## 1.0.0\n- first\n", "screenshots/a.png": b"\x89PNG\r\n\x1a\n" + bytes(99)})
        self.put("silver", "1.0.0")
        self.build()
        with serving(self.root) as url:
            done = self.run_registry("verify", f"{url}/registry/", "--key", self.public)
            self.assertIn("serial 1, 2 versions of 2 plugins", done.stdout)
            found = self.json("list", f"{url}/registry", "--key", self.public)
            self.assertEqual(found["items"][0]["versions"][0]["changelog"], "- first\n")
            done = self.run_registry("verify", url, "--key", self.public, code=1)
            self.assertIn(f"{url}/index.json: The response is 404", done.stderr)
        self.run_registry("verify", f"{url}/registry", "--key", self.public, code=1)

    def test_detects_lying_server(self):
        package = self.put("copper", "1.0.0", files={"screenshots/a.png": b"\x89PNG\r\n\x1a\n" + bytes(99)})
        self.build()
        whole = package.read_bytes()
        forever = b"x" * 65536

        def endless(handler, content):
            handler.response(content)
            while True:
                handler.wfile.write(forever)

        lies = {
            "truncated": ("copper.tenon", lambda h, c: h.response(c[:-9], len(c)), "cut off"),
            "shorter": ("copper.tenon", lambda h, c: h.response(c[:-9], len(c) - 9), f"has {len(whole)} bytes"),
            "other bytes": ("copper.tenon", lambda h, c: h.response(c[:-9] + b"012345678", len(c)), "not the file that the index has"),
            "endless": ("copper.tenon", endless, "larger than the index says"),
            "endless index": ("index.json", endless, "8388608 bytes, which is the limit"),
            "endless signature": (".minisig", endless, "4096 bytes, which is the limit"),
            "loop": ("index.json", lambda h, c: h.response(b"", 0, 302, Location=h.path), "more than 5 times"),
            "elsewhere": ("index.json", lambda h, c: h.response(b"", 0, 301, Location="file:///etc/hostname"), "must begin with http"),
            "changed index": ("index.json", lambda h, c: h.response(c.replace(b"Copper", b"Copped"), len(c)), "changed after it was signed"),
            "picture": ("a.png", lambda h, c: h.response(c[:-1] + b"1", len(c)), "a.png: This is not the file"),
            "nothing": ("index.json", lambda h, c: None, "index.json: "),
        }
        (self.folder / "copper-1.0.0.tenon").rename(self.folder / "copper.tenon")
        self.build()
        for name, (wrong, lie, said) in lies.items():
            with self.subTest(name), serving(self.folder, type("Lies", (Liar,), {"wrong": wrong, "lie": lie})) as url:
                done = self.run_registry("verify", url, "--key", self.public, code=1)
                self.assertIn(said, done.stderr)
        with serving(self.folder) as url:
            self.run_registry("verify", url, "--key", self.public)

    def test_gives_up_server_that_never_responds(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            done = self.run_registry("list", url, "--key", self.public, code=1)
        self.assertIn(f"tenon: {url}/index.json: ", done.stderr)

    def test_requires_certificate_of_the_host(self):
        self.put("copper", "1.0.0")
        self.build()
        good, bad = self.certificate("localhost"), self.certificate("elsewhere.example")

        def verify(context, environment, code):
            with serving(self.folder, context=context) as url:
                return self.run_registry("verify", url, "--key", self.public, code=code, environment=environment)

        trusting = {"SSL_CERT_FILE": str(self.root / "localhost.crt")}
        self.assertIn("serial 1", verify(good, trusting, 0).stdout)
        # An unknown certificate authority.
        self.assertIn("certificate", verify(good, None, 1).stderr)
        # A known one, which says it is another host.
        self.assertIn("ertificate", verify(bad, {"SSL_CERT_FILE": str(self.root / "elsewhere.example.crt")}, 1).stderr)
        # Old versions of TLS.
        old = self.certificate("localhost")
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("DEFAULT:@SECLEVEL=0")
        self.assertIn("protocol version", verify(old, trusting, 1).stderr)
        # From http to https, and never back.
        with serving(self.folder, context=good) as safe:
            there = type("There", (Liar,), {"lie": lambda h, c: h.response(b"", 0, 302, Location=safe + h.path)})
            with serving(self.folder, there) as url:
                self.run_registry("verify", url, "--key", self.public, environment=trusting)
        with serving(self.folder) as plain:
            back = type("Back", (Liar,), {"lie": lambda h, c: h.response(b"", 0, 302, Location=plain + h.path)})
            with serving(self.folder, back, context=good) as url:
                done = self.run_registry("verify", url, "--key", self.public, environment=trusting, code=1)
                self.assertIn("not protected", done.stderr)

    def test_loads_tls_module_next_to_program(self):
        self.put("copper", "1.0.0")
        self.build()
        prefix = self.root / "prefix"
        program, module = prefix / "bin/tenon", prefix / "lib/tenon/libtenon_tls.so"
        for copy, source in ((program, BINARY), (module, BUILD / "lib/tenon/libtenon_tls.so")):
            copy.parent.mkdir(parents=True)
            shutil.copy2(source, copy)
        with serving(self.folder, context=self.certificate("localhost")) as url:
            command = [str(program), "registry", "verify", url, "--key", str(self.public)]
            options = {"capture_output": True, "text": True, "timeout": 60,
                       "env": {**os.environ, "SSL_CERT_FILE": str(self.root / "localhost.crt")}}
            done = subprocess.run(command, **options)
            self.assertEqual(0, done.returncode, done)
            module.unlink()
            done = subprocess.run(command, **options)
            self.assertEqual(1, done.returncode, done)
            for word in (f"{url}/index.json", str(module), "Install Tenon again"):
                self.assertIn(word, done.stderr)
            module.write_text("no library")
            self.assertIn(str(module), subprocess.run(command, **options).stderr)

    def certificate(self, host):
        """A context of a server whose certificate, signed by itself, is of this host."""
        secret, public = self.root / f"{host}.pem", self.root / f"{host}.crt"
        if not public.exists():
            self.make_certificate(host, secret, public)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(public, secret)
        return context

    def make_certificate(self, host, secret, public):
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                               "-keyout", str(secret), "-out", str(public), "-days", "2", "-subj", f"/CN={host}",
                               "-addext", f"subjectAltName=DNS:{host}"], capture_output=True, text=True, timeout=60)
        self.assertEqual(made.returncode, 0, made)

    def test_reports_usage(self):
        for arguments in ([], ["build"], ["build", "a"], ["verify", "a"], ["list", "a"], ["list", "a", "b", "--key", "c"], ["make", "a"],
                          ["build", "a", "--key", "b", "--serial", "0"], ["build", "a", "--key", "b", "--serial", "x"],
                          ["verify", "a", "--key", "b", "--serial", "1"], ["list", "a", "--key", "b", "--password-stdin"]):
            self.run_registry(*arguments, code=2)
        self.assertIn("registry build DIR", self.run_registry("--help").stdout)
        for location in ("ftp://host/", "http://user@host/", "http://"):
            self.assertIn("neither", self.run_registry("list", location, "--key", self.public, code=1).stderr)
        self.run_registry("build", self.root / "missing", "--key", self.secret, code=1)
        self.assertFalse((self.root / "missing").exists())
