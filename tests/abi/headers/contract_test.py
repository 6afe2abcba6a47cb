"""The comments of the ABI headers state every contract, and tests/abi/layout names every struct, member and constant."""

import pathlib
import re
import unittest

import abi_headers

ROOT = pathlib.Path(__file__).resolve().parents[3]
ABI = ROOT / "sdk/abi"
CONTRACT = re.compile(r"\n\s*\* \[thread\] \S.* \[state\] (?P<states>\S.*) \[memory\] \S[^\n]*\n\s*\*/$")
STATES = {"created", "starting", "active", "quiescing", "stopping", "all", "or after a failed create or start"}
# Nothing whose size or meaning a compiler chooses.
BANNED = re.compile(r"\b(bool|_Bool|size_t|long|short|enum|wchar_t|time_t|va_list|unsigned|float)\b|\.\.\.|\w\s*:\s*\d+\s*;")


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


class Contract(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.structs = abi_headers.structs(ABI)
        cls.constants = abi_headers.constants(ABI)
        cls.layout = "".join((ROOT / "tests/abi/layout" / name).read_text() for name in ("layout.c", "constants.c"))

    def functions(self):
        for struct in self.structs.values():
            for member in struct.members:
                if member.is_function:
                    yield struct, member

    def test_the_headers_are_read_whole(self):
        names = set()
        for path in ABI.glob("tenon/*.h"):
            names |= set(re.findall(r"^(?:typedef )?struct (tenon_\w+) \{", path.read_text(), re.M))
        self.assertEqual(names, set(self.structs))
        self.assertGreater(len(list(self.functions())), 35)

    def test_every_function_ends_with_the_contract_line(self):
        for struct, member in self.functions():
            if struct.is_callback:
                continue
            with self.subTest(function=f"{struct.name}.{member.name}"):
                match = CONTRACT.search(member.comment)
                self.assertTrue(match, member.comment)
                for state in match["states"].split(", "):
                    self.assertIn(state, STATES)

    def test_the_exercise_uses_every_function(self):
        code = "".join(path.read_text() for path in sorted((ROOT / "tests/abi/exercise").glob("*.c")))
        for struct, member in self.functions():
            # Functions that the host calls are passed to it, not called.
            if "(const tenon_host* host" in member.declaration and struct.name != "tenon_plugin_entry":
                with self.subTest(function=f"{struct.name}.{member.name}"):
                    self.assertRegex(code, rf"\b{struct.name.removeprefix('tenon_')}->{member.name}\(")

    def test_every_callback_type_documents_its_call(self):
        for struct in self.structs.values():
            if struct.is_callback:
                self.assertTrue(struct.comment, struct.name)

    def test_every_function_is_noexcept(self):
        for struct, member in self.functions():
            self.assertTrue(member.declaration.endswith("TENON_NOEXCEPT"), f"{struct.name}.{member.name}")

    def test_requires_size_or_frozen_note_for_each_struct(self):
        basic = {"tenon_span", "tenon_cell", "tenon_callback"}
        for name, struct in self.structs.items():
            if not struct.may_grow and name not in basic:
                self.assertIn("Frozen.", struct.comment, name)

    def test_nothing_has_a_size_that_a_compiler_chooses(self):
        for path in ABI.glob("tenon/*.h"):
            found = BANNED.search(without_comments(path.read_text()))
            self.assertIsNone(found, f"{path.name}: {found and found[0]}")

    def test_the_facts_match_the_version_constants(self):
        facts = re.search(r'abi\\":\{\\"major\\":(\d+),\\"minor\\":(\d+)\}', (ABI / "tenon/entry.h").read_text())
        self.assertEqual((f"{facts[1]}u", f"{facts[2]}u"), (self.constants["TENON_ABI_MAJOR"], self.constants["TENON_ABI_MINOR"]))

    def test_the_layout_names_every_member(self):
        for name, struct in self.structs.items():
            self.assertIn(f"SIZE({name}, ", self.layout)
            self.assertEqual(re.findall(rf"^AT\({name}, (\w+),", self.layout, re.M), [member.name for member in struct.members])

    def test_the_layout_names_every_constant(self):
        for name, value in self.constants.items():
            kind = "IS_TEXT" if value.startswith('"') else "IS"
            self.assertIn(f"{kind}({name}, {value});", self.layout)


class Reader(unittest.TestCase):
    """The tests above are only as good as what reads the headers."""

    def test_members_of_every_form_are_found(self):
        members = abi_headers.members_of("""
          uint32_t size;
          char name[64]; /* a name */
          union { int64_t integer; const char* bytes; } as;
          /** Runs.
           * [thread] any [state] all [memory] none
           */
          tenon_code (*run)(const tenon_host* host,
                            uint32_t mode) TENON_NOEXCEPT;
        """)
        self.assertEqual([member.name for member in members], ["size", "name", "as", "run"])
        self.assertIn("[thread]", members[3].comment)
        self.assertTrue(members[3].is_function)
        self.assertEqual(members[3].declaration, "tenon_code (*run)(const tenon_host* host, uint32_t mode) TENON_NOEXCEPT")

    def test_a_comment_without_contract_line_is_noticed(self):
        self.assertIsNone(CONTRACT.search("/** Runs. [thread] any [state] all [memory] none */"))
        self.assertIsNone(CONTRACT.search("/**\n * [thread] any [memory] none\n */"))
        self.assertTrue(CONTRACT.search("/**\n * Runs.\n * [thread] any [state] all [memory] none\n */"))

    def test_types_of_a_compilers_choice_are_noticed(self):
        for text in ("bool x;", "size_t n;", "int x : 3;", "void f(int, ...);", "unsigned x;", "enum color c;"):
            self.assertTrue(BANNED.search(text), text)
        self.assertIsNone(BANNED.search("uint32_t size; tenon_span a; void (*fn)(void* ctx);"))


if __name__ == "__main__":
    unittest.main()
