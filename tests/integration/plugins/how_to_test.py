"""docs/how-to.md: `tenon plugin check` finds no error in its tables.json and plugin.json files."""

import json
import pathlib
import re
import shutil
import tempfile
import unittest

from doc_page import code_of
from tenon import ROOT, tenon

PAGE = (ROOT / "docs/how-to.md").read_text()
MANIFEST = {"id": "shop", "name": "Shop", "version": "1.0.0",
            "permissions": [{"id": "shop.use", "title": "Use"}, {"id": "shop.manage", "title": "Manage"}]}
TABLES = {"tables": [{"name": "orders", "timestamps": True, "publish": True, "rules": {"read": "true"},
                      "fields": [{"name": "state", "type": "choice", "choices": ["new", "paid", "cancelled"]}]}]}
BLOCKS = [json.loads(code) for code in code_of(PAGE, "json")]


class HowTo(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-how-to-")) / "shop"
        self.addCleanup(shutil.rmtree, self.folder.parent, ignore_errors=True)
        self.folder.mkdir()

    def check(self, manifest, tables):
        (self.folder / "plugin.json").write_text(json.dumps(manifest))
        (self.folder / "tables.json").write_text(json.dumps(tables))
        done = tenon("plugin", "check", self.folder, "--json")
        self.assertEqual(json.loads(done.stdout)["errors"], [], (manifest, tables))

    def test_has_twenty_five_recipes(self):
        self.assertGreaterEqual(len(re.findall(r"^### ", PAGE, re.M)), 25)

    def test_tables_are_correct(self):
        tables = [block for block in BLOCKS if "tables" in block]
        self.assertGreater(len(tables), 10)
        for one in tables:
            self.check(MANIFEST, one)

    def test_manifests_are_correct(self):
        manifests = [block for block in BLOCKS if "id" in block]
        self.assertGreater(len(manifests), 4)
        for one in manifests:
            self.check(one, TABLES)
