"""Tests the test kit sdk/testing: a clock that moves and pages in a browser, on a real host with the plugin tasks."""

import contextlib
import datetime
import io
import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

from prefix import BUILD, ROOT, is_sanitized

sys.path.insert(0, str(ROOT / "sdk/testing"))
from tenon_testing import PluginTest, Server  # noqa: E402


@unittest.skipIf(is_sanitized(), "a build for sanitizers has no pages")
class TestingKit(PluginTest):
    moves_clock = True

    @classmethod
    def setUpClass(cls):
        output = tempfile.TemporaryDirectory(prefix="tenon-kit-")
        cls.addClassCleanup(output.cleanup)
        cls.output = pathlib.Path(output.name)
        variables = {"TESTED_HOST": BUILD / "bin/tenon", "TESTED_PLUGIN": BUILD / "lib/tenon/plugins/tasks", "TESTED_OUTPUT": cls.output}
        cls.enterClassContext(unittest.mock.patch.dict(os.environ, {name: str(value) for name, value in variables.items()}))
        super().setUpClass()

    def create_board(self):
        response = self.ada.post("/api/tasks/boards", {"title": "Garden"})
        self.assertEqual(201, response.status, response)
        return datetime.datetime.fromisoformat(response.json()["created"])

    def assert_screenshot(self, text):
        path = self.output / f"{self.id()}.png"
        self.assertIn(str(path), text)
        self.assertTrue(path.read_bytes().startswith(b"\x89PNG"))

    def test_clock_moves_times_and_ends_sessions(self):
        before = self.create_board()
        self.server.clock.advance(hours=25)
        after = self.create_board()
        self.assertGreaterEqual(after - before, datetime.timedelta(hours=25))
        self.assertLess(abs(self.server.clock.now() - after), datetime.timedelta(minutes=5))
        self.server.clock.advance(days=90)
        self.assertEqual(401, self.ada.get("/api/tasks/boards").status)
        self.ada.sign_in("ada")
        self.assertEqual(200, self.ada.get("/api/tasks/boards").status)

    def test_clock_explains_wrong_use(self):
        with self.assertRaisesRegex(ValueError, "forward only"):
            self.server.clock.advance(hours=-1)
        with unittest.mock.patch.object(pathlib.Path, "is_file", return_value=False):
            with self.assertRaisesRegex(RuntimeError, "apt install libfaketime"):
                Server(moves_clock=True)
        real = Server()
        self.addCleanup(real.close)
        with self.assertRaisesRegex(RuntimeError, "moves_clock = True"):
            real.clock.advance(hours=1)

    def test_page_reports_console_errors(self):
        page = self.server.page("ada")
        try:
            page.find("main h1")
            page.control("New board").click()
            page.control("Name").send_keys("Kitchen")
            refused = "return fetch('/api/tasks/boards/none').then((response) => response.status)"
            self.assertEqual(404, page.driver.execute_script(refused))
            self.assertEqual([], page.errors())
            page.driver.execute_script("console.error('broken')")
        finally:
            with self.assertRaisesRegex(AssertionError, "broken") as caught:
                page.close()
        self.assert_screenshot(str(caught.exception))

    def test_page_keeps_a_screenshot_of_a_failure(self):
        messages = io.StringIO()
        with contextlib.redirect_stderr(messages), self.assertRaisesRegex(AssertionError, "no button, link or field has the name 'Nothing'"):
            with unittest.mock.patch("tenon_page.FIND_SECONDS", 0.2), self.server.page("ada") as page:
                page.control("Nothing")
        self.assert_screenshot(messages.getvalue())


if __name__ == "__main__":
    unittest.main()
