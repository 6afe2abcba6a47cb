"""Libraries that no SDK would link: packing names what is wrong, and a host that is given one all the same serves on."""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))

import malformed_packages  # noqa: E402
import tenon  # noqa: E402

ZOO = tenon.BUILD / "tests/plugins/zoo"
MORE = "symbols; a plugin exports tenon_plugin_entry_v1 and nothing else"


class LinkedWrongly(tenon.TenonTest):
    """Both plugins from a plugin directory, whose plugins are not verified, next to notes."""

    arguments = ("--plugins", str(ZOO / "unique_symbol"), "--plugins", str(ZOO / "exports_more"),
                 "--plugins", str(tenon.BUILD / "lib/tenon/plugins"))

    def setUp(self):
        self.ada = self.client("ada")
        made = self.ada.post("/api/notes/notes", {"title": "A note of another plugin", "text": ""})
        self.assertEqual(201, made.status, made)
        self.note = made.json()["id"]

    def times(self, plugin):
        return int(self.client().get(f"/api/{plugin}/times").body)

    def change(self, plugin, what, state):
        item = self.ada.post(f"/api/core/plugins/{plugin}/{what}", {}).json()
        self.assertEqual((state, None), (item["state"], item["reason"]), item)
        return item

    def mapped(self, plugin):
        """Copies of its library that the process has, and names of those below run/."""
        maps = pathlib.Path(f"/proc/{self.server.process.pid}/maps").read_text().splitlines()
        paths = {line.split(maxsplit=5)[5] for line in maps if f"/run/plugins/{plugin}-" in line}
        return len(paths), len(list((self.server.data / "run/plugins").glob(f"{plugin}-*.so")))

    def assert_others_serve(self):
        self.assertEqual(200, self.ada.get(f"/api/notes/notes/{self.note}").status)
        self.assertEqual(b"ready\n", self.ada.get("/readyz").body)
        notes = self.ada.get("/api/core/plugins/notes").json()
        self.assertEqual(("active", 0), (notes["state"], notes["resident"]))

    def refused(self, plugin, *words):
        """`pack` and `verify` of the plugin name the file and what is wrong with it; what another packer made of it."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-linked-"))
        self.addCleanup(shutil.rmtree, folder)
        source, made, other = folder / plugin, folder / "made.tenon", folder / "other.tenon"
        shutil.copytree(ZOO / plugin.replace("-", "_") / plugin, source)
        other.write_bytes(malformed_packages.pack(source))
        for arguments in (("keygen", folder / "ada", "--no-password"), ("sign", other, "--key", folder / "ada.key")):
            done = tenon.tenon("plugin", *arguments)
            self.assertEqual(0, done.returncode, done)
        for arguments in (("pack", source, "--output", made), ("verify", other, "--key", folder / "ada.pub")):
            done = tenon.tenon("plugin", *arguments)
            self.assertEqual((1, False), (done.returncode, made.exists()), done)
            lines = [line for line in done.stderr.splitlines() if f"lib/{os.uname().machine}/{plugin}.so: " in line]
            self.assertEqual(len(words), len(lines), done.stderr)
            for word in words:
                self.assertTrue(any(word in line for line in lines), done.stderr)
        key = self.ada.post("/api/core/keys", {"key": (folder / "ada.pub").read_text(), "name": plugin})
        self.assertEqual(201, key.status, key)
        return other.read_bytes()

    def test_keeps_library_with_unique_symbol_mapped(self):
        """fault: a library with a GNU_UNIQUE symbol
        | `pack` rejects it; from another packer, or from a folder, it runs, its first generation stays mapped, and all
        later ones share that symbol with it; others are untouched
        | `pack` and `verify`: the symbol and the file; `resident` in the list and in `/metrics`; the log: why it stays mapped"""
        package = self.refused("unique-symbol", "GNU_UNIQUE symbol", MORE)
        before = self.times("unique-symbol")
        for closed in range(1, 4):
            item = self.change("unique-symbol", "disable", "disabled")
            self.assertEqual(1, item["resident"], item)
            self.assertEqual(404, self.client().get("/api/unique-symbol/times").status)
            self.assertEqual((1, 1), self.mapped("unique-symbol"), "the first generation")
            self.assert_others_serve()
            item = self.change("unique-symbol", "enable", "active")
            self.assertEqual((2, 2), self.mapped("unique-symbol"), "a copy of its own for each generation")
            self.assertEqual(before + closed, self.times("unique-symbol"), "the symbol of the first generation")
        line = self.assert_logged("the library of a plugin stays mapped, though it was closed")
        self.assertIn("plugin=unique-symbol", line)
        self.assertIn("it holds a GNU_UNIQUE symbol", line)
        installed = self.ada.post("/api/core/plugins", package, headers={"Content-Type": "application/octet-stream"})
        self.assertEqual((200, "active"), (installed.status, installed.json().get("state")), installed)
        self.assertEqual(before + 4, self.times("unique-symbol"))
        self.assertIn('tenon_plugins_resident{plugin="unique-symbol"} 1', self.ada.get("/metrics").body.decode())
        self.assert_others_serve()
        # With the process it is gone, and nothing of it is left on disk.
        self.server.restart()
        self.ada.close()
        self.assertEqual((1, 1), self.mapped("unique-symbol"))
        self.assertEqual(0, self.ada.get("/api/core/plugins/unique-symbol").json()["resident"])
        self.assertEqual(1, self.times("unique-symbol"))
        self.assert_others_serve()

    def test_isolates_exported_symbols(self):
        """fault: a library that exports more than its entry, a function of the C library by name among it
        | `pack` rejects it; from another packer, or from a folder, it runs, no other library gets its symbols, and it is unmapped when
        it is closed
        | `pack` and `verify`: the file, and how many symbols"""
        package = self.refused("exports-more", MORE)
        for _ in range(3):
            self.assertEqual(1, self.times("exports-more"))
            self.assertEqual(0, self.change("exports-more", "disable", "disabled")["resident"])
            self.assertEqual((0, 0), self.mapped("exports-more"))
            self.assert_others_serve()
            self.change("exports-more", "enable", "active")
            self.assertEqual((1, 1), self.mapped("exports-more"), "a new copy of the library")
        installed = self.ada.post("/api/core/plugins", package, headers={"Content-Type": "application/octet-stream"})
        self.assertEqual((200, "active"), (installed.status, installed.json().get("state")), installed)
        self.assertEqual(((1, 1), 1), (self.mapped("exports-more"), self.times("exports-more")))
        self.assert_others_serve()


if __name__ == "__main__":
    unittest.main()
