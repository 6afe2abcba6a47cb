"""docs/write-a-plugin.md, every command unchanged, in a folder outside of this tree.

Two lines are not run: `./dev build`, for the build under test is there, and its folder is taken in the place of build/release.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
import urllib.request

from prefix import BUILD, ROOT, compiler_cache, is_sanitized

DOC = ROOT / "docs" / "write-a-plugin.md"
# Generous: a busy machine, an empty cache of npm.
STEP_SECONDS = 600
START_SECONDS = 60


def blocks(text):
    """The fenced blocks of shell commands."""
    return re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


class Stranger:
    """A shell session: a command keeps the folder and the environment of the one before."""

    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tenon-stranger-"))
        self.state = self.home / ".state"
        self.folder = ROOT
        real = pathlib.Path.home()
        # npm's packages and where it gets them are the machine's, as the compiler's cache is; nothing else is.
        self.environment = {**os.environ, **compiler_cache(self.home), "HOME": str(self.home), "TENON_LISTEN": "127.0.0.1:0",
                            "npm_config_cache": os.environ.get("npm_config_cache", str(real / ".npm")),
                            "npm_config_userconfig": os.environ.get("npm_config_userconfig", str(real / ".npmrc")),
                            "npm_config_prefer_offline": "true", "npm_config_audit": "false", "npm_config_fund": "false",
                            "npm_config_fetch_retries": "5"}
        for variable in ("CMAKE_PREFIX_PATH", "DEV_BUILD", "DEV_RESULTS", "PYTHONPATH"):
            self.environment.pop(variable, None)
        self.state.write_text("")

    def script(self, commands):
        return f"set -euo pipefail\n. '{self.state}'\ncd '{self.folder}'\n{commands}\n"

    def do(self, commands):
        keep = f"export -p >'{self.state}.new'\nmv '{self.state}.new' '{self.state}'\npwd >'{self.state}.folder'\n"
        done = subprocess.run(["bash", "-c", self.script(commands) + keep], env=self.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=STEP_SECONDS)
        if done.returncode != 0:
            raise AssertionError(f"{DOC.name} says\n{commands}\nwhich ends with {done.returncode}:\n{done.stdout}")
        self.folder = pathlib.Path(f"{self.state}.folder").read_text().strip()
        return done.stdout

    @contextlib.contextmanager
    def serving(self, command):
        """Returns the address that `tenon serve` prints, and the output after it."""
        with open(self.home / "log.txt", "w+") as log:
            server = subprocess.Popen(["bash", "-c", self.script("exec " + command)], env=self.environment, text=True,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
            alarm = threading.Timer(START_SECONDS, server.kill)
            alarm.start()
            try:
                lines = [server.stdout.readline().strip() for _ in range(2)]
                alarm.cancel()
                log.seek(0)
                assert lines[0].startswith("ready ") and lines[1].startswith("setup "), f"{lines}\n{log.read()}"
                yield lines[0].split()[1], lines[1].split()[1]
            finally:
                alarm.cancel()
                server.send_signal(signal.SIGTERM)
                server.wait(START_SECONDS)
                server.stdout.close()

    def develop(self, command):
        """Runs `tenon dev` until it waits for keys, quits it, and returns its output."""
        session = subprocess.Popen(["bash", "-c", self.script("exec " + command)], env=self.environment, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        alarm = threading.Timer(STEP_SECONDS, session.kill)
        alarm.start()
        try:
            lines = []
            for line in session.stdout:
                lines.append(line)
                if "Keys:" in line:
                    session.stdin.write("q")
                    session.stdin.flush()
            code = session.wait()
        finally:
            alarm.cancel()
            session.stdin.close()
            session.stdout.close()
        assert code == 0, f"{command} ends with {code}:\n{''.join(lines)}"
        return "".join(lines)

    def close(self):
        shutil.rmtree(self.home, ignore_errors=True)


@unittest.skipIf(is_sanitized(), "a build for sanitizers has no pages")
class WriteAPlugin(unittest.TestCase):
    def check_browser_gets_all(self, address, setup):
        """The first admin sets the server up, sees the plugin, gets the code of its page, and signs the guest book."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())

        def ask(path, body=None):
            request = urllib.request.Request(address + path, json.dumps(body).encode() if body else None,
                                             {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"} if body else {})
            with opener.open(request, timeout=START_SECONDS) as response:
                return response.read()

        ask("/api/core/setup", {"token": setup.partition("token=")[2], "login": "ada", "name": "Ada", "password": "correct horse battery"})
        [plugin] = [one for one in json.loads(ask("/api/core/plugins"))["items"] if one["id"] == "guest-book"]
        self.assertEqual(("active", None), (plugin["state"], plugin["reason"]))
        [module] = [one for one in json.loads(ask("/api/core/shell"))["plugins"] if one["id"] == "guest-book"]
        entry = re.search(r'"([^"]*entry\.[^"]*\.js)"', json.dumps(module)).group(1)
        self.assertIn(b"export", ask(entry))
        ask("/api/guest-book/guests", {"text": "Ada was here"})
        self.assertEqual(1, json.loads(ask("/api/guest-book/guests"))[0]["entries"])

    def test_every_command_works_as_it_is_written(self):
        stranger = Stranger()
        self.addCleanup(stranger.close)
        first, *others = blocks(DOC.read_text())
        self.assertIn("./dev build\n", first)
        self.assertIn(" build/release ", first)
        output = stranger.do(first.replace("./dev build\n", "").replace(" build/release ", f" '{BUILD}' "))

        for block in others:
            if block.startswith("tenon serve "):
                [command] = block.splitlines()
                with stranger.serving(command) as (address, setup):
                    self.check_browser_gets_all(address, setup)
            elif block == "tenon dev\n":
                said = stranger.develop("tenon dev")
                self.assertIn("plugin active plugin=guest-book", said)
                self.assertNotIn("failed", said)
                output += said
            else:
                output += stranger.do(block)
        for word in ("5 passed", "Ran 5 tests", "/app/guest-book", "guest-book 0.1.0", "all as FILES says", "signed by the key",
                     "guest-book 0.1.0: install", "guest-book 0.1.0 is discovered"):
            self.assertIn(word, output)
        for word in ("warning:", "CMake Warning", "keeps the library mapped"):
            self.assertNotIn(word, output)
        self.assertTrue(pathlib.Path(stranger.folder).is_relative_to(stranger.home), stranger.folder)

    def test_the_doc_leaves_no_step_out(self):
        commands = "".join(blocks(DOC.read_text()))
        for command in ("cmake --install", "plugin new", "tenon dev", "plugin test", "plugin build", "tenon serve",
                        "plugin keygen", "plugin pack", "plugin sign", "plugin verify", "plugin trust", "plugin install"):
            self.assertIn(command, commands)


if __name__ == "__main__":
    unittest.main()
