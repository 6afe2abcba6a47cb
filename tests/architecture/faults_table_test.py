"""The table of faults in tests/faults/README.md is what the tests say."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/faults"))

import table  # noqa: E402


class FaultsTable(unittest.TestCase):
    def test_it_is_what_the_tests_say(self):
        self.assertEqual(table.renewed(), (ROOT / table.README).read_text(), "python3 tests/faults/table.py --write")
        self.assertGreater(len(table.rows()), 30)

    def tree(self, **files):
        root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for folder in ("tests/faults", "host"):
            (root / folder).mkdir(parents=True)
        for name, text in files.items():
            (root / name.replace("__", "/").replace("_test_", "_test.")).write_text(text)
        return root

    def test_docstrings_and_comments_are_read(self):
        root = self.tree(tests__faults__a_test_py='def test_a():\n    """fault: it breaks\n    | it goes on\n    | that it broke"""\n',
                         host__b_test_cpp="// fault: it bends |\n// it goes on | nothing\nTEST_F(B, Bends) {}\n\n// It works.\nTEST(B, Works) {}\n")
        self.assertEqual([["it bends", "it goes on", "nothing", "host/b_test.cpp"],
                          ["it breaks", "it goes on", "that it broke", "tests/faults/a_test.py"]], table.rows(root))
        (root / table.README).write_text(f"Before\n{table.BEGIN}old\n{table.END}after\n")
        self.assertIn("| it breaks | it goes on | that it broke | [a_test](a_test.py) |\n", table.renewed(root))
        self.assertIn("| [b_test](../../host/b_test.cpp) |\n\n" if False else "| [b_test](../../host/b_test.cpp) |\n", table.renewed(root))

    def test_what_is_not_told_wholly_is_refused(self):
        root = self.tree(tests__faults__a_test_py='def test_a():\n    """fault: it breaks | it goes on"""\n')
        with self.assertRaisesRegex(SystemExit, "a_test.py: test_a"):
            table.rows(root)


if __name__ == "__main__":
    unittest.main()
