"""Makes the golden set of the current ABI version, once: python3 tests/abi/golden/build.py

--replace removes the set of the current version with its frozen headers, and makes it again, as long as it is not published."""

import argparse
import hashlib
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ABI = HERE.parent / "frozen"
# Id, language, C compiler, C++ compiler.
MAKES = [("c", "C", "gcc", "g++"), ("gcc", "CXX", "gcc", "g++"), ("clang", "CXX", "clang", "clang++")]


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def version(headers):
    text = (headers / "tenon/abi.h").read_text()
    return ".".join(re.search(rf"#define TENON_ABI_{part} (\d+)u", text)[1] for part in ("MAJOR", "MINOR"))


def build(set_folder, headers, name, language, c_compiler, cxx_compiler):
    plugin = f"golden-{set_folder.name.replace('.', '-')}-{name}"
    with tempfile.TemporaryDirectory() as build_folder:
        run("cmake", "-G", "Ninja", "-S", HERE.parent / "exercise/outside", "-B", build_folder, "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_C_COMPILER={c_compiler}", f"-DCMAKE_CXX_COMPILER={cxx_compiler}", f"-DEXERCISE_ID={plugin}",
            f"-DEXERCISE_LANGUAGE={language}", f"-DEXERCISE_ABI={headers}", f"-DTENON_PLUGINS_OUTPUT={set_folder}")
        run("cmake", "--build", build_folder)
    run("strip", "--strip-unneeded", set_folder / plugin / "lib" / platform.machine() / f"{plugin}.so")


def withdraw(number):
    for folder in (HERE / number, ABI / number):
        shutil.rmtree(folder, ignore_errors=True)
    sums = HERE / "SHA256SUMS"
    own = tuple(f"{folder}/{number}/" for folder in ("golden", "frozen"))
    sums.write_text("".join(line for line in sums.read_text().splitlines(True) if not line.split("  ")[1].startswith(own)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[0])
    parser.add_argument("--replace", action="store_true", help="withdraw the set of today's version first")
    replaces = parser.parse_args().replace
    number = version(HERE.parents[2] / "sdk/abi")
    set_folder, headers = HERE / number, ABI / number
    if replaces:
        withdraw(number)
    if set_folder.exists() or headers.exists():
        sys.exit(f"The set of {number} is there; it is never rebuilt.")
    shutil.copytree(HERE.parents[2] / "sdk/abi/tenon", headers / "tenon")
    for source in HERE.parent.glob("exercise/*.[ch]"):
        (headers / "sources").mkdir(exist_ok=True)
        shutil.copy(source, headers / "sources")
    for make in MAKES:
        build(set_folder, headers, *make)
    files = sorted(path for folder in (set_folder, headers) for path in folder.rglob("*") if path.is_file())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(HERE.parent)}\n" for path in files]
    (HERE / "SHA256SUMS").open("a").writelines(sums)


if __name__ == "__main__":
    main()
