"""How long `tenon dev` takes from a saved file to the running plugin.

    python3 bench/dev_loop.py PREFIX [--rounds 7]

PREFIX is an installation with the SDK (`cmake --install build/release --prefix PREFIX`), with clang++ and Node in the PATH. Creates a
plugin of each template in a temporary folder, runs `tenon dev`, changes files, and prints the times that `tenon dev` reports: of
the page, the native code and the tables, and from `tenon plugin new` to the first page. Then, for each template: its lines, the size
of its release library, and the time of its tests once it is built.
"""

import argparse
import pathlib
import queue
import re
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

WAIT_SECONDS = 300
CHANGES = {
    "page": ("ui/src/guest-book-page.tsx", '"No entries yet"', '"Nothing here yet"'),
    "native code": ("src/guest_book.cpp", "The entry is blank.", "The entry is empty."),
    "tables": ("tables.json", '"max": 1000', '"max": 900'),
}


class Session:
    """`tenon dev` in a folder."""

    def __init__(self, program, folder):
        self.folder = folder
        self.lines = queue.Queue()
        self.process = subprocess.Popen([program, "dev", "--listen", "127.0.0.1:0"], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.process.stdout], daemon=True).start()

    def wait_for(self, pattern):
        """Returns the first group of the next line that matches."""
        while True:
            line = self.lines.get(timeout=WAIT_SECONDS)
            if "failed" in line:
                raise RuntimeError(line)
            if found := re.search(pattern, line):
                return found[found.lastindex or 0]

    def measure(self, name, old, new):
        """Returns the milliseconds of one change."""
        time.sleep(0.3)
        file = self.folder / name
        text = file.read_text()
        if old not in text:
            old, new = new, old
        file.write_text(text.replace(old, new))
        return int(self.wait_for(r"loaded in (\d+) ms"))

    def close(self):
        self.process.stdin.write("q")
        self.process.stdin.flush()
        self.process.wait(WAIT_SECONDS)


def run(prefix, template, rounds, root):
    folder = root / template / "guest-book"
    begin = time.monotonic()
    program = str(prefix / "bin/tenon")
    subprocess.run([program, "plugin", "new", "guest-book", "--template", template, "--output", str(folder)], check=True,
                   stdout=subprocess.DEVNULL)
    session = Session(program, folder)
    session.wait_for("Keys:")
    print(f"{template}: {time.monotonic() - begin:.1f} s from nothing to the first page")
    for name, (file, old, new) in CHANGES.items():
        if (folder / file).is_file():
            times = [session.measure(file, old, new) for _ in range(rounds)]
            print(f"{template}: {name} {statistics.median(times):.0f} ms ({min(times)} to {max(times)})")
    session.close()


def lines_of(folder):
    """The lines that an author reads and writes: not those of the SDK's packages and the descriptions."""
    left_out = {"sdk", "README.md", ".gitignore"}
    files = [file for file in folder.rglob("*") if file.is_file() and not left_out.intersection(file.relative_to(folder).parts)]
    return sum(len(file.read_text().splitlines()) for file in files)


def measure_template(prefix, template, root):
    folder = root / f"size-{template}" / "guest-book"
    program = str(prefix / "bin/tenon")

    def tenon(*words, code=0):
        done = subprocess.run([program, "plugin", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != code:
            raise RuntimeError(done.stdout)

    tenon("new", "guest-book", "--template", template, "--output", str(folder))
    lines = lines_of(folder)
    tenon("build", str(folder))
    library = sum(file.stat().st_size for file in (folder / "dist").rglob("*.so"))
    tests = None
    if (folder / "tests").is_dir():
        tenon("test", str(folder))
        begin = time.monotonic()
        tenon("test", str(folder))
        tests = time.monotonic() - begin
    print(f"{template}: {lines} lines, library {library / 1024:.0f} KiB, tests {f'{tests:.1f} s' if tests else 'none'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    root = pathlib.Path(tempfile.mkdtemp(prefix="tenon-dev-loop-"))
    try:
        for template in ("table", "page", "full"):
            run(given.prefix.absolute(), template, given.rounds, root)
        for template in ("minimal", "table", "c", "job", "page", "full"):
            measure_template(given.prefix.absolute(), template, root)
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
