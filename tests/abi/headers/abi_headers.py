"""Reads the ABI headers: structs with their members, constants, and the comment before each function."""

import pathlib
import re

STRUCT = re.compile(r"(?:typedef\s+)?struct\s+(tenon_\w+)\s*\{(.*?)\n\}\s*(?:tenon_\w+)?;", re.S)
CONSTANT = re.compile(r"^#define (TENON_[A-Z0-9_]+)[ \t]+(.+?)[ \t]*(?:/\*.*)?$", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# A C type and what guards a header are no constants of the ABI.
NO_CONSTANT = {"TENON_EXTERN_C_BEGIN", "TENON_EXTERN_C_END", "TENON_NOEXCEPT", "TENON_EXPORT"}


def squeeze(text):
    return " ".join(text.split())


class Member:
    def __init__(self, name, declaration, comment):
        self.name, self.declaration, self.comment = name, declaration, comment

    @property
    def is_function(self):
        return "(*" in self.declaration


class Struct:
    def __init__(self, name, members, comment):
        self.name, self.members, self.comment = name, members, comment

    @property
    def may_grow(self):
        """Structs that carry their size may grow; all others are frozen. An entry carries it after its magic."""
        return any(member.name == "size" and member.declaration.startswith("uint32_t") for member in self.members[:2])

    @property
    def is_callback(self):
        """A function with its context: the struct's own comment says how it is called."""
        return any(member.name == "ctx" for member in self.members)


def members_of(body):
    """Top-level declarations of a struct's body, each with the comment before it."""
    comment, declaration, depth, members = "", "", 0, []
    for part in re.split(r"(/\*.*?\*/|[{};])", body, flags=re.S):
        if part.startswith("/*"):
            if depth == 0 and not declaration.strip():
                comment = part
        elif part == ";" and depth == 0:
            text = squeeze(declaration)
            name = re.search(r"\(\*(\w+)\)", text) or re.search(r"(\w+)(?:\[\w+\])?$", text)
            members.append(Member(name[1], text, comment))
            comment, declaration = "", ""
        else:
            depth += (part == "{") - (part == "}")
            declaration += part
    return members


def structs(folder):
    """Name → Struct of every struct in the folder's headers."""
    found = {}
    for path in sorted(pathlib.Path(folder, "tenon").glob("*.h")):
        text = path.read_text(encoding="utf-8")
        for match in STRUCT.finditer(text):
            before = [comment for comment in COMMENT.finditer(text, 0, match.start())]
            near = before and not text[before[-1].end():match.start()].strip()
            found[match[1]] = Struct(match[1], members_of(match[2]), before[-1][0] if near else "")
    return found


def constants(folder):
    """Name → text of every constant."""
    found = {}
    for path in sorted(pathlib.Path(folder, "tenon").glob("*.h")):
        for name, value in CONSTANT.findall(path.read_text(encoding="utf-8")):
            if not name.endswith("_H") and name not in NO_CONSTANT and not value.startswith("__attribute__"):
                found[name] = value
    return found
