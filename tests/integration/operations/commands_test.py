"""The command line: help, completions, suggestions, error codes and JSON, with the real program."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from tenon import ROOT, tenon

PAGE = (ROOT / "docs/commands.md").read_text()
COMMANDS = re.findall(r"^### tenon (.+)$", PAGE, re.MULTILINE)
# They run until they are stopped, or print for people or shells alone.
WITHOUT_JSON = {"serve", "help", "completion"}


class CommandLine(unittest.TestCase):
    def test_explains_every_command(self):
        shown = tenon("help").stdout
        for command in COMMANDS:
            self.assertIn(f"  {command}", shown)
            for words in (("help", *command.split()), (*command.split(), "--help")):
                done = tenon(*words)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done)
                self.assertTrue(done.stdout.startswith(f"Usage: tenon {command}"), done.stdout)
                self.assertEqual("--json" in done.stdout, command not in WITHOUT_JSON, command)

    def test_suggests_what_was_meant(self):
        for words, shown in ((("plugn", "list"), 'there is no command "plugn"; did you mean plugin?'),
                             (("plugin", "instal", "x"), 'there is no command "plugin instal"; did you mean install?'),
                             (("plugin", "list", "--jsno"), "plugin list: unknown option --jsno; did you mean --json?"),
                             (("help", "plugins.abi_to_new"), "did you mean plugins.abi_too_new?"),
                             (("plugin", "show"), "plugin show: needs ID"),
                             (("version", "now"), "version: takes options only")):
            done = tenon(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertIn(shown, done.stderr)
            self.assertIn("\nTry: tenon help", done.stderr)

    def test_shows_a_group_for_its_name(self):
        done = tenon("plugin")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("  plugin install FILE|ID[@VERSION]", done.stderr)
        self.assertNotIn("  user add", done.stderr)

    def test_names_the_code_of_a_refusal(self):
        done = tenon("plugin", "check", "/nowhere/at/all", "--json")
        code = json.loads(done.stdout)["errors"][0]["code"]
        done = tenon("plugin", "verify", "/nowhere/at/all")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(f"[{code}]", done.stderr)
        self.assertTrue(tenon("help", code).stdout.startswith(f"{code}\n\n"))

    def test_prints_json_without_a_server(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-commands-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        data = ("--data", folder / "data")
        self.assertIn("abi", json.loads(tenon("version", "--json").stdout))
        self.assertIn("checks", json.loads(tenon("doctor", "--json", *data).stdout))
        made = json.loads(tenon("plugin", "new", "sample", "--template", "minimal", "--output", folder / "sample", "--json").stdout)
        self.assertEqual((made["id"], made["template"], made["files"]), ("sample", "minimal", 2))
        built = json.loads(tenon("plugin", "build", folder / "sample", "--json").stdout)
        self.assertEqual((built["id"], built["folder"]), ("sample", str(folder / "sample/dist/sample")))
        packed = json.loads(tenon("plugin", "pack", built["folder"], "--json").stdout)
        self.assertEqual(packed["version"], "0.1.0")

    def complete(self, *words):
        """The completions of the last word, by bash and the script for it."""
        line = " ".join(f"'{word}'" for word in ("tenon", *words))
        script = (f"{tenon('completion', 'bash').stdout}\nCOMP_WORDS=({line})\nCOMP_CWORD={len(words)}\n_tenon\n"
                  "printf '%s\\n' \"${COMPREPLY[@]}\"\n")
        done = subprocess.run(["bash", "--norc"], input=script, text=True, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_completes_in_bash(self):
        self.assertEqual(self.complete("plugin", "re"), {"reload", "remove", "revoke", "revoke-path"})
        self.assertEqual(self.complete("plugin", "export", ""), {"list", "delete"})
        self.assertLessEqual({"--replace", "--restore-export"}, self.complete("plugin", "install", "--re"))
        self.assertEqual(self.complete("user", "add", "ada", "--role", ""), {"admin", "member"})
        self.assertEqual(self.complete("completion", "f"), {"fish"})
        self.assertEqual(self.complete("plugin", "new", "x", "--template", "m"), {"minimal"})
        self.assertIn("--listen", self.complete("serve", "--li"))

    def test_scripts_of_other_shells_are_sound(self):
        for shell, check in (("zsh", "#compdef tenon\n"), ("fish", "function __tenon_is\n")):
            script = tenon("completion", shell).stdout
            self.assertTrue(script.startswith(check), shell)
            if program := shutil.which(shell):
                done = subprocess.run([program, "-n"], input=script, text=True, capture_output=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
