"""The tree that is checked: its files, git, and commands run at its top."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Compiled helpers and caches of the checks.
WORK = ROOT / "build" / "lint"
# A commit in which lint found nothing, and digests of what clang-tidy read there that git does not have.
RECORD = "tools/lint-clean.txt"


class Skip(Exception):
    """The check has nothing to look at."""


class Broken(Exception):
    """The check cannot run; the text says why."""


def run(*command, root=ROOT):
    """Output and exit code of a command started at the top of the tree."""
    done = subprocess.run(command, cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout, done.returncode


def git(*arguments, root=ROOT):
    """Returns the output of git, split at NUL; nothing if it fails."""
    output, code = run("git", *arguments, root=root)
    return [line for line in output.split("\0") if line] if code == 0 else []


def files(*suffixes, root=ROOT):
    """Tracked and new files that exist, relative to the top."""
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", root=root)
    return sorted({name for name in names if name.endswith(suffixes) and (root / name).is_file()})


def changed_since(commit, root=ROOT):
    """Names that differ between a commit and the working tree, new and removed files too; None where git has no such commit."""
    if run("git", "cat-file", "-e", f"{commit}^{{commit}}", root=root)[1] != 0:
        return None
    return {*git("diff", "--name-only", "--no-renames", "-z", commit, root=root),
            *git("ls-files", "--others", "--exclude-standard", "-z", root=root)}


def changed_since_clean(root=ROOT):
    """Returns the changes since the recorded clean commit, and the recorded digests; None for both without a record or its commit."""
    words = (root / RECORD).read_text().split() if (root / RECORD).is_file() else []
    changed = changed_since(words[0], root=root) if words else None
    if changed is None:
        print(f"    {RECORD} names no commit of this repository, so no file is known as clean", file=sys.stderr)
        return None, None
    return changed, set(words[1:])
