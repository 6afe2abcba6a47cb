"""The schemas of plugin.json and tables.json accept every such file of the tree and name the location of what is wrong."""

import copy
import json
import pathlib
import re
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOOD = {
    "id": "notes", "name": "Notes", "version": "1.2.3-rc.1+build.5", "abi": {"major": 0, "minor": 13},
    "requires": {"files": "^1.2"}, "optional": {"mail": "2"}, "conflicts": {"old-notes": "*"},
    "permissions": [{"id": "notes.use", "title": "Use notes", "roles": ["member"]}],
    "ui": {"module": "entry.js", "contributions": {"search": []},
           "navigation": [{"id": "notes", "title": "Notes", "path": "/app/notes", "icon": "notebook-pen"}]},
    "settings": {"type": "object", "properties": {"limit": {"type": "integer", "default": 5}}}, "isolation": "preferred",
    "response_headers": ["Access-Control-Allow-Origin", "content-security-policy"],
    "outgoing": ["https://api.example.com", "https://*.example.com:8443", "http://*:*"],
    "public_paths": [{"path": "/n/a_b-1", "route": "/v1.0/go", "title": "Shared notes"}, {"path": "/apis", "route": "/go", "title": "More"}],
}
REMOVED = object()
# The changes, by name.
BAD = [
    (("id",), "Notes"), (("id",), "n"), (("id",), "core"), (("id",), "a" * 33), (("id",), REMOVED), (("name",), ""),
    (("name",), "two\nlines"), (("version",), "1.2"), (("version",), "01.2.3"), (("version",), REMOVED), (("abi",), REMOVED),
    (("abi", "minor"), "9"), (("abi", "minor"), -1), (("abi", "patch"), 1), (("requires", "Files"), "1"), (("requires", "files"), ""),
    (("optional", "Mail"), "1"), (("optional", "mail"), 2), (("conflicts", "core"), "*"), (("conflicts", "old-notes"), "x" * 257),
    (("permissions", 0, "id"), "use"), (("permissions", 0, "title"), REMOVED), (("permissions", 0, "roles"), ["owner"]),
    (("ui", "module"), "/etc/passwd"), (("ui", "navigation", 0, "path"), "/notes"), (("ui", "navigation", 0, "icon"), "a/b"),
    (("ui", "pages"), []), (("settings", "type"), "array"), (("settings", "properties", "Limit"), {}), (("isolation",), "always"),
    (("response_headers",), ["Service-Worker-Allowed"]), (("response_headers",), "Access-Control-Allow-Origin"), (("response_headers",), ["X-Page"]),
    (("outgoing",), ["api.example.com"]), (("outgoing",), ["https://api.example.com/path"]), (("outgoing",), "https://*"),
    (("public_paths",), [{"path": "/n", "route": "/go"}]), (("public_paths", 0, "path"), "n"), (("public_paths", 0, "path"), "/a/b/c"),
    (("public_paths", 0, "path"), "/N"), (("public_paths", 0, "path"), "/api"), (("public_paths", 0, "path"), "/sign-in/x"),
    (("public_paths", 0, "route"), "/go/"), (("public_paths", 0, "route"), "/a/.."), (("public_paths", 0, "route"), "/{id}"),
    (("unknown",), 1),
]


def changed(location, value):
    manifest = copy.deepcopy(GOOD)
    inner = manifest
    for step in location[:-1]:
        inner = inner[step]
    if value is REMOVED:
        del inner[location[-1]]
    else:
        inner[location[-1]] = value
    return manifest


class PluginSchema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads((ROOT / "sdk/schema/plugin.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def test_reserves_the_segments_of_the_host(self):
        header = (ROOT / "host/packages/manifest/public_path.hpp").read_text()
        names = re.findall(r'"([\w-]+)"', header.partition("reserved_segments{")[2].partition("};")[0])
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertFalse(self.validator.is_valid(changed(("public_paths", 0, "path"), f"/{name}")), name)
            self.assertTrue(self.validator.is_valid(changed(("public_paths", 0, "path"), f"/{name}x")), name)

    def test_the_manifests_of_the_tree_are_accepted(self):
        manifests = [*ROOT.glob("plugins/*/plugin.json"), ROOT / "sdk/templates/full/plugin.json"]
        for path in manifests:
            with self.subTest(path=str(path.relative_to(ROOT))):
                self.assertEqual([error.message for error in self.validator.iter_errors(json.loads(path.read_text()))], [])

    def test_a_full_manifest_is_accepted(self):
        self.assertEqual(list(self.validator.iter_errors(GOOD)), [])

    def test_errors_name_the_wrong_member(self):
        for location, value in BAD:
            with self.subTest(location=location, value=value):
                errors = list(self.validator.iter_errors(changed(location, value)))
                self.assertTrue(errors)
                for error in errors:
                    where = list(error.absolute_path)
                    self.assertEqual(where[:len(location)], list(location)[:len(where)])


class TablesSchema(unittest.TestCase):
    """That the schema and the host's parser agree key by key is checked in the tests of the parser."""

    @classmethod
    def setUpClass(cls):
        schema = json.loads((ROOT / "sdk/schema/tables.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def is_taken(self, field, **table):
        return self.validator.is_valid({"tables": [{"name": "cards", "fields": [{"name": "a", **field}], **table}]})

    def test_the_tables_of_the_tree_are_accepted(self):
        for path in [*ROOT.glob("plugins/*/tables.json"), ROOT / "sdk/templates/full/tables.json"]:
            with self.subTest(path=str(path.relative_to(ROOT))):
                self.assertEqual([error.message for error in self.validator.iter_errors(json.loads(path.read_text()))], [])

    def test_the_example_of_the_documentation_is_accepted(self):
        example = (ROOT / "docs/tables.md").read_text().split("```json\n")[1].split("```")[0]
        self.assertEqual([error.message for error in self.validator.iter_errors(json.loads(example))], [])

    def test_many_values_blobs_and_computed_fields(self):
        for field in [{"type": "choice", "choices": ["x"], "many": True, "default": ["x"]}, {"type": "user", "many": True},
                      {"type": "reference", "table": "crm:contacts"}, {"type": "reference", "table": "core:groups", "many": True},
                      {"type": "blob", "types": ["image/*"], "max_bytes": 1}, {"type": "computed", "expression": "b"}]:
            with self.subTest(field=field):
                self.assertTrue(self.is_taken(field))
        for field in [{"type": "choice", "choices": ["x"], "many": True, "default": "x"}, {"type": "user", "many": True, "unique": True},
                      {"type": "choice", "choices": ["x"], "default": ["x"]}, {"type": "reference", "table": "core:sessions"},
                      {"type": "reference", "table": "crm:contacts", "on_delete": "clear"}, {"type": "blob", "types": ["*/*"]},
                      {"type": "reference", "table": "cards", "many": True, "on_delete": "cascade"},
                      {"type": "computed"}, {"type": "computed", "expression": "b", "required": True}]:
            with self.subTest(field=field):
                self.assertFalse(self.is_taken(field))
        self.assertTrue(self.is_taken({"type": "text"}, publish=True, anonymous=True, rules={"delete": "true"}, formerly=["items"]))
        self.assertFalse(self.is_taken({"type": "text"}, anonymous=True))
        self.assertFalse(self.is_taken({"type": "text"}, rules={"write": "true"}))


if __name__ == "__main__":
    unittest.main()
