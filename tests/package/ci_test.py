"""The CI file of a new plugin is valid YAML, and its steps pass with an installed Tenon."""

import os
import pathlib
import shutil
import tempfile
import unittest

import yaml
from prefix import ROOT, install, run


class Ci(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-ci-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        cls.prefix = cls.root / "prefix"
        install(cls.prefix, "host", "sdk")

    def new(self, template, name=None):
        folder = self.root / (name or f"my-{template}")
        code, output = run(self.prefix / "bin/tenon", "plugin", "new", folder.name, "--template", template, cwd=self.root)
        self.assertEqual(code, 0, output)
        return folder

    def test_each_template_with_a_readme_has_it(self):
        templates = {path.parent.name for path in (ROOT / "sdk/templates").glob("*/README.md")}
        self.assertLessEqual({"full", "rust", "c"}, templates)
        for template in sorted(templates):
            with self.subTest(template=template):
                parsed = yaml.safe_load((self.new(template) / ".github/workflows/ci.yml").read_text())
                steps = parsed["jobs"]["plugin"]["steps"]
                self.assertIn(f"tenon plugin check dist/my-{template}", [step.get("run") for step in steps])
        self.assertFalse((self.new("minimal") / ".github").exists())

    def test_steps_pass_with_an_installed_tenon(self):
        folder = self.new("table", "in-ci")
        steps = yaml.safe_load((folder / ".github/workflows/ci.yml").read_text())["jobs"]["plugin"]["steps"]
        added = self.root / "path"
        ran = []
        for step in steps:
            if "run" not in step or "apt-get" in step["run"]:
                continue
            added.touch()
            path = ":".join([*added.read_text().split(), os.environ["PATH"]])
            # The file sets the variables for the step that needs them only: the host rejects settings that it does not know.
            given = {name: "" for name in step.get("env", {})} | ({"TENON_PREFIX": str(self.prefix)} if "env" in step else {})
            code, output = run("bash", "-e", "-c", step["run"], cwd=folder, environment={"PATH": path, "GITHUB_PATH": str(added), **given})
            self.assertEqual(code, 0, output)
            ran.append(step["name"])
        self.assertEqual(ran, ["Find or build Tenon", "Build", "Check", "Test"])


if __name__ == "__main__":
    unittest.main()
