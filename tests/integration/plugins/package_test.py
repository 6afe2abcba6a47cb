"""Packages by the real binary, checked with the real minisign and other zip tools. No server is needed."""

import base64
import hashlib
import json
import os
import pathlib
import platform
import shutil
import stat
import subprocess
import tempfile
import unittest
import zipfile
import zlib

from sampling import FULL
from tenon import BUILD, tenon

MANIFEST = {"id": "broken", "name": "Sample", "version": "1.2.3", "abi": {"major": 0, "minor": 13}}


def minisign(*arguments, stdin=None):
    return subprocess.run(["minisign", *map(str, arguments)], input=stdin, text=True, capture_output=True, timeout=300)


def protect_cheaply(secret, password):
    """Encrypts a secret key that has no password with the least that libsodium's scrypt may cost; minisign asks for 1 GiB, and has no
    option for less."""
    comment, text = secret.read_text().splitlines()
    key = base64.b64decode(text)
    salt, number_and_key = os.urandom(32), key[54:126]
    plain = number_and_key + hashlib.blake2b(key[:2] + number_and_key, digest_size=32).digest()
    stream = hashlib.scrypt(password.encode(), salt=salt, n=1024, r=8, p=1, dklen=len(plain))
    cost = (32_768).to_bytes(8, "little") + (16 << 20).to_bytes(8, "little")
    encrypted = bytes(one ^ other for one, other in zip(plain, stream))
    secret.write_text(f"{comment}\n{base64.b64encode(key[:2] + b'Sc' + key[4:6] + salt + cost + encrypted).decode()}\n")


class PackageTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-package-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.folder = self.root / "broken"
        library = self.folder / "lib" / platform.machine()
        (self.folder / "ui").mkdir(parents=True)
        library.mkdir(parents=True)
        (self.folder / "plugin.json").write_text(json.dumps({**MANIFEST, "version": "1.0.0"}))
        (self.folder / "ui" / "entry.js").write_text("export {};\n" * 100)
        (self.folder / "ui" / "noise").write_bytes(os.urandom(1000))
        shutil.copy(BUILD / "tests/plugins-libraries/sound.so", library / "broken.so")
        self.package = self.root / "broken-1.0.0.tenon"

    def run_plugin(self, *arguments, code=0, stdin=None, environment=None):
        done = tenon("plugin", *arguments, stdin=stdin, environment=environment)
        self.assertEqual(done.returncode, code, done)
        if code != 0:
            self.assertEqual(done.stdout, "", done)
            self.assertTrue(done.stderr.startswith("tenon: "), done)
        return done

    def json(self, *arguments, **options):
        return json.loads(self.run_plugin(*arguments, "--json", **options).stdout)

    def pack(self):
        self.run_plugin("pack", self.folder)
        return self.package

    def key(self, name="ada"):
        self.run_plugin("keygen", self.root / name, "--no-password")
        return self.root / f"{name}.key", self.root / f"{name}.pub"

    def extracted(self):
        """Folder with the entries of the package, as Python's zipfile takes them out."""
        folder = self.root / "out"
        shutil.rmtree(folder, ignore_errors=True)
        with zipfile.ZipFile(self.package) as archive:
            archive.extractall(folder)
        return folder

    def test_is_readable_by_other_tools(self):
        packed = self.json("pack", self.folder)
        self.assertEqual((packed["id"], packed["version"], packed["file"], packed["files"]),
                         ("broken", "1.0.0", str(self.package), 4))
        self.assertEqual(packed["packed"], self.package.stat().st_size)
        with zipfile.ZipFile(self.package) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            self.assertEqual(names, ["FILES", f"lib/{platform.machine()}/broken.so", "plugin.json", "ui/entry.js", "ui/noise"])
            for one in archive.infolist():
                self.assertEqual((one.date_time, one.flag_bits, one.extra, one.comment), ((1980, 1, 1, 0, 0, 0), 0, b"", b""))
                self.assertEqual(one.external_attr >> 16, stat.S_IFREG | 0o644)
            kinds = {one.filename: one.compress_type for one in archive.infolist()}
            self.assertEqual((kinds["FILES"], kinds["ui/entry.js"], kinds["ui/noise"]),
                             (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))
            for name in names[1:]:
                self.assertEqual(archive.read(name), (self.folder / name).read_bytes())

    def test_rejects_broken_plugin_and_writes_nothing(self):
        (self.folder / "ui" / "main.js").write_text('import { chunk } from "lodash";')
        (self.folder / "ui" / "manifest.json").write_text('{"entry": "gone.js"}')
        done = self.run_plugin("pack", self.folder, code=1)
        for words in ("this would not work in a host or a browser", 'ui/main.js: It imports "lodash"', "gone.js"):
            self.assertIn(words, done.stderr)
        self.assertFalse(self.package.exists())

    def test_warns_of_risks_when_packing_and_verifying(self):
        navigation = {"navigation": [{"id": "broken", "title": "Broken", "path": "/app/broken"}]}
        (self.folder / "plugin.json").write_text(json.dumps({**MANIFEST, "version": "1.0.0", "ui": navigation}))
        [warning] = self.json("pack", self.folder)["warnings"]
        self.assertEqual(("plugins.lint_no_page", "ui/manifest.json"), (warning["code"], warning["file"]))
        secret, public = self.key()
        self.run_plugin("sign", self.package, "--key", secret)
        self.assertEqual([warning], self.json("verify", self.package, "--key", public)["warnings"])
        self.assertIn("  warning: ui/manifest.json: ", self.run_plugin("verify", self.package).stdout)

    def test_finds_code_of_shared_packages_in_bundle(self):
        shell = BUILD / "share/tenon/ui"
        if not shell.exists():
            self.skipTest("this build has no pages")
        shared = json.loads((shell / "importmap.json").read_text())["imports"]
        for name in ("react", "react-dom", "react-router", "@tanstack/react-query", "@tenon/host"):
            code = (shell / shared[name].removeprefix("/ui/")).read_text()
            (self.folder / "ui" / "main.js").write_text(code)
            done = self.run_plugin("pack", self.folder, code=1)
            self.assertIn(f"ui/main.js: The code of {name} is in it", done.stderr)
        for plugin in ("notes", "tasks"):
            for script in (BUILD / "lib/tenon/plugins" / plugin / "ui").glob("*.js"):
                shutil.copy(script, self.folder / "ui" / "main.js" if script.name.startswith("main.") else self.folder / "ui")
            self.run_plugin("pack", self.folder)

    def test_packs_same_bytes_twice(self):
        first = self.pack().read_bytes()
        again = self.root / "again.tenon"
        for path in self.folder.rglob("*"):
            os.utime(path, (1, 1))
        (self.folder / "ui" / "entry.js").chmod(0o600)
        (self.folder / "ui" / "nothing").mkdir()
        self.run_plugin("pack", f"{self.folder}/", "--output", again, environment={"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo"})
        self.assertEqual(again.read_bytes(), first)
        self.package.unlink()
        done = subprocess.run([str(BUILD / "bin/tenon"), "plugin", "pack", "."], cwd=self.folder, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.package.read_bytes(), first)
        self.assertEqual(list(self.root.glob("*.part")), [])

    def test_signs_so_that_minisign_verifies(self):
        secret, public = self.key()
        self.pack()
        signed = self.json("sign", self.package, "--key", secret)
        folder = self.extracted()
        verified = minisign("-Vm", folder / "FILES", "-x", folder / "SIGNATURE", "-p", public)
        self.assertEqual(verified.returncode, 0, verified)
        self.assertIn("Trusted comment: tenon package broken 1.0.0", verified.stdout)
        self.assertIn(f"minisign public key {signed['key']}\n", public.read_text())
        # A key of ours signs for minisign.
        text = self.root / "text"
        text.write_text("hello\n")
        self.assertEqual(minisign("-Sm", text, "-s", secret).returncode, 0)
        self.assertEqual(minisign("-Vm", text, "-p", public).returncode, 0)
        # The same key made the same signature; another one takes its place.
        first = self.package.read_bytes()
        self.run_plugin("sign", self.package, "--key", secret)
        self.assertEqual(self.package.read_bytes(), first)
        other_secret, other_public = self.key("ben")
        self.run_plugin("sign", self.package, "--key", other_secret)
        self.run_plugin("verify", self.package, "--key", other_public)
        done = self.run_plugin("verify", self.package, "--key", public, code=1)
        self.assertIn(f"not by {signed['key']}", done.stderr)

    def test_signs_with_key_of_minisign(self):
        secret, public = self.root / "m.key", self.root / "m.pub"
        made = minisign("-G", "-W", "-p", public, "-s", secret)
        self.assertEqual(made.returncode, 0, made)
        self.pack()
        self.run_plugin("sign", self.package, "--key", secret)
        response = self.json("verify", self.package, "--key", public)
        self.assertEqual((response["id"], response["version"], response["checked"], response["comment"], response["files"]),
                         ("broken", "1.0.0", True, "tenon package broken 1.0.0", 4))
        # minisign leaves out the zeros in front.
        self.assertEqual(len(response["key"]), 16)
        self.assertIn(f"key {response['key'].lstrip('0')}\n", public.read_text())
        folder = self.extracted()
        self.assertEqual(minisign("-Vm", folder / "FILES", "-x", folder / "SIGNATURE", "-p", public).returncode, 0)

    def assert_password_opens(self, secret, public):
        self.pack()
        done = self.run_plugin("sign", self.package, "--key", secret, code=2)
        self.assertIn("--password-stdin", done.stderr)
        self.run_plugin("sign", self.package, "--key", secret, "--password-stdin", stdin="open sesame\n")
        self.run_plugin("verify", self.package, "--key", public)
        before = self.package.read_bytes()
        done = self.run_plugin("sign", self.package, "--key", secret, "--password-stdin", stdin="wrong\n", code=1)
        self.assertIn("The password is wrong", done.stderr)
        self.assertEqual(self.package.read_bytes(), before)

    def assert_minisign_opens(self, secret, public):
        text = self.root / "text"
        text.write_text("hello\n")
        signed = minisign("-Sm", text, "-s", secret, stdin="open sesame\n")
        self.assertEqual(signed.returncode, 0, signed)
        self.assertEqual(minisign("-Vm", text, "-p", public).returncode, 0)

    def test_uses_passwords_of_minisign(self):
        secret, public = self.key()
        protect_cheaply(secret, "open sesame")
        self.assert_minisign_opens(secret, public)
        self.assert_password_opens(secret, public)

    @unittest.skipUnless(FULL, "five times 1 GiB of scrypt: DEV_FULL=1")
    def test_uses_passwords_of_minisign_at_own_cost(self):
        secret, public = self.root / "m.key", self.root / "m.pub"
        made = minisign("-G", "-p", public, "-s", secret, stdin="open sesame\nopen sesame\n")
        self.assertEqual(made.returncode, 0, made)
        self.assert_password_opens(secret, public)
        self.run_plugin("keygen", self.root / "own", "--password-stdin", stdin="open sesame\n")
        self.assert_minisign_opens(self.root / "own.key", self.root / "own.pub")

    def test_keeps_keys_private_and_never_overwrites_them(self):
        made = self.json("keygen", self.root / "ada", "--no-password")
        secret, public = pathlib.Path(made["secret"]), pathlib.Path(made["public"])
        self.assertEqual(stat.S_IMODE(secret.stat().st_mode), 0o600)
        kept = secret.read_bytes(), public.read_bytes()
        for missing in (public, secret):
            done = self.run_plugin("keygen", self.root / "ada", "--no-password", code=1)
            self.assertIn("never overwritten", done.stderr)
            self.assertEqual((secret.read_bytes(), public.read_bytes()), kept)
            moved = missing.rename(self.root / "moved")
            self.run_plugin("keygen", self.root / "ada", "--no-password", code=1)
            self.assertFalse(missing.exists())
            moved.rename(missing)

    def test_reports_unchecked_parts_in_verify(self):
        secret, public = self.key()
        self.pack()
        for key in ((), ("--key", public)):
            done = self.run_plugin("verify", self.package, *key, code=1)
            self.assertIn("is not signed", done.stderr)
        self.run_plugin("sign", self.package, "--key", secret)
        done = self.run_plugin("verify", self.package)
        self.assertIn("checked against no key", done.stdout)
        self.assertIs(self.json("verify", self.package)["checked"], False)
        done = self.run_plugin("verify", self.package, "--key", public)
        self.assertNotIn("no key", done.stdout)
        self.assertIn("broken 1.0.0\n  4 files, ", done.stdout)
        self.assertEqual(self.run_plugin("verify", self.package, "--key", secret, code=1).stderr,
                         "tenon: ada.key: line 2: The line must be 42 bytes in base64. [plugins.signature_key_invalid]\n")

    def test_rejects_package_of_another_tool(self):
        _, public = self.key()
        self.pack()
        folder = self.extracted()
        foreign = self.root / "foreign.tenon"
        with zipfile.ZipFile(foreign, "w") as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(folder))
        done = self.run_plugin("verify", foreign, "--key", public, code=1)
        self.assertIn("Only \"tenon plugin pack\" makes packages", done.stderr)
        foreign.write_bytes(b"no zip at all")
        self.run_plugin("verify", foreign, code=1)
        self.run_plugin("verify", self.root / "nowhere", code=1)
        self.run_plugin("verify", self.root, code=1)

    def test_rejects_changed_package(self):
        secret, public = self.key()
        self.pack()
        self.run_plugin("sign", self.package, "--key", secret)
        whole = self.package.read_bytes()
        noise = whole.index((self.folder / "ui" / "noise").read_bytes())
        for at in (0, 40, whole.index(b"untrusted") + 3, whole.index(b"trusted comment: tenon") + 20, noise + 500, len(whole) - 1):
            self.package.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
            self.run_plugin("verify", self.package, "--key", public, code=1)
            self.run_plugin("sign", self.package, "--key", secret, code=1)
        self.package.write_bytes(whole)
        self.run_plugin("verify", self.package, "--key", public)

    def test_rejects_old_signature_of_minisign(self):
        secret, public = self.key()
        self.pack()
        self.run_plugin("sign", self.package, "--key", secret)
        folder = self.extracted()
        old = self.root / "old"
        self.assertEqual(minisign("-S", "-l", "-s", secret, "-m", folder / "FILES", "-x", old).returncode, 0)
        self.assertTrue(base64.b64decode(old.read_text().splitlines()[1]).startswith(b"Ed"))
        # As long as ours, so that it fits into the same place; its checksum is put right.
        ours = (folder / "SIGNATURE").read_bytes()
        lines = old.read_bytes().splitlines(keepends=True)
        kept = ours.splitlines(keepends=True)
        self.assertEqual(len(lines[1]), len(kept[1]))
        changed = b"".join([kept[0], lines[1], kept[2], kept[3]])
        crcs = [zlib.crc32(text).to_bytes(4, "little") for text in (ours, changed)]
        self.package.write_bytes(self.package.read_bytes().replace(ours, changed).replace(*crcs))
        done = self.run_plugin("verify", self.package, "--key", public, code=1)
        self.assertIn("old form", done.stderr)

    def test_names_files_that_cannot_be_packed(self):
        link = self.folder / "ui" / "link"
        link.symlink_to("entry.js")
        self.assertIn("broken: ui/link: This is a link", self.run_plugin("pack", self.folder, code=1).stderr)
        link.unlink()
        (self.folder / "SIGNATURE").write_text("")
        self.assertIn("broken: SIGNATURE: ", self.run_plugin("pack", self.folder, code=1).stderr)
        (self.folder / "SIGNATURE").unlink()
        (self.folder / "plugin.json").write_text(json.dumps(MANIFEST))
        self.assertIn("The library says version 1.0.0, plugin.json says 1.2.3",
                      self.run_plugin("pack", self.folder, code=1).stderr)
        self.assertFalse(self.package.exists())
        self.assertEqual(list(self.root.glob("*.tenon*")), [])

    def test_reports_usage(self):
        for arguments in (["keygen"], ["keygen", "a"], ["keygen", "a", "--no-password", "--password-stdin"], ["pack"],
                          ["pack", "a", "b"], ["sign", "a"], ["verify"], ["verify", "a", "--output", "b"],
                          ["pack", "a", "--data", "b"], ["list", "--key", "a"], ["enable", "a", "--no-password"], ["sing", "a"]):
            self.run_plugin(*arguments, code=2)
        self.assertIn("keygen NAME", self.run_plugin("--help").stdout)
        self.assertEqual(self.run_plugin("keygen", self.root / "a", "--password-stdin", stdin="\n", code=2).stdout, "")
        self.assertFalse((self.root / "a.key").exists())


if __name__ == "__main__":
    unittest.main()
