"""docs/tutorial.md, step by step: writes its files, applies its diffs, runs its commands and compares its outputs.

Only with DEV_FULL=1 the page of the plugin is written, built and tested; npm then installs its packages, as for a reader.
"""

import os
import pathlib
import re
import sys
import unittest

from prefix import ROOT, install, is_sanitized
from stranger import START_SECONDS, Stranger

sys.path.insert(0, str(ROOT / "tests/integration"))
from doc_page import apply_diff, blocks, missing_line  # noqa: E402

PAGE = ROOT / "docs/tutorial.md"
FULL = os.environ.get("DEV_FULL") == "1"
ADDRESS = "http://127.0.0.1:8080"
RESULT_OF_PAGE = "      Tests  1 passed (1)\n"
CHANGED = re.compile(r"loaded in \d+ ms")


def is_followed(block):
    """Whether the block is not about the page of the plugin, or that is followed, too."""
    return FULL or not (block.section == "6. Add a page" or (block.file or "").startswith("ui/"))


class Reader(Stranger):
    """Follows the page: `serving` is the program that runs in the first terminal."""

    def __init__(self):
        super().__init__()
        self.environment["PATH"] = f"{self.home / 'prefix/bin'}:{self.environment['PATH']}"
        self.environment["NO_COLOR"] = "1"
        self.folder = self.home / "work"
        self.folder.mkdir()
        self.serving, self.is_developing = None, False
        self.address = ADDRESS
        self.output = ""

    def shown(self, text):
        return text.replace(self.address, ADDRESS)

    def run(self, code):
        command = code.strip()
        if command.startswith(("tenon dev", "tenon serve")):
            self.serving = self.start(command)
            found = self.serving.wait_for(r"(?:^ready |^  )(http://[^/\s]+)", START_SECONDS * 5)
            self.address = found[1]
            self.is_developing = command.startswith("tenon dev")
            if self.is_developing:
                self.serving.wait_for("Keys:")
            self.output = self.shown(self.serving.output)
            return
        self.output = self.shown(self.do(code.replace(ADDRESS, self.address)))

    def write(self, block):
        path = pathlib.Path(self.folder) / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(apply_diff(path.read_text(), block.code) if block.language == "diff" else block.code)
        # `tenon dev` loads each saved file, except tests.
        if self.is_developing and not block.file.startswith(("tests/", "ui/tests/")):
            before = len(self.serving.output)
            self.serving.wait_for(CHANGED)
            self.output = self.shown(self.serving.output[before:])

    def compare(self, block):
        if line := missing_line(block.code, self.output):
            raise AssertionError(f"{PAGE.name}:{block.line} shows the line\n{line}\nwhich the output does not have:\n{self.output}")

    def press(self, key):
        self.serving.press(key)
        if key == "q":
            code = self.serving.stop(None)
            output, self.serving, self.is_developing = self.serving.output, None, False
            assert code == 0 and "failed" not in output and "error TS" not in output, output

    def follow(self, block):
        for key in re.findall(r"[Pp]ress `(\w)`", block.intro):
            self.press(key)
        if block.language == "sh":
            self.run(block.code)
        elif block.file:
            self.write(block)
        else:
            self.compare(block)


@unittest.skipIf(is_sanitized(), "a build for sanitizers has no pages")
class Tutorial(unittest.TestCase):
    def test_every_step_works(self):
        reader = Reader()
        self.addCleanup(reader.close)
        page = PAGE.read_text()
        if not FULL:
            page = page.replace(RESULT_OF_PAGE, "")
        install(reader.home / "prefix", "host", "sdk")
        try:
            for block in filter(is_followed, blocks(page)):
                reader.follow(block)
        finally:
            if reader.serving:
                reader.serving.stop()
        codes = (pathlib.Path(reader.folder) / "codes").read_text().split()
        self.assertEqual({"303"}, set(codes))
        self.assertGreater(len(codes), 1)

    def test_every_block_is_run_or_compared(self):
        self.assertIn(RESULT_OF_PAGE, PAGE.read_text())
        self.assertIn("6. Add a page", [block.section for block in blocks(PAGE.read_text())])
        for block in blocks(PAGE.read_text()):
            if block.language not in ("sh", ""):
                self.assertIsNotNone(block.file, f"{PAGE.name}:{block.line}: no file in the line before")


if __name__ == "__main__":
    unittest.main()
