"""The fenced blocks of a page of the documentation, for tests that run what the page shows."""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Block:
    language: str  # empty: output
    code: str
    intro: str  # the text between this block and the one before
    section: str  # its heading
    line: int  # of the fence, from 1

    @property
    def file(self):
        """The path that the line before the block ends with, as in "Write `src/links.cpp`:"; None without one."""
        found = re.search(r"`([\w./-]+)`:$", self.intro.strip())
        return found.group(1) if found else None


def blocks(page):
    """The blocks of the text of a page, in order."""
    found, end, section = [], 0, ""
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        intro = page[end:match.start()]
        section = (re.findall(r"^##+ (.*)$", intro, re.MULTILINE) or [section])[-1]
        found.append(Block(match[1], match[2], intro, section, page.count("\n", 0, match.start()) + 1))
        end = match.end()
    return found


def code_of(page, language):
    """The code of the blocks in a language."""
    return [block.code for block in blocks(page) if block.language == language]


def apply_diff(text, diff):
    """Replaces the lines with "-" and without a mark by those with "+" and without; "@@" separates hunks.

    Raises ValueError if a hunk is not in the text exactly once.
    """
    for hunk in re.split(r"^@@\n", diff, flags=re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] != "+")
        new = "".join(line[1:] for line in lines if line[0] != "-")
        if text.count(old) != 1:
            raise ValueError(f"this is {text.count(old)} times in the file:\n{old}")
        text = text.replace(old, new)
    return text


def missing_line(expected, output):
    """The first line of `expected` that `output` does not have, in this order; None if it has all. "…" matches any text."""
    rest = iter(line.strip() for line in output.splitlines())
    for line in filter(None, (line.strip() for line in expected.splitlines())):
        pattern = re.compile(".*".join(re.escape(part) for part in line.split("…")))
        if not any(pattern.fullmatch(other) for other in rest):
            return line
    return None
