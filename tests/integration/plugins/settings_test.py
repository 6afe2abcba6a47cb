"""Settings of a plugin: over HTTP and on the command line, with a running server and without one."""

import json
import pathlib
import shutil
import tempfile
import unittest

from tenon import BOTH_IN_FULL, Client, Server, core_rows, tenon

SCHEMA = {"type": "object", "required": ["host"], "properties": {
    "host": {"type": "string", "pattern": "^[a-z.]+$"},
    "port": {"type": "integer", "minimum": 1, "maximum": 65535, "default": 587},
    "security": {"enum": ["tls", "none"], "default": "tls"},
    "verify": {"type": "boolean"},
    "password": {"type": "string", "writeOnly": True}}}
PATH = "/api/core/plugins/mail/settings"


class PluginSettings(unittest.TestCase):
    engines = BOTH_IN_FULL

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-settings-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        # It has no library: settings can be changed although the plugin does not run.
        folder = self.root / "plugins" / "mail"
        folder.mkdir(parents=True)
        self.manifest = folder / "plugin.json"
        self.write_manifest(SCHEMA)
        self.server = Server(plugins=self.root / "plugins", data=self.root / "data").start()
        self.addCleanup(self.server.close)
        self.admin = Client(self.server)
        self.addCleanup(self.admin.close)
        made = self.admin.post("/api/core/setup", {"token": self.server.setup_link_token(), "login": "ada", "name": "Ada",
                                                   "password": "correct horse battery"})
        self.assertEqual(made.status, 201, made)

    def write_manifest(self, schema):
        self.manifest.write_text(json.dumps({"id": "mail", "name": "Mail", "version": "1.0.0", "abi": {"major": 0, "minor": 1},
                                             "settings": schema}))

    def command(self, *words, stdin=None, status=0):
        done = tenon("plugin", "settings", *words, "--data", self.server.data, "--plugins", self.root / "plugins", stdin=stdin)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def put(self, values, status=200):
        response = self.admin.put(PATH, {"values": values})
        self.assertEqual(response.status, status, response)
        return response.json()

    def test_replaces_values_over_http(self):
        shown = self.admin.get(PATH).json()
        self.assertEqual(shown["schema"], SCHEMA)
        self.assertEqual((shown["values"], shown["secrets"]), ({}, []))
        self.assertEqual([error["field"] for error in shown["errors"]], ["host"])
        shown = self.put({"host": "mail.example", "port": 25, "password": "hunter2"})
        self.assertEqual(shown, {"schema": SCHEMA, "values": {"host": "mail.example", "port": 25}, "secrets": ["password"], "errors": []})
        shown = self.put({"host": "mail.example"})
        self.assertEqual((shown["values"], shown["secrets"]), ({"host": "mail.example"}, ["password"]))

    def test_names_every_refused_setting(self):
        self.put({"host": "mail.example"})
        refused = self.put({"host": "Mail!", "port": 0, "security": "ssl"}, 422)
        self.assertEqual(refused["code"], "plugins.settings_invalid")
        self.assertEqual({error["field"]: error["code"] for error in refused["errors"]},
                         {"host": "invalid", "port": "too_small", "security": "unknown"})
        self.assertEqual(self.admin.get(PATH).json()["values"], {"host": "mail.example"})

    def test_only_admins_read_and_change_settings(self):
        stranger = Client(self.server)
        self.addCleanup(stranger.close)
        self.assertEqual((stranger.get(PATH).status, stranger.put(PATH, {"values": {}}).status), (401, 401))
        added = self.admin.post("/api/core/users", {"login": "ben", "name": "Ben", "role": "member", "password": "correct horse battery"})
        self.assertEqual(added.status, 201, added)
        member = Client(self.server)
        self.addCleanup(member.close)
        member.sign_in("ben", "correct horse battery")
        self.assertEqual((member.get(PATH).status, member.put(PATH, {"values": {}}).status), (403, 403))
        self.assertEqual(self.admin.get("/api/core/plugins/unknown/settings").status, 404)

    def test_secrets_are_encrypted_at_rest(self):
        self.put({"host": "mail.example", "password": "hunter2"})
        self.assertNotIn("hunter2", json.dumps(self.admin.get(PATH).json()))
        self.assertEqual((self.server.data / "secrets.key").stat().st_mode & 0o777, 0o600)
        self.server.stop()
        stored = dict(core_rows(self.server, "SELECT key, value FROM plugins_settings"))
        self.assertEqual(stored["host"], '"mail.example"')
        self.assertTrue(stored["password"].startswith("sealed:1:"), stored)
        self.assertFalse([row for row in core_rows(self.server, "SELECT details FROM identity_audit") if "hunter2" in row[0]])

    def commands(self):
        listed = "host = mail.example\npassword = (not set)\nport = 587  (default)\nsecurity = tls  (default)\nverify = (not set)\n"
        self.assertEqual(self.command("mail", "host", "mail.example"), "host = mail.example\n")
        self.assertEqual(self.command("mail"), listed)
        self.assertEqual(self.command("mail", "port", "25"), "port = 25\n")
        self.assertEqual(self.command("mail", "port"), "25\n")
        self.assertEqual(self.command("mail", "verify", "true"), "verify = true\n")
        self.assertEqual(self.command("mail", "password", "-", stdin="hunter2\n"), "password = (secret)\n")
        shown = json.loads(self.command("mail", "--json"))
        self.assertEqual((shown["values"], shown["secrets"]),
                         ({"host": "mail.example", "port": 25, "verify": True}, ["password"]))
        self.assertIn("This must be at most 65535.", self.command("mail", "port", "65536", status=1))
        self.assertIn("must be of the type boolean", self.command("mail", "verify", "yes", status=1))
        self.assertIn('has no setting "prot"', self.command("mail", "prot", "1", status=1))
        self.command("unknown", status=1)
        self.command("mail", "port", "1", "2", status=2)
        for key in ("port", "verify", "password"):
            self.command("mail", key, "--default")
        self.assertEqual(self.command("mail"), listed)

    def test_commands_work_with_a_running_server(self):
        self.commands()
        self.assertEqual(self.admin.get(PATH).json()["values"], {"host": "mail.example"})

    def test_commands_work_without_a_server(self):
        self.server.stop()
        self.commands()

    def test_a_new_schema_applies_to_stored_values(self):
        self.put({"host": "mail.example", "port": 25})
        self.write_manifest({"properties": {"port": {"type": "integer", "minimum": 100, "default": 587}}})
        shown = self.admin.get(PATH).json()
        self.assertEqual(shown["values"], {"port": 25})
        self.assertEqual(shown["errors"], [{"field": "port", "code": "too_small", "message": "This must be at least 100."}])

    def test_refuses_a_schema_that_is_invalid(self):
        self.write_manifest({"properties": {"port": {"type": "integer", "maximum": 10, "default": 11}}})
        refused = self.admin.get(PATH)
        self.assertEqual(refused.status, 409, refused)
        self.assertIn("The default is refused by its own schema", refused.json()["detail"])
