"""The tree obeys each rule, and each rule notices a tree that does not."""

import os
import pathlib
import sys
import tempfile
import unittest

import rules

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/dev"))

import rooms  # noqa: E402

ROOT = str(pathlib.Path(__file__).resolve().parents[2])


class TheTree(unittest.TestCase):
    """One test a rule, on the repository itself."""


def obeys(rule):
    def test(self):
        complaints = list(rule(ROOT))
        self.assertFalse(complaints, "\n" + "\n".join(complaints))
    test.__doc__ = rule.__doc__
    return test


for _rule in rules.ALL:
    setattr(TheTree, f"test_{_rule.__name__}", obeys(_rule))


class TheRules(unittest.TestCase):
    """Each rule on a small good tree, and on the same tree with one thing wrong."""

    GOOD = {
        "host/CMakeLists.txt": "set(TENON_ROOMS\n  base http loader app)\n",
        "host/base/README.md": "Ids.\n",
        "host/base/CMakeLists.txt": "tenon_room(base SOURCES ids.cpp)\n",
        "host/base/ids.hpp": "#pragma once\n#include <string>\n",
        "host/base/ids.cpp": '#include "base/ids.hpp"\n',
        "host/http/README.md": "The HTTP server.\n",
        "host/http/CMakeLists.txt": "tenon_room(http SOURCES server.cpp DEPENDS base)\n",
        "host/http/server.cpp": '#include "base/ids.hpp"\n#include <Poco/Net/ServerSocket.h>\n',
        "host/loader/README.md": "The loader.\n",
        "host/loader/CMakeLists.txt": "tenon_room(loader SOURCES loader.cpp DEPENDS http)\n",
        "host/loader/loader.cpp": '#include <tenon/abi.h>\n#include "base/ids.hpp"\n',
        "sdk/abi/tenon/abi.h": "#ifndef TENON_ABI_H\n#define TENON_ABI_H\n#include <stdint.h>\n#endif\n",
        "sdk/cpp/tenon/plugin.hpp": "#pragma once\n#include <tenon/abi.h>\n#include <vector>\n",
        "plugins/notes/src/note.hpp": "#pragma once\n#include <string>\n",
        "plugins/notes/src/note.cpp": '#include "note.hpp"\n#include <tenon/plugin.hpp>\n#include <zlib.h>\n',
        "plugins/notes/tests/note_test.cpp": '#include "src/note.hpp"\n#include <gtest/gtest.h>\n',
        "plugins/notes/third-party.txt": "# header  what for\nzlib.h  archives\n",
        "shell-ui/shell/src/sign-in.tsx": "export {}\n",
    }

    def complaints(self, rule, changes):
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**self.GOOD, **changes}.items():
                if text is None:
                    continue
                os.makedirs(os.path.dirname(f"{root}/{path}"), exist_ok=True)
                pathlib.Path(root, path).write_text(text)
            return list(rule(root))

    def assert_noticed(self, rule, path, text, word):
        complaints = self.complaints(rule, {path: text})
        self.assertTrue(complaints, f"{rule.__name__} did not notice {path}")
        self.assertIn(word, "\n".join(complaints))

    def test_a_good_tree_passes_every_rule(self):
        for rule in rules.ALL:
            self.assertEqual([], self.complaints(rule, {}), rule.__name__)

    def test_finds_typed_tables_of_another_plugin(self):
        include = {"plugins/notes/src/note.cpp": '#include "notes_tables.hpp"\n'}
        self.assertEqual([], self.complaints(rules.plugin_includes, {**include, "plugins/notes/tables.json": "{}"}))
        self.assertTrue(self.complaints(rules.plugin_includes, include))

    def test_finds_a_lower_room_including_a_higher(self):
        self.assert_noticed(rules.room_order, "host/base/ids.cpp", '#include "http/server.hpp"\n', "http comes after it")

    def test_a_higher_room_in_angle_brackets_is_noticed(self):
        self.assert_noticed(rules.room_order, "host/base/ids.cpp", "#  include <app/main.hpp>\n", "app comes after it")

    def test_finds_a_room_test_including_a_higher(self):
        self.assert_noticed(rules.room_order, "host/base/tests/ids_test.cpp", '#include "http/server.hpp"\n', "http")

    def test_an_include_relative_to_a_folder_is_noticed(self):
        self.assert_noticed(rules.room_order, "host/http/server.cpp", '#include "parser.hpp"\n', "is outside any room")

    def test_an_include_without_a_link_is_noticed(self):
        self.assert_noticed(rules.room_links, "host/loader/CMakeLists.txt", "tenon_room(loader SOURCES loader.cpp)\n",
                            "does not reach base")

    def test_finds_the_abi_in_a_room(self):
        self.assert_noticed(rules.abi_only_for_plugins, "host/http/server.cpp", "#include <tenon/abi.h>\n", "only the rooms")

    def test_a_package_that_knows_the_server_is_noticed(self):
        for path in ("host/packages/archive/pack.cpp", "host/registry/compatibility.cpp"):
            self.assert_noticed(rules.packages_know_no_server, path, '#include "lifecycle/plugin_states.hpp"\n', "knows no server")

    def test_an_undocumented_error_is_noticed(self):
        page = "# Error codes\n\n### base.bad\n\n`409`, `422` Why. What to do.\n"
        changes = {"docs/errors.md": page, "host/base/ids.cpp": 'throw Error(422, "base.bad", "");\n'}
        self.assertEqual([], self.complaints(rules.errors_documented, changes))
        for text, complaint in (('throw Error(404, "base.bad", "");', "has the status 409, 422, not 404"),
                                ('throw Error(409, "base.new", "");', "base.new is not in docs/errors.md"),
                                ('throw Refusal({"base.new", "", {}, {}});', "base.new is not in docs/errors.md"),
                                ("", "no source has the error base.bad")):
            self.assertIn(complaint, "\n".join(self.complaints(rules.errors_documented, {**changes, "host/base/ids.cpp": text})))

    def test_a_full_folder_is_noticed(self):
        changes = {f"host/base/a{number}.hpp": "#pragma once\n" for number in range(39)}
        self.assertEqual(["host/base: 41 source files, more than 40"], self.complaints(rules.small_folders, changes))

    def test_a_large_room_is_noticed(self):
        names = [f"room{chr(97 + number)}" for number in range(10)]
        changes = {f"host/{name}/a.cpp": "\n" * 10 for name in names}
        changes["host/CMakeLists.txt"] = f"set(TENON_ROOMS {' '.join(names)})\n"
        self.assertEqual([], self.complaints(rules.small_rooms, changes))
        changes["host/rooma/a.cpp"] = "\n" * 12
        self.assertEqual(["host/rooma: 12 of 102 lines, more than 10%"], self.complaints(rules.small_rooms, changes))

    def test_a_long_readme_is_noticed(self):
        self.assert_noticed(rules.short_readmes, "host/base/README.md", "a\n" * 61, "61 lines")

    def test_a_long_title_is_noticed(self):
        for path, text in (("host/base/tests/ids_test.cpp", "TEST(Ids, AreLongAndHaveMoreThanEightWordsInAll) {}\n"),
                           ("tests/gate/a_test.py", "def test" + "_is_long" * 5 + "(self):\n"),
                           ("shell-ui/shell/tests/a.test.ts", 'it("is long and has more than eight words here")\n')):
            self.assert_noticed(rules.short_titles, path, text, "more than 8")
        self.assertEqual([], self.complaints(rules.short_titles, {"host/base/tests/ids_test.cpp": "TEST(Ids, AreSorted) {}\n"}))

    def test_an_unlisted_decision_is_noticed(self):
        changes = {"docs/decisions/README.md": "- [0001](0001-a.md)\n", "docs/decisions/0001-a.md": "", "docs/decisions/0002-b.md": ""}
        self.assertEqual(["docs/decisions/0002-b.md: not in docs/decisions/README.md"], self.complaints(rules.decisions_listed, changes))

    def test_a_plugin_including_the_host_is_noticed(self):
        self.assert_noticed(rules.plugin_includes, "plugins/notes/src/note.cpp", '#include "base/ids.hpp"\n', "no file of plugin")

    def test_finds_an_include_out_of_a_plugin(self):
        self.assert_noticed(rules.plugin_includes, "plugins/notes/src/note.cpp", '#include "../../../host/base/ids.hpp"\n',
                            "no file of plugin")

    def test_a_plugin_including_an_undeclared_library_is_noticed(self):
        self.assert_noticed(rules.plugin_includes, "plugins/notes/src/note.cpp", "#include <Poco/Path.h>\n", "third-party.txt")

    def test_finds_a_test_framework_in_a_plugin(self):
        self.assert_noticed(rules.plugin_includes, "plugins/notes/src/note.cpp", "#include <gtest/gtest.h>\n", "gtest")

    def test_the_sdk_including_the_host_is_noticed(self):
        self.assert_noticed(rules.sdk_includes, "sdk/cpp/tenon/plugin.hpp", '#include "base/ids.hpp"\n', "may not include")

    def test_the_abi_including_cpp_is_noticed(self):
        self.assert_noticed(rules.sdk_includes, "sdk/abi/tenon/abi.h", "#include <vector>\n", "may not include")

    def test_an_unlisted_room_is_noticed(self):
        self.assert_noticed(rules.rooms_known, "host/extras/extra.cpp", "\n", "not a room")

    def test_a_room_without_readme_is_noticed(self):
        self.assert_noticed(rules.rooms_known, "host/base/README.md", None, "README.md is missing")

    def test_reports_source_outside_rooms(self):
        self.assert_noticed(rules.rooms_known, "host/main.cpp", "\n", "outside any room")

    def test_catch_all_names_are_noticed(self):
        for path in ("host/base/utils/ids.cpp", "sdk/cpp/tenon/common.hpp", "shell-ui/shell/src/helpers.ts", "plugins/core/src/a.cpp"):
            self.assert_noticed(rules.no_catch_all, path, "\n", path)

    def test_a_giant_file_is_noticed(self):
        self.assert_noticed(rules.no_giant_files, "host/base/ids.cpp", "\n" * 601, "601 lines")

    def test_odd_file_names_are_noticed(self):
        for path in ("host/base/Ids.cpp", "host/base/ids_v2.cpp", "shell-ui/shell/src/SignIn.tsx"):
            self.assert_noticed(rules.file_names, path, "\n", path)

    def test_missing_header_guards_are_noticed(self):
        for path in ("host/base/ids.hpp", "sdk/abi/tenon/abi.h"):
            self.assert_noticed(rules.header_guards, path, "struct A;\n", path)

    def test_an_unguarded_checkpoint_is_noticed(self):
        for text in ('run("PRAGMA wal_checkpoint(TRUNCATE)");\n', "sqlite3_wal_checkpoint_v2(db, 0, 0, 0, 0);\n"):
            self.assert_noticed(rules.checkpoints_are_guarded, "host/base/ids.cpp", text, "host/base/ids.cpp:1")


class ThePicture(unittest.TestCase):
    """The picture of the rooms in docs/architecture.md."""

    def test_is_what_the_script_draws(self):
        self.assertTrue(rooms.is_current(pathlib.Path(ROOT)), "run: python3 tools/dev/rooms.py --write")

    def test_leaves_out_arrows_that_follow_from_others(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {"host/CMakeLists.txt": "set(TENON_ROOMS a b c)\n", "host/a/CMakeLists.txt": "tenon_room(a SOURCES a.cpp)\n",
                               "host/b/CMakeLists.txt": "tenon_room(b SOURCES b.cpp DEPENDS a)\n",
                               "host/c/CMakeLists.txt": "tenon_room(c SOURCES c.cpp\n  DEPENDS a b)\n"}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            self.assertEqual("```mermaid\nflowchart LR\n  a --> b\n  b --> c\n```\n", rooms.picture(root))
            (root / "host/a/README.md").write_text("# a\n\nStores.\n\nUsed by `x`.\n\n## Limits\n")
            self.assertEqual({root / "host/a/README.md": "# a\n\nStores.\n\nUsed by `b`, `c`.\n\n## Limits\n"}, rooms.readmes(root))


if __name__ == "__main__":
    unittest.main()
