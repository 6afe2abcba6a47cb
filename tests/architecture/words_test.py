"""The tree uses no listed word more often than recorded, and the check finds each kind of use in a bad tree."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import contexts
import words

LIST = "\n".join([
    "# a comment",
    "tell failing  code  report_failing",
    "told|tells?  all  report",
    "in order(?! (?:to|of))  prose  cleanly",
    "^most  code  max_…",
    "=Front  code  HTTP server",
    "^(?:what|who) (?![^.]*[?])  comment  a sentence with a subject",
]) + "\n"


class WordCheck(unittest.TestCase):
    def tree(self, files, record=None, allowed=""):
        root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        record = {pattern.key: {} for pattern in words.Words(LIST).patterns} | (record or {})
        own = {words.LIST: LIST, words.ALLOWED: allowed, words.RECORD: self.as_record(record)}
        for path, text in {**own, **files}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return root

    @staticmethod
    def as_record(record):
        return "{\n" + ",\n".join(f"  {json.dumps(key)}: {json.dumps(numbers)}" for key, numbers in record.items()) + "\n}\n"

    def commit(self, root):
        author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
        subprocess.run(["git", "-C", str(root), *author, "commit", "-q", "-m", "A tree"], check=True)

    def found(self, path, text):
        return [(use.line, use.text) for use in words.all_uses(self.tree({path: text}))]

    def test_tree_has_no_new_use(self):
        uses = words.all_uses(words.ROOT)
        complaints = list(words.new_uses(words.ROOT, uses))
        if complaints:
            self.fail("\n".join(complaints[:100]))
        if words.notice(words.ROOT, uses):
            print(words.notice(words.ROOT, uses))

    def test_finds_names_in_each_style(self):
        for name in ("tell_failing", "TellFailing", "tellFailing", "told_", "has_told", "most_bytes", "MOST_BYTES", "mostBytes", "Front"):
            self.assertEqual({(2, name)}, set(self.found("host/a.cpp", f"\nint {name};\n")), name)

    def test_counts_a_name_for_each_of_its_patterns(self):
        for name, number in (("most_told", 2), ("max_told", 1), ("tell_failing", 2)):
            self.assertEqual(number, len(self.found("host/a.cpp", f"int {name};\n")), name)

    def test_leaves_other_names_alone(self):
        for name in ("foretold", "front", "FrontMatter", "pop_front", "almost", "the_most", "toldover"):
            self.assertEqual([], self.found("host/a.cpp", f"int {name};\n"), name)

    def test_finds_prose_in_comments_messages_and_documents(self):
        for path, text in (("host/a.cpp", "// It is told.\n"), ("host/a.cpp", '/* told */ f("a");\n'), ("host/a.cpp", 'f("It is told.");\n'),
                           ("a.md", "It is\ntold.\n"), ("a.py", '"""Is told."""\n'), ("a.py", "# told\n"), ("a.sql", "-- told\n"),
                           ("a.ts", 'const a = "It is told";\n'), ("a.tsx", "<p>It is told.</p>;\n"), ("a.json", '{"a": "told"}\n'),
                           ("a.css", "/* told */\n"), ("dev", "# told\n"), ("CMakeLists.txt", "# told\n"), ("a.hpp", 'R"(told)"\n')):
            self.assertEqual(["told"], [word for _, word in self.found(path, text)], (path, text))

    def test_finds_a_phrase_over_two_lines(self):
        self.assertEqual([(1, "in order")], self.found("host/a.cpp", "/* Ends in\n * order. */\n"))
        self.assertEqual([], self.found("a.md", "It is read in order to\nend.\n"))

    def test_prose_patterns_skip_names(self):
        self.assertEqual([], self.found("host/a.cpp", "int in_order;\n"))
        self.assertEqual([], self.found("a.md", "See `in order`.\n"))

    def test_finds_test_titles(self):
        for path, text in (("a_test.cpp", "TEST(A, IsTold) {}\n"), ("a_test.cpp", "TEST_F(A,\n    EndsInOrder) {}\n"),
                           ("a_test.py", "def test_is_told(self): pass\n"), ("a.test.ts", 'it("tells all", () => {});\n')):
            self.assertEqual(1, len(self.found(path, text)), text)

    def test_finds_names_of_files(self):
        self.assertEqual([(1, "told.cpp")], self.found("host/told.cpp", "\n"))

    def test_finds_sentences_without_a_subject(self):
        self.assertEqual([(1, "What ")], [(line, text + " ") for line, text in self.found("a.hpp", "/// What it says.\n")])
        self.assertEqual([], self.found("a.hpp", "/// Says what it is.\n/// What is it? A name.\n"))

    def test_skips_history_and_generated_files(self):
        for path in ("docs/decisions/0001-a.md", "a/b.gen.ts", "a/package-lock.json", "tests/abi/frozen/a.h", "a/b.so"):
            self.assertEqual([], self.found(path, "// told\n"), path)

    def test_names_the_new_line_and_the_replacement(self):
        root = self.tree({"host/a.cpp": "// told\n"}, {"told|tells?": {"host": 1}})
        self.commit(root)
        self.assertEqual([], list(words.new_uses(root)))
        (root / "host/a.cpp").write_text("// told\n\n// He tells it.\n")
        self.assertEqual(['host/a.cpp:3: "tells": use "report"', f'host: 2 uses of "told|tells?", {words.RECORD} allows 1'],
                         list(words.new_uses(root)))

    def test_accepts_fewer_uses_and_moved_files(self):
        root = self.tree({"host/b/a.cpp": "// told\n"}, {"told|tells?": {"host": 500}})
        self.assertEqual([], list(words.new_uses(root)))
        self.assertIn("499 uses fewer", words.notice(root, words.all_uses(root)))

    def test_write_lowers_and_never_raises(self):
        root = self.tree({"host/a.cpp": "// told\n"}, {"told|tells?": {"host": 3, "docs": 1}})
        self.assertEqual([], words.write(root))
        self.assertEqual({"host": 1}, words.recorded(root)["told|tells?"])
        (root / "docs").mkdir()
        (root / "docs/a.md").write_text("It tells.\n")
        self.assertEqual(['docs: 1 uses of "told|tells?", recorded are 0'], words.write(root))
        self.assertEqual({"host": 1}, words.recorded(root)["told|tells?"])

    def test_write_adds_new_patterns(self):
        root = self.tree({"host/a.cpp": "// told, anew\n"}, {"told|tells?": {"host": 1}})
        (root / words.LIST).write_text(LIST + "anew  all  again\n")
        self.assertEqual(1, sum("anew" in complaint for complaint in list(words.new_uses(root))[-1:]))
        self.assertEqual([], words.write(root))
        self.assertEqual([], list(words.new_uses(root)))

    def test_reads_the_lower_number_of_a_merge_conflict(self):
        root = self.tree({})
        (root / words.RECORD).write_text('{\n<<<<<<< a\n  "told|tells?": {"docs": 2, "host": 5}\n=======\n  "told|tells?": {"host": 7}\n>>>>>>> b\n}\n')
        self.assertEqual({"told|tells?": {"host": 5}}, words.recorded(root))

    def test_allows_listed_exceptions(self):
        line = "host/*.cpp  to?d  a function of a library\n"
        self.assertEqual([], words.all_uses(self.tree({"host/b/a.cpp": "int told;\n"}, allowed=line)))
        self.assertEqual(1, len(words.all_uses(self.tree({"host/a.hpp": "int told;\n"}, allowed=line))))

    def test_refuses_exceptions_without_reason_and_too_many(self):
        self.assertIn("needs three columns", "".join(words.new_uses(self.tree({}, allowed="a  told\n"))))
        lines = "".join(f"a{number}  told  a reason\n" for number in range(words.MAX_ALLOWED + 1))
        self.assertIn("at most 30", "".join(words.new_uses(self.tree({}, allowed=lines))))

    def test_refuses_lines_it_cannot_read(self):
        for line in ("told  all", "told  nowhere  a", "tol(d  all  a", "told  all  a\ntold  all  b"):
            with self.assertRaises(SystemExit, msg=line):
                words.Words(line)


class Contexts(unittest.TestCase):
    def test_cover_the_whole_text(self):
        for path, text in (("a.cpp", 'f("a\\"b"); // c\nchar c = \'"\'; int n = 1\'000;\n'), ("a.md", "A `b` c\n```sh\nd\n```\n"), ("a.txt", "a")):
            cut = list(contexts.spans(path, text))
            self.assertEqual(text, "".join(text[start:end] for start, end, _ in cut))
            self.assertLessEqual({context for _, _, context in cut}, set(contexts.NAMES))

    def test_a_quote_within_a_character_opens_no_string(self):
        self.assertEqual(["name", "comment", "name"], [context for _, _, context in contexts.spans("a.cpp", "char c = '\"'; // it\n")])


if __name__ == "__main__":
    unittest.main()
