"""The figure of native code in a plugin's README is counted, so that it cannot go stale."""

import pathlib
import re
import unittest

PLUGIN = pathlib.Path(__file__).resolve().parents[2] / "plugins/tasks"


def native_lines(folder):
    """Lines of C++ below the folder's src that are neither empty nor a comment."""
    lines = (line.strip() for path in (folder / "src").rglob("*.[ch]pp") for line in path.read_text().splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


class NativeLines(unittest.TestCase):
    def test_the_readme_of_tasks_has_the_count(self):
        said = re.search(r"\*\*([\d,]+) lines of native code\*\*", (PLUGIN / "README.md").read_text())
        self.assertIsNotNone(said, "plugins/tasks/README.md names no **N lines of native code**")
        counted = native_lines(PLUGIN)
        self.assertEqual(counted, int(said[1].replace(",", "")),
                         f"plugins/tasks has {counted} lines of native code: say so in its README.md")


if __name__ == "__main__":
    unittest.main()
