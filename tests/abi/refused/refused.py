"""Compiles a source whose mistakes must be refused: refused.py SOURCE COMPILER ARGUMENT...

The source compiles. With MISTAKES defined, each statement below a comment `// refused: WORDS` has an error that matches the regular
expression WORDS, and no other line has one. All are found by one compilation: to read the headers takes seconds.
"""

import os
import pathlib
import re
import subprocess
import sys


def statements(source):
    """(first line, last line, words) of each statement that must be refused."""
    lines = pathlib.Path(source).read_text().splitlines()
    for at, line in enumerate(lines):
        if marked := re.match(r"\s*// refused: (.+)$", line):
            end = next(end for end in range(at + 1, len(lines)) if lines[end].endswith(";"))
            yield at + 2, end + 1, marked[1]


def errors(output, source):
    """(lines of the source that an error names, its text): those where it is, and those that its template was instantiated from."""
    found, before = [], set()
    for line in output.splitlines():
        if not (location := re.match(r"(\S+?):(\d+):(?:\d+:)?\s+(.*)", line)):
            continue
        named = {int(location[2])} if location[1] == source else set()
        if "required from" in location[3]:  # GCC prints it before the error
            before |= named
        elif "requested here" in location[3] and found:  # clang after it
            found[-1][0].update(named)
        elif re.match(r"(fatal )?error:", location[3]):
            found.append((named | before, location[3]))
            before = set()
    return found


def main():
    source, command = sys.argv[1], sys.argv[2:]
    environment = {**os.environ, "LC_ALL": "C"}
    clean = subprocess.run([*command, source], env=environment, text=True, capture_output=True, check=False)
    if clean.returncode != 0:
        sys.exit(f"without mistakes it does not compile:\n{clean.stderr}")
    done = subprocess.run([*command, "-DMISTAKES", source], env=environment, text=True, capture_output=True, check=False)
    expected, found = list(statements(source)), errors(done.stderr, source)
    if not expected:
        sys.exit(f"{source} marks nothing with // refused:")
    wrong = [f"{source}:{first}: no error like '{words}'" for first, last, words in expected
             if not any(re.search(words, text) and any(first <= line <= last for line in lines) for lines, text in found)]
    allowed = {line for first, last, _ in expected for line in range(first, last + 1)}
    wrong += [f"{source}:{sorted(lines)}: {text}" for lines, text in found if lines and not lines & allowed]
    if wrong or done.returncode == 0:
        sys.exit("\n".join(wrong) + f"\n{done.stderr[:20000]}")
    print(f"{len(expected)} mistakes are refused")


if __name__ == "__main__":
    main()
