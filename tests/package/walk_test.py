"""docs/write-a-plugin.md, every command unchanged, in a folder outside of this tree.

Two lines are not run: `./dev build`, for the build under test is there, and its folder is used instead of build/release.
"""

import json
import pathlib
import re
import sys
import unittest
import urllib.request

from prefix import BUILD, ROOT, is_sanitized
from stranger import START_SECONDS, Stranger

sys.path.insert(0, str(ROOT / "tests/integration"))
from doc_page import code_of  # noqa: E402

DOC = ROOT / "docs" / "write-a-plugin.md"

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
        first, *others = code_of(DOC.read_text(), "sh")
        self.assertIn("./dev build\n", first)
        self.assertIn(" build/release ", first)
        output = stranger.do(first.replace("./dev build\n", "").replace(" build/release ", f" '{BUILD}' "))

        for block in others:
            if block.startswith("tenon serve "):
                [command] = block.splitlines()
                server = stranger.start(command)
                self.addCleanup(server.stop)
                address = server.wait_for("^ready (.*)", START_SECONDS)[1]
                self.check_browser_gets_all(address, server.wait_for("^setup (.*)", START_SECONDS)[1])
                self.assertEqual(0, server.stop())
            elif block == "tenon dev\n":
                session = stranger.start("tenon dev")
                self.addCleanup(session.stop)
                session.wait_for("Keys:")
                session.press("q")
                self.assertEqual(0, session.stop(None), session.output)
                self.assertIn("plugin active plugin=guest-book", session.output)
                self.assertNotIn("failed", session.output)
                output += session.output
            else:
                output += stranger.do(block)
        for word in ("5 passed", "Ran 5 tests", "/app/guest-book", "guest-book 0.1.0", "all as FILES says", "signed by the key",
                     "guest-book 0.1.0: install", "guest-book 0.1.0 is discovered"):
            self.assertIn(word, output)
        for word in ("warning:", "CMake Warning", "keeps the library mapped"):
            self.assertNotIn(word, output)
        self.assertTrue(pathlib.Path(stranger.folder).is_relative_to(stranger.home), stranger.folder)

    def test_the_doc_leaves_no_step_out(self):
        commands = "".join(code_of(DOC.read_text(), "sh"))
        for command in ("cmake --install", "plugin new", "tenon dev", "plugin test", "plugin build", "tenon serve",
                        "plugin keygen", "plugin pack", "plugin sign", "plugin verify", "plugin trust", "plugin install"):
            self.assertIn(command, commands)


if __name__ == "__main__":
    unittest.main()
