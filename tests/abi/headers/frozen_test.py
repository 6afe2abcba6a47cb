"""Today's headers only add to the frozen ones, old sources compile once their names are replaced, and the golden files are unchanged."""

import hashlib
import pathlib
import subprocess
import tempfile
import unittest

import abi_headers
import renamed

ROOT = pathlib.Path(__file__).resolve().parents[3]
TESTS = ROOT / "tests/abi"
TODAY = ROOT / "sdk/abi"
# Constants that a new minor version changes.
VERSION = {"TENON_ABI_MINOR"}


def breaches(old_folder, new_folder):
    """Yields changes that break plugins built against the old headers."""
    old, new = abi_headers.structs(old_folder), abi_headers.structs(new_folder)
    for name, struct in old.items():
        if name not in new:
            yield f"{name} is gone"
            continue
        before = [member.declaration for member in struct.members]
        after = [member.declaration for member in new[name].members]
        if struct.may_grow and after[:len(before)] != before:
            yield f"{name} may only grow at its end"
        elif not struct.may_grow and after != before:
            yield f"{name} is frozen and was changed"
    constants = abi_headers.constants(new_folder)
    for name, value in abi_headers.constants(old_folder).items():
        if name not in VERSION and constants.get(name) != value:
            yield f"{name} was {value} and is {constants.get(name, 'gone')}"


class Frozen(unittest.TestCase):
    def sets(self):
        found = sorted(folder for folder in (TESTS / "frozen").iterdir() if folder.is_dir())
        self.assertTrue(found)
        return found

    def with_todays_names(self, folder, target):
        """A copy of a frozen set in the names of today."""
        for path in folder.rglob("*.[ch]"):
            copy = target / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(renamed.apply(path.read_text()))

    def test_todays_headers_only_add_to_every_frozen_set(self):
        for folder in self.sets():
            with tempfile.TemporaryDirectory() as copy:
                self.with_todays_names(folder, pathlib.Path(copy))
                self.assertEqual(list(breaches(copy, TODAY)), [], folder.name)

    def test_old_sources_compile_against_todays_headers(self):
        for folder in self.sets():
            with tempfile.TemporaryDirectory() as copy:
                self.with_todays_names(folder, pathlib.Path(copy))
                for source in sorted(pathlib.Path(copy).glob("sources/*.c")):
                    for compiler in ("gcc", "clang"):
                        with self.subTest(source=f"{folder.name}/{source.name}", compiler=compiler):
                            done = subprocess.run(
                                [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{TODAY}", source,
                                 '-DTENON_PLUGIN_ID="old"', '-DTENON_PLUGIN_VERSION="1"', "-DTENON_PLUGIN_NEEDS_HOST_MINOR=9"],
                                text=True, capture_output=True)
                            self.assertEqual(done.returncode, 0, done.stderr)

    def test_frozen_and_golden_files_are_unchanged(self):
        listed = {}
        for line in (TESTS / "golden/SHA256SUMS").read_text().splitlines():
            digest, path = line.split("  ")
            listed[path] = digest
        there = {str(path.relative_to(TESTS)): hashlib.sha256(path.read_bytes()).hexdigest()
                 for folder in ("golden", "frozen") for path in (TESTS / folder).glob("*/**/*") if path.is_file()}
        self.assertEqual(listed, there)


class Breaches(unittest.TestCase):
    """The comparison notices what it must."""

    HEADER = """#ifndef TENON_A_H
#define TENON_A_H
#define TENON_ONE 1u /* one */
/** Frozen. */
typedef struct tenon_pair {
  uint32_t a;
  uint32_t b;
} tenon_pair;
typedef struct tenon_table {
  uint32_t size;
  uint32_t reserved;
  /** Runs. */
  tenon_code (*run)(uint32_t mode) TENON_NOEXCEPT;
} tenon_table;
#endif
"""

    def breaches(self, old, new):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("old", self.HEADER), ("new", self.HEADER.replace(old, new))):
                header = pathlib.Path(folder, name, "tenon/a.h")
                header.parent.mkdir(parents=True)
                header.write_text(text)
            return list(breaches(f"{folder}/old", f"{folder}/new"))

    def test_the_same_headers_pass(self):
        self.assertEqual(self.breaches("x", "x"), [])

    def test_a_new_slot_at_the_end_passes(self):
        self.assertEqual(self.breaches("} tenon_table;", "  tenon_code (*more)(void) TENON_NOEXCEPT;\n} tenon_table;"), [])

    def test_new_words_in_a_comment_pass(self):
        self.assertEqual(self.breaches("/** Runs. */", "/** Runs it. */"), [])

    def test_a_slot_in_the_middle_is_noticed(self):
        self.assertTrue(self.breaches("  /** Runs. */", "  tenon_code (*more)(void) TENON_NOEXCEPT;\n  /** Runs. */"))

    def test_a_changed_parameter_is_noticed(self):
        self.assertTrue(self.breaches("uint32_t mode", "uint64_t mode"))

    def test_a_grown_frozen_struct_is_noticed(self):
        self.assertTrue(self.breaches("} tenon_pair;", "  uint64_t c;\n} tenon_pair;"))

    def test_a_changed_and_a_removed_constant_are_noticed(self):
        self.assertTrue(self.breaches("TENON_ONE 1u", "TENON_ONE 2u"))
        self.assertTrue(self.breaches("#define TENON_ONE 1u /* one */\n", ""))

    def test_a_removed_struct_is_noticed(self):
        self.assertTrue(self.breaches("tenon_pair", "tenon_couple"))


if __name__ == "__main__":
    unittest.main()
