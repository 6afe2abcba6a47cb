"""Words that the project does not use: tools/dev/words.txt lists each with its replacement and where it applies.

    python3 tests/architecture/words.py                  check the tree
    python3 tests/architecture/words.py --list [PATTERN]  print every use, or those of the patterns that contain PATTERN
    python3 tests/architecture/words.py --list --in host/data
    python3 tests/architecture/words.py --top             print the number of uses of each pattern
    python3 tests/architecture/words.py --write           lower the record; refuses to raise a number

The record, tools/dev/words-known.json, counts the uses that are left, by pattern and top-level folder. A count above the record fails; a
count below it does not. Exceptions are in tools/dev/words-allowed.txt.
"""

import argparse
import bisect
import collections
import fnmatch
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/lint"))

import contexts  # noqa: E402
from tree import ROOT, files, git, run  # noqa: E402

LIST, RECORD, ALLOWED = "tools/dev/words.txt", "tools/dev/words-known.json", "tools/dev/words-allowed.txt"
MAX_ALLOWED = 30
MAX_SHOWN = 20  # uses in one complaint
# History, generated files, data of others, samples of prose, and the check itself.
SKIPPED = re.compile(
    r"docs/decisions/\d|tests/abi/(frozen|golden)/|tests/fuzz/(seeds|dictionaries)/|bench/(profiles|results)/|tools/demo/(content/|tasks\.json)"
    r"|host/identity/common_passwords|tools/dev/words|tests/architecture/words_test\.py|tests/full-run\.txt|tests/durations\.json"
    r"|.*(package-lock\.json|\.gen\.ts|third-party\.txt|\.dict)$|(.*/)?node_modules(/|$)")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
KEBAB = re.compile(r"[A-Za-z_]\w*(?:-[A-Za-z]\w*)*")
# A word in prose that is a name: it contains an underscore or a capital letter; in a string also a hyphen.
NAME_IN_PROSE = re.compile(r"\b[A-Za-z]\w*(?:_\w|[a-z][A-Z])\w*")
NAME_IN_STRING = re.compile(r"\b[A-Za-z](?:\w*(?:_\w|[a-z][A-Z])\w*|[a-z0-9]*(?:-[a-z0-9]+)+)")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
WORD = re.compile(r"(?<![a-z0-9_])[a-z]+")
# Between two words of a pattern: blanks, in a comment also over the end of a line.
GAP = r"[\s/*#_-]+"
SHORT = {"all": contexts.NAMES, "prose": contexts.NAMES[1:], "code": ("name", "title")}

Pattern = collections.namedtuple("Pattern", "key contexts replacement")
Use = collections.namedtuple("Use", "path line text pattern")


def beginnings(key):
    """The part of each alternative of a pattern that its first word has to match."""
    depth, part, is_open, parts = 0, "", True, []
    for character in key.lstrip("^") + "|":
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and character == "|":
            parts.append(part)
            part, is_open = "", True
        elif depth == 0 and character in " \\":
            is_open = False
        elif is_open:
            part += character
    return parts


class Words:
    """The list, compiled. Only the patterns that may begin with a word are tried at that word."""

    def __init__(self, text):
        self.patterns, self.exact, self.compiled = [], {}, []
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                self.add(self.parse(line, f"{LIST}:{number}"))
        if len({pattern.key for pattern in self.patterns}) < len(self.patterns):
            raise SystemExit(f"{LIST}: a pattern is there twice")
        self.candidates, self.memory = {}, {}

    def add(self, pattern):
        self.patterns.append(pattern)
        if pattern.key.startswith("="):
            self.exact.update(dict.fromkeys(pattern.key[1:].split("|"), pattern))
            return
        is_first = pattern.key.startswith("^")
        source = f"(?:{pattern.key.lstrip('^')})" + ("" if is_first else r"(?![a-z0-9_])")
        first = re.compile("|".join(f"(?:{part})" for part in beginnings(pattern.key)))
        self.compiled.append((first, re.compile(source.replace(" ", GAP)), re.compile(source), is_first, pattern))

    @staticmethod
    def parse(line, where):
        columns = [column.strip() for column in re.split(r"\s{2,}", line.strip())]
        if len(columns) != 3:
            raise SystemExit(f"{where}: needs three columns, two blanks between them: pattern, contexts, replacement")
        key, names, replacement = columns
        chosen = SHORT.get(names) or tuple(names.split(","))
        if not set(chosen) <= set(contexts.NAMES):
            raise SystemExit(f'{where}: "{names}" is no context; use all, prose, code or some of {", ".join(contexts.NAMES)}')
        try:
            re.compile(key)
        except re.error as error:
            raise SystemExit(f"{where}: {error}")
        return Pattern(key, frozenset(chosen), replacement)

    def starting_with(self, word, context):
        found = self.candidates.get((word, context))
        if found is None:
            found = [entry[1:] for entry in self.compiled if context in entry[-1].contexts and entry[0].fullmatch(word)]
            self.candidates[word, context] = found
        return found

    def of_name(self, name, context):
        """All patterns of a name: a name that loses one listed word must not count for a pattern that it did not count for before."""
        found = self.memory.get((name, context))
        if found is None:
            exact = self.exact.get(name)
            found = {exact: None} if exact and context in exact.contexts else {}
            words = re.sub(r"[_-]+", " ", CAMEL.sub(" ", name)).strip().lower()
            for word in WORD.finditer(words):
                for _, regex, is_first, pattern in self.starting_with(word[0], context):
                    if (not is_first or word.start() == 0) and regex.match(words, word.start()):
                        found[pattern] = None
            self.memory[name, context] = found = tuple(found)
        return found

    def in_prose(self, text, lower, start, end, context):
        """(start, end, pattern) of each use in a span."""
        for word in WORD.finditer(lower, start, end):
            for regex, _, is_first, pattern in self.starting_with(word[0], context):
                match = None if is_first and not text[word.start()].isupper() else regex.match(lower, word.start(), end)
                if match:
                    yield *match.span(), pattern

    def uses(self, path, text):
        """Every use in a file, in order."""
        lower = text.lower()
        if len(lower) != len(text):
            lower = "".join(c.lower() if c.isascii() else c for c in text)
        lines = [match.start() for match in re.finditer("\n", text)]

        def use(start, name, pattern):
            return Use(path, bisect.bisect_left(lines, start) + 1, " ".join(re.sub(r"[\s/*#]+", " ", name).split()), pattern)

        code = KEBAB if path.endswith((".css", ".md")) else IDENTIFIER
        stem = pathlib.PurePosixPath(path).name
        for match in KEBAB.finditer(stem):
            for pattern in self.of_name(match[0], "name"):
                yield Use(path, 1, stem, pattern)
        for start, end, context in contexts.spans(path, text):
            names = {"comment": NAME_IN_PROSE, "docs": NAME_IN_PROSE, "message": NAME_IN_STRING}.get(context) or code
            if context == "title" and not IDENTIFIER.fullmatch(text, start, end) and not path.endswith((".cpp", ".c")):
                names = NAME_IN_STRING
            for match in names.finditer(text, start, end):
                for pattern in self.of_name(match[0], "title" if context == "title" else "name"):
                    yield use(match.start(), match[0], pattern)
            if context != "name" and names is not code:
                for first, last, pattern in self.in_prose(text, lower, start, end, context):
                    yield use(first, text[first:last], pattern)


def read_words(root):
    return Words((root / LIST).read_text())


def allowed(root):
    """(glob of paths, word) of each exception, and complaints about the list."""
    entries, complaints = [], []
    lines = (root / ALLOWED).read_text().splitlines() if (root / ALLOWED).exists() else []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            columns = re.split(r"\s{2,}", line.strip())
            if len(columns) == 3:
                entries.append(tuple(columns[:2]))
            else:
                complaints.append(f"{ALLOWED}:{number}: needs three columns, two blanks between them: path, word, reason")
    if len(entries) > MAX_ALLOWED:
        complaints.append(f"{ALLOWED}: {len(entries)} entries, at most {MAX_ALLOWED}: rename something instead")
    return entries, complaints


def is_allowed(use, entries):
    return any(fnmatch.fnmatchcase(use.path, path) and fnmatch.fnmatchcase(use.text, word) for path, word in entries)


def all_uses(root):
    """Every use in the tree but the allowed ones."""
    words, (entries, _) = read_words(root), allowed(root)
    found = []
    for path in files("", root=root):
        if not SKIPPED.match(path) and contexts.lexer(path):
            text = (root / path).read_text(encoding="utf-8", errors="replace")
            found += [use for use in words.uses(path, text) if not is_allowed(use, entries)]
    return found


def area(path):
    return path.split("/")[0] if "/" in path else "."


def counted(uses):
    """Pattern → top-level folder → how many."""
    counts = collections.defaultdict(collections.Counter)
    for use in uses:
        counts[use.pattern.key][area(use.path)] += 1
    return counts


def recorded(root):
    """The record. Lines of both sides of a merge conflict are read, and the lower number counts."""
    record = {}
    for key, numbers in re.findall(r'^ *("(?:[^"\\]|\\.)*"): (\{.*?\})', (root / RECORD).read_text() if (root / RECORD).exists() else "", re.M):
        key, numbers = json.loads(key), json.loads(numbers)
        if key in record:
            numbers = {folder: min(record[key][folder], numbers[folder]) for folder in {*numbers} & {*record[key]}}
        record[key] = numbers
    return record


def write(root):
    """Lowers the record and adds new patterns to it; returns complaints, and then changes nothing, where a number would rise."""
    counts, record = counted(all_uses(root)), recorded(root)
    risen = [f'{folder}: {number} uses of "{key}", recorded are {record[key].get(folder, 0)}'
             for key, numbers in sorted(counts.items()) if key in record
             for folder, number in sorted(numbers.items()) if number > record[key].get(folder, 0)]
    if not risen:
        keys = sorted({pattern.key for pattern in read_words(root).patterns})
        rows = [f"  {json.dumps(key, ensure_ascii=False)}: {json.dumps(dict(sorted(counts[key].items())))}" for key in keys]
        (root / RECORD).write_text("{\n" + ",\n".join(rows) + "\n}\n")
    return risen


def added_lines(root):
    """Path → numbers of the lines that were added since the record was last committed; empty if git does not know."""
    commit, code = run("git", "log", "-1", "--format=%H", "--", RECORD, root=root)
    if code != 0 or not commit.strip():
        return {}
    lines, path = collections.defaultdict(set), None
    for line in run("git", "diff", "--unified=0", "--find-renames", "--no-color", commit.strip(), root=root)[0].splitlines():
        if line.startswith("+++ "):
            path = line[6:]
        elif line.startswith("@@ "):
            first, count = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))?", line).groups()
            lines[path].update(range(int(first), int(first) + int(count or 1)))
    for path in git("ls-files", "--others", "--exclude-standard", "-z", root=root):
        lines[path] = range(1, sys.maxsize)
    return lines


def new_uses(root, uses=None):
    """No use of a word of tools/dev/words.txt is added: its count in a top-level folder is at most the recorded one."""
    uses, record, added = all_uses(root) if uses is None else uses, recorded(root), None
    yield from allowed(root)[1]
    for key, numbers in sorted(counted(uses).items()):
        for folder, number in sorted(numbers.items()):
            recorded_number = record.get(key, {}).get(folder, 0)
            if number <= recorded_number:
                continue
            added = added if added is not None else added_lines(root)
            here = [use for use in uses if use.pattern.key == key and area(use.path) == folder]
            new = [use for use in here if use.line in added.get(use.path, ())] or here
            for use in new[:MAX_SHOWN]:
                yield f'{use.path}:{use.line}: "{use.text}": use "{use.pattern.replacement}"'
            yield f'{folder}: {number} uses of "{key}", {RECORD} allows {recorded_number}'


def notice(root, uses):
    """A line when the record is far above the tree, otherwise nothing."""
    known = sum(sum(numbers.values()) for numbers in recorded(root).values())
    fewer = known - len(uses)
    return f"{fewer} uses fewer than recorded: python3 tests/architecture/words.py --write lowers the record" if fewer > 20 + known / 10 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", nargs="?", const="", metavar="PATTERN", help="print the uses")
    parser.add_argument("--in", dest="folder", default="", metavar="PATH", help="with --list or --top: only below this path")
    parser.add_argument("--top", action="store_true", help="print the number of uses of each pattern")
    parser.add_argument("--write", action="store_true", help="lower the record")
    arguments = parser.parse_args()
    if arguments.list is not None or arguments.top:
        uses = [use for use in all_uses(ROOT) if use.path.startswith(arguments.folder)]
        if arguments.top:
            for pattern, number in sorted(collections.Counter(use.pattern for use in uses).items(), key=lambda item: -item[1]):
                print(f"{number:6}  {pattern.key}  -> {pattern.replacement}")
            print(f"{len(uses):6}  uses in {len({use.path for use in uses})} files")
        for use in uses if arguments.list is not None else ():
            if arguments.list in use.pattern.key or arguments.list == use.text.lower():
                print(f'{use.path}:{use.line}: "{use.text}": use "{use.pattern.replacement}"')
        return 0
    uses = all_uses(ROOT)
    complaints = write(ROOT) if arguments.write else list(new_uses(ROOT, uses))
    print("\n".join(complaints) or notice(ROOT, uses) or "no new use of a listed word")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
