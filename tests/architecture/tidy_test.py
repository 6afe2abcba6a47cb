"""clang-tidy finds in our sources and headers what it should, whatever is left out of its walk, and no source that changed is taken for clean."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/lint"))

import tidy  # noqa: E402
from tree import RECORD, run  # noqa: E402

FIXTURES = ROOT / "tests/architecture/fixtures/tidy"
FLAGS = ["-std=c++20"]


class Findings(unittest.TestCase):
    def test_finds_each_seeded_mistake_in_source_and_header(self):
        seeded = {(name, number, check) for name in ("seeded.cpp", "seeded.hpp")
                  for number, line in enumerate((FIXTURES / name).read_text().splitlines(), 1)
                  for check in re.findall(r"\b[a-z]+(?:-[a-z]+)+\b", line.partition("//")[2])}
        code, output = tidy.check(FIXTURES / "seeded.cpp", FLAGS)
        found = {(pathlib.Path(path).name, int(number), check) for path, number, check
                 in re.findall(r"^(.+?):(\d+):\d+: error: .*\[([a-z-]+),-warnings-as-errors\]", output, re.M)}
        self.assertEqual(seeded, found)
        self.assertEqual(1, code)
        self.assertGreaterEqual(len({check for _, _, check in seeded}), 24)

    def test_a_clean_source_has_none(self):
        self.assertEqual((0, ""), tidy.check(FIXTURES / "clean.cpp", FLAGS))

    def test_the_checks_do_not_walk_over_system_headers(self):
        output, _ = run(*tidy.command(FIXTURES / "clean.cpp", FLAGS))
        unscoped, _ = run(*(word for word in tidy.command(FIXTURES / "clean.cpp", FLAGS) if not word.startswith("--load")))
        suppressed = [int(re.search(r"(\d+) warnings? generated", text)[1]) for text in (output, unscoped)]
        self.assertLess(suppressed[0] * 10, suppressed[1])


class Groups(unittest.TestCase):
    def check(self, sources):
        """Findings of the sources as one group, and those that are clean."""
        tidy.WORK.mkdir(parents=True, exist_ok=True)
        root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=tidy.WORK)))
        for name, text in sources.items():
            (root / name).write_text(text)
        clean = []
        return tidy.check_group(sorted(sources), FLAGS, root, clean.append), sorted(clean)

    def test_sources_that_clash_are_checked_apart(self):
        found, clean = self.check({"a.cpp": "int twice() { return 1; }\n", "b.cpp": "int once() { return 1; }\n",
                                   "c.cpp": "char twice() { return 'c'; }\n", "d.cpp": "char twice() { return 'd'; }\n"})
        self.assertEqual(("", ["a.cpp", "b.cpp", "c.cpp", "d.cpp"]), (found, clean))

    def test_reports_findings_next_to_clashes(self):
        found, clean = self.check({"a.cpp": "int twice() { return 1; }\n", "b.cpp": "char* twice() { return 0; }\n", "c.cpp": "int three();\n"})
        self.assertIn("b.cpp:1:24: error: use nullptr [modernize-use-nullptr", found)
        self.assertEqual(["a.cpp", "c.cpp"], clean)

    def test_what_does_not_compile_is_found(self):
        found, clean = self.check({"a.cpp": "int good();\n", "b.cpp": "int bad = missing;\n"})
        self.assertIn("b.cpp:1:11: error: use of undeclared identifier 'missing'", found)
        self.assertEqual(["a.cpp"], clean)

    def test_every_group_is_in_one_shard(self):
        groups = [[f"{number}.cpp"] for number in range(50)]
        weights = {f"{number}.cpp": (number * 37) % 50 + 1 for number in range(50)}
        shares = [tidy.share(groups, lambda group: weights[group[0]], number, 4) for number in (1, 2, 3, 4)]
        self.assertEqual(sorted(groups), sorted(sum(shares, [])))
        sums = [sum(weights[group[0]] for group in share) for share in shares]
        self.assertLess(max(sums) - min(sums), 50)


class Known(unittest.TestCase):
    """A tree with git and a build folder; each test changes one thing after a recorded clean commit."""

    TREE = {
        ".gitignore": "/build/\n", ".clang-tidy": "Checks: '-*'\n", "tools/lint/scope.cpp": "",
        "host/a/a.hpp": "#pragma once\n", "host/a/a.cpp": '#include "a/a.hpp"\n', "host/a/b.cpp": '#include "a/b.hpp"\n#include <string>\n',
        "host/a/b.hpp": '#include "c.hpp"\n', "host/a/c.hpp": "\n", "host/d/d.cpp": '#include "d_tables.hpp"\n', "host/d/tables.json": "{}\n",
    }
    MODES = {"all": False, "changed": False, "record": False}

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        self.write({**self.TREE, "build/x/d.tenon/include/d_tables.hpp": "int one();\n"})
        self.git("init", "-q")
        self.commit()
        self.configure()
        self.write({RECORD: self.sources().record()})

    def write(self, files):
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=self.root, check=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a")

    def configure(self, build="build/x", flags="", unity=False):
        folder = self.root / build
        command = f"/usr/bin/env A=b /usr/bin/ccache /usr/bin/c++ -DX=\\\"y\\\" -I{self.root}/host -I{folder}/d.tenon/include -O1 -g1 -std=c++20 {flags}"
        names = [str(self.root / "host" / name) for name in ("a/a.cpp", "a/b.cpp", "d/d.cpp") if (self.root / "host" / name).exists()]
        if unity:
            unit = folder / "host.unity/a_0.cpp"
            unit.parent.mkdir(parents=True, exist_ok=True)
            unit.write_text("".join(f'#include "{os.path.relpath(name, self.root)}"\n' for name in names))
            names = [str(unit)]
            command += f" -I{self.root} -Wno-subobject-linkage"
        entries = [{"file": name, "command": f"{command} -include {folder}/cmake_pch.hxx -o a.o -c {name}", "directory": str(folder)} for name in names]
        (folder / "compile_commands.json").write_text(json.dumps(entries))

    def sources(self, build="build/x"):
        return tidy.Sources(self.root / build, self.root)

    def checked(self, build="build/x", **modes):
        return sorted(pathlib.Path(name).name for name in self.sources(build).to_check(argparse.Namespace(**{**self.MODES, **modes})))

    def test_nothing_changed_is_nothing_to_check(self):
        self.assertEqual([], self.checked())
        self.assertEqual(["a.cpp", "b.cpp", "d.cpp"], self.checked(all=True))

    def test_checks_a_changed_source(self):
        self.write({"host/a/a.cpp": "int a();\n"})
        self.assertEqual(["a.cpp"], self.checked())
        self.commit()
        self.assertEqual(["a.cpp"], self.checked())

    def test_what_includes_a_changed_header_is_checked(self):
        self.write({"host/a/c.hpp": "int c();\n"})
        self.assertEqual(["b.cpp"], self.checked())

    def test_a_removed_header_is_a_change(self):
        (self.root / "host/a/a.hpp").unlink()
        self.assertEqual(["a.cpp"], self.checked())

    def test_a_new_source_is_checked(self):
        self.write({"host/d/d.cpp": "\n", "host/a/b.cpp": "\n"})
        self.assertEqual(["b.cpp", "d.cpp"], self.checked())

    def test_new_flags_are_checked_with(self):
        self.configure(flags="-Wshadow")
        self.assertEqual(["a.cpp", "b.cpp", "d.cpp"], self.checked())

    def test_other_optimization_and_another_build_folder_change_nothing(self):
        self.write({"build/gate/d.tenon/include/d_tables.hpp": "int one();\n"})
        self.configure("build/gate", "-O0 -g -fno-gnu-unique", unity=True)
        self.assertEqual([], self.checked("build/gate"))
        self.write({"host/a/a.cpp": "int a();\n"})
        self.assertEqual(["a.cpp"], self.checked("build/gate"))

    def test_a_generated_header_is_compared(self):
        self.write({"build/x/d.tenon/include/d_tables.hpp": "int two();\n"})
        self.assertEqual(["d.cpp"], self.checked())

    def test_a_build_without_generated_headers_is_refused(self):
        (self.root / "build/x/d.tenon/include/d_tables.hpp").unlink()
        with self.assertRaisesRegex(tidy.Broken, "generated_headers"):
            self.checked()

    def test_rules_decide_for_all_and_for_a_folder(self):
        self.write({"host/d/.clang-tidy": "Checks: '*'\n"})
        self.assertEqual(["d.cpp"], self.checked())
        for rule in tidy.RULES:
            with self.subTest(rule):
                self.git("checkout", "-q", ".")
                self.write({rule: "# changed\n"})
                self.assertEqual(["a.cpp", "b.cpp", "d.cpp"], self.checked())

    def test_without_the_recorded_commit_all_are_checked(self):
        for text in (None, "0" * 40 + "\n", ""):
            with self.subTest(text):
                (self.root / RECORD).unlink(missing_ok=True)
                if text is not None:
                    self.write({RECORD: text})
                self.assertEqual(["a.cpp", "b.cpp", "d.cpp"], self.checked())

    def test_a_stamp_follows_all_that_is_read(self):
        def stamps():
            sources = self.sources()
            return {name: sources.stamp(name, sources.read_by(name)) for name in sources.flags}
        before = stamps()
        self.assertEqual(before, stamps())
        for name in ("host/a/c.hpp", ".clang-tidy", "host/a/.clang-tidy"):
            self.write({name: f"# {name}\n"})
            self.assertNotEqual(before["host/a/b.cpp"], stamps()["host/a/b.cpp"], name)
            before = stamps()


if __name__ == "__main__":
    unittest.main()
