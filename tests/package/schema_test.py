"""The schema of plugin.json accepts every manifest of the tree and names the place of what is wrong."""

import copy
import json
import pathlib
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOOD = {
    "id": "notes", "name": "Notes", "version": "1.2.3-rc.1+build.5", "abi": {"major": 0, "minor": 9},
    "requires": {"files": "^1.2"}, "permissions": [{"id": "notes.use", "title": "Use notes", "roles": ["member"]}],
    "ui": {"module": "entry.js", "contributions": {"search": []},
           "navigation": [{"id": "notes", "title": "Notes", "path": "/app/notes", "icon": "notebook-pen"}]},
    "settings": {"type": "object", "properties": {"limit": {"type": "integer", "default": 5}}}, "isolation": "preferred",
}
REMOVED = object()
# What is changed, and how.
BAD = [
    (("id",), "Notes"), (("id",), "n"), (("id",), "core"), (("id",), "a" * 33), (("id",), REMOVED), (("name",), ""),
    (("name",), "two\nlines"), (("version",), "1.2"), (("version",), "01.2.3"), (("version",), REMOVED), (("abi",), REMOVED),
    (("abi", "minor"), "9"), (("abi", "minor"), -1), (("abi", "patch"), 1), (("requires", "Files"), "1"), (("requires", "files"), ""),
    (("permissions", 0, "id"), "use"), (("permissions", 0, "title"), REMOVED), (("permissions", 0, "roles"), ["owner"]),
    (("ui", "module"), "/etc/passwd"), (("ui", "navigation", 0, "path"), "/notes"), (("ui", "navigation", 0, "icon"), "a/b"),
    (("ui", "pages"), []), (("settings", "type"), "array"), (("settings", "properties", "Limit"), {}), (("isolation",), "always"),
    (("unknown",), 1),
]


def changed(place, value):
    manifest = copy.deepcopy(GOOD)
    inner = manifest
    for step in place[:-1]:
        inner = inner[step]
    if value is REMOVED:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return manifest


class PluginSchema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads((ROOT / "sdk/schema/plugin.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def test_the_manifests_of_the_tree_are_accepted(self):
        manifests = [*ROOT.glob("plugins/*/plugin.json"), ROOT / "sdk/template/plugin.json"]
        for path in manifests:
            with self.subTest(path=str(path.relative_to(ROOT))):
                self.assertEqual([error.message for error in self.validator.iter_errors(json.loads(path.read_text()))], [])

    def test_a_full_manifest_is_accepted(self):
        self.assertEqual(list(self.validator.iter_errors(GOOD)), [])

    def test_what_is_wrong_is_refused_where_it_stands(self):
        for place, value in BAD:
            with self.subTest(place=place, value=value):
                errors = list(self.validator.iter_errors(changed(place, value)))
                self.assertTrue(errors)
                for error in errors:
                    where = list(error.absolute_path)
                    self.assertEqual(where[:len(place)], list(place)[:len(where)])


if __name__ == "__main__":
    unittest.main()
