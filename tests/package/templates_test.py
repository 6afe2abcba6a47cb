"""Each template of `tenon plugin new`, with the installed program and SDK: it builds, its tests pass, and nothing is wrong with it."""

import json
import os
import pathlib
import shutil
import tarfile
import tempfile
import unittest

from prefix import ROOT, compiler_cache, install, is_sanitized, run

# `full` is that of walk_test; these need no npm.


class Templates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-templates-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        cls.prefix = cls.root / "prefix"
        install(cls.prefix, "host", "sdk")
        cls.environment = {**compiler_cache(cls.root), "PATH": f"{cls.prefix / 'bin'}:{os.environ['PATH']}"}

    def tenon(self, *arguments, code=0):
        done, output = run(self.prefix / "bin/tenon", *arguments, environment=self.environment, cwd=self.root)
        self.assertEqual(done, code, output)
        return output

    def check(self, template):
        self.tenon("plugin", "new", f"my-{template}", "--template", template)
        folder = self.root / f"my-{template}"
        for file in folder.rglob("*"):
            if file.is_file():
                self.assertNotIn("my-plugin", file.read_text().replace(f"my-{template}", ""), file)
        self.tenon("plugin", "build", folder)
        built = folder / "dist" / f"my-{template}"
        report = json.loads(self.tenon("plugin", "check", built, "--json"))
        self.assertEqual((report["errors"], report["warnings"]), ([], []))
        if (folder / "tests").is_dir():
            self.tenon("plugin", "test", folder)
        else:
            self.assertIn("has no tests", self.tenon("plugin", "test", folder, code=1))
        return report["grade"]

    def test_minimal_has_four_lines(self):
        self.assertEqual(self.check("minimal"), "none")
        files = [file for file in (self.root / "my-minimal").iterdir() if file.is_file()]
        self.assertEqual(sorted(file.name for file in files), ["plugin.json", "tables.json"])
        self.assertEqual(sum(len(file.read_text().splitlines()) for file in files), 4)

    def test_table_has_tests(self):
        self.assertEqual(self.check("table"), "silver")

    @unittest.skipIf(is_sanitized(), "its library is built without the sanitizer")
    def test_job_counts_words(self):
        self.assertEqual(self.check("job"), "silver")

    @unittest.skipIf(is_sanitized(), "its library is built without the sanitizer")
    def test_c_builds_without_warnings(self):
        self.assertEqual(self.check("c"), "silver")

    def install_ui(self, folder):
        """Does what npm does: the packages of the installed SDK from its archives, the others from this tree."""
        self.tenon("plugin", "update", folder)
        modules = folder / "ui/node_modules"
        for name in (".bin", "@tenon"):
            (modules / name).mkdir(parents=True)
        for package in (ROOT / "shell-ui/node_modules").iterdir():
            if not (modules / package.name).exists():
                (modules / package.name).symlink_to(package)
        (modules / ".bin/tsc").symlink_to("../typescript/bin/tsc")
        for archive in (folder / "ui/sdk").iterdir():
            with tempfile.TemporaryDirectory(dir=self.root) as extracted, tarfile.open(archive) as packed:
                packed.extractall(extracted)
                manifest = json.loads(pathlib.Path(extracted, "package/package.json").read_text())
                pathlib.Path(extracted, "package").rename(modules / manifest["name"])
            for name, program in manifest.get("bin", {}).items():
                (modules / manifest["name"] / program).chmod(0o755)
                (modules / ".bin" / name).symlink_to(f"../{manifest['name']}/{program}")

    def example(self, name):
        folder = self.root / name
        shutil.copytree(self.prefix / "share/tenon/sdk/examples" / name, folder)
        if (folder / "ui").is_dir():
            self.install_ui(folder)
        self.tenon("plugin", "build", folder)
        report = json.loads(self.tenon("plugin", "check", folder / "dist" / name, "--json"))
        self.assertEqual((report["errors"], report["warnings"]), ([], []))
        self.tenon("plugin", "test", folder)
        return report["grade"]

    def test_example_poll_passes(self):
        self.assertEqual(self.example("poll"), "gold")

    @unittest.skipIf(is_sanitized(), "its library is built without the sanitizer")
    def test_example_links_passes(self):
        self.assertEqual(self.example("links"), "gold")

    @unittest.skipIf(is_sanitized(), "its library is built without the sanitizer")
    def test_example_uptime_passes(self):
        self.assertEqual(self.example("uptime"), "gold")

    def test_update_replaces_packages_of_the_sdk(self):
        self.tenon("plugin", "new", "my-page", "--template", "page")
        folder = self.root / "my-page"
        sdk = folder / "ui/sdk"
        new = sorted(file.name for file in sdk.iterdir())
        self.assertIn("already", self.tenon("plugin", "update", folder))
        # As if an older SDK had made it.
        manifest = folder / "ui/package.json"
        before = manifest.read_text()
        [ui] = [name for name in new if name.startswith("tenon-ui-")]
        (sdk / ui).rename(sdk / "tenon-ui-0.1.0.tgz")
        manifest.write_text(before.replace(ui, "tenon-ui-0.1.0.tgz"))
        (folder / "ui/node_modules").mkdir()
        changes = json.loads(self.tenon("plugin", "update", folder, "--json"))["changes"]
        self.assertEqual(changes, [f"ui/sdk/tenon-ui-0.1.0.tgz replaced by {ui}", "ui/package.json names the new packages"])
        self.assertEqual((sorted(file.name for file in sdk.iterdir()), manifest.read_text()), (new, before))
        self.assertFalse((folder / "ui/node_modules").exists())
        self.assertIn("[dev.no_plugin]", self.tenon("plugin", "update", self.root, code=1))

    def test_unknown_template_is_refused(self):
        self.assertIn("use minimal, table, page, full, job, c or rust", self.tenon("plugin", "new", "x1", "--template", "tabel", code=2))


if __name__ == "__main__":
    unittest.main()
