"""The table of faults in tests/faults/README.md is what the tests say."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/faults"))

import table  # noqa: E402


class FaultsTable(unittest.TestCase):
    def test_matches_the_tests(self):
        self.assertEqual(table.renewed(), (ROOT / table.README).read_text(), "python3 tests/faults/table.py --write")
        self.assertGreater(len(table.rows()), 30)

    def tree(self, **files):
        root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for folder in ("tests/faults", "host"):
            (root / folder).mkdir(parents=True)
        for name, text in files.items():
            (root / name.replace("__", "/").replace("_test_", "_test.")).write_text(text)
        return root

    def test_reads_docstrings_and_comments(self):
        root = self.tree(tests__faults__a_test_py='def test_a():\n    """fault: it breaks\n    | it continues\n    | that it broke"""\n',
                         host__b_test_cpp="// fault: it bends |\n// it continues | nothing\nTEST_F(B, Bends) {}\n\n// It works.\nTEST(B, Works) {}\n")
        self.assertEqual([["it bends", "it continues", "nothing", "host/b_test.cpp"],
                          ["it breaks", "it continues", "that it broke", "tests/faults/a_test.py"]], table.rows(root))
        (root / table.README).write_text(f"Before\n{table.BEGIN}old\n{table.END}after\n")
        self.assertIn("| it breaks | it continues | that it broke | [a_test](a_test.py) |\n", table.renewed(root))
        self.assertIn("| [b_test](../../host/b_test.cpp) |\n", table.renewed(root))

    def test_rejects_incomplete_fault(self):
        root = self.tree(tests__faults__a_test_py='def test_a():\n    """fault: it breaks | it continues"""\n')
        with self.assertRaisesRegex(SystemExit, "a_test.py: test_a"):
            table.rows(root)


if __name__ == "__main__":
    unittest.main()
