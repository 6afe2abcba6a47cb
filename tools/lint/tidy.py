"""clang-tidy: which sources are not known as clean, in what groups they are checked, and the record of a clean commit.

A source is known as clean by build/lint-cache, which has a stamp of everything that the check reads, or by the record: it and its headers are as they were
in that commit, and its flags and generated headers are among the recorded ones.
"""

import concurrent.futures
import fcntl
import functools
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil

from tree import Broken, ROOT, Skip, WORK, changed_since, changed_since_clean, files, run

# When one of these changes, nothing is known as clean. Flags are compared apart.
RULES = (".clang-tidy", "tools/lint/scope.cpp")
GROUP = 8
# The cost of a group in addition to its sources, as bytes of source.
HEADERS_WEIGHT = 30_000
LLVM = "/usr/lib/llvm-14/include"


def digest(*parts):
    """Hexadecimal SHA-256 of texts and bytes, each apart from the next."""
    sum = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        sum.update(f"{len(data)} ".encode() + data)
    return sum.hexdigest()


def build_folder():
    """The build folder that the flags and generated headers come from: $DEV_BUILD as it is, else build/dev, which is updated."""
    if os.environ.get("DEV_BUILD"):
        build = ROOT / os.environ["DEV_BUILD"]
        steps = []
    else:
        build = ROOT / "build" / "dev"
        steps = [] if (build / "build.ninja").is_file() else [("cmake", "--preset", "dev")]
        steps.append(("ninja", "-C", str(build), "generated_headers"))
    for step in steps:
        output, code = run(*step)
        if code != 0:
            raise Broken(f"{shlex.join(step)} failed:\n{output}")
    if not (build / "compile_commands.json").is_file():
        raise Broken(f"{build} has no compile_commands.json: configure it with cmake")
    return build


def flags_of(command):
    """The flags of a compile command without files, launcher and precompiled header, and without those that are g++'s alone or change nothing for a reader."""
    return flags_in(re.sub(r"-include \S*cmake_pch\S*|-o \S+|-c \S+$", "", command))


@functools.cache
def flags_in(text):
    words = itertools.dropwhile(lambda word: not word.startswith("-"), shlex.split(text))
    unread = re.compile(r"-Winvalid-pch|-Xclang|-fpch-.*|-f(no-)?gnu-unique|-Wno-subobject-linkage|-[Og].?")
    return [*(word for word in words if not unread.fullmatch(word)), "-Wno-unknown-warning-option"]


@functools.cache
def tool_version():
    """The version of clang-tidy, without the processor that it finds: the record holds on other machines."""
    return re.search(r"version \S+", run("clang-tidy", "--version")[0])[0]


class Sources:
    """The C and C++ sources of a tree that a build folder compiles, and what the check of each reads."""

    def __init__(self, build, root=ROOT):
        self.root, self.build = root, build
        self.built = os.path.relpath(build, root) + "/"
        self.gone = set()
        self.flags = {}
        here = set(files(".cpp", ".c", root=root))
        for entry in json.loads((build / "compile_commands.json").read_text()):
            # Units include from the top, their sources do not.
            flags = [flag for flag in flags_of(entry["command"]) if flag != f"-I{root}"]
            for name in self.members(pathlib.Path(entry["file"])):
                # A source of several targets has the same flags in whatever order the targets come.
                if name in here and (name not in self.flags or flags < self.flags[name]):
                    self.flags[name] = flags
        if not self.flags:
            raise Skip
        for folder in {flag[2:] for flags in self.flags.values() for flag in flags if flag.endswith(".tenon/include")}:
            if not any(pathlib.Path(folder).glob("*.hpp")):
                raise Broken(f"{folder} has no header: ninja -C {build} generated_headers")

    def members(self, path):
        """The sources that a unit of tools/cmake/TenonUnity.cmake includes; another source itself."""
        is_unit = path.parent.suffix == ".unity" and path.is_file()
        paths = re.findall(r'^#include "(.+)"', path.read_text(), re.M) if is_unit else [path]
        return [os.path.relpath(self.root / path, self.root) for path in paths]

    @functools.cache
    def exists(self, path):
        return (self.root / path).is_file()

    @functools.cache
    def text(self, path):
        return (self.root / path).read_bytes() if self.exists(path) else b""

    @functools.cache
    def included(self, path, folders):
        """Headers of ours that a file includes itself, and removed ones, whose place another header may have taken."""
        found = []
        for target in re.findall(rb'^\s*#\s*include\s+[<"]([^">]+)[">]', self.text(path), re.M):
            for folder in (os.path.dirname(path), *folders):
                header = os.path.normpath(os.path.join(folder, target.decode()))
                if self.exists(header) or header in self.gone:
                    found.append(header)
                if self.exists(header):
                    break
        return found

    def read_by(self, name):
        """A source and its headers of ours, generated ones too."""
        folders = (os.path.relpath(flag[2:], self.root) + "/" for flag in self.flags[name] if flag.startswith("-I"))
        folders = tuple(folder for folder in folders if not folder.startswith("../") or folder.startswith(self.built))
        seen, waiting = {name}, [name]
        while waiting:
            for header in self.included(waiting.pop(), folders):
                if header not in seen:
                    seen.add(header)
                    waiting.append(header)
        return seen

    def rules(self, name):
        """Files that say how a source is checked, whether they exist or not."""
        return [*RULES, *(f"{folder}/.clang-tidy" for folder in list(pathlib.PurePath(name).parents)[:-1])]

    def outside(self, name, parts):
        """A digest of what a check reads that git does not have: flags, generated headers, clang-tidy. All build folders have the same."""
        flags = " ".join(self.flags[name]).replace(str(self.build), "BUILD").replace(str(self.root), "ROOT")
        generated = [self.text(part) for part in sorted(parts) if part.startswith(self.built)]
        return digest(tool_version(), flags, *generated)[:8]

    def stamp(self, name, parts):
        """A digest of everything that a check reads."""
        contents = [text for part in sorted(parts) if not part.startswith(self.built) for text in (part, self.text(part))]
        return digest(*map(self.text, self.rules(name)), self.outside(name, parts), *contents)

    def record(self):
        """The text of a record that says that HEAD is clean."""
        digests = sorted({self.outside(name, self.read_by(name)) for name in self.flags})
        lines = [" ".join(digests[start:start + 12]) for start in range(0, len(digests), 12)]
        return "\n".join([run("git", "rev-parse", "HEAD", root=self.root)[0].strip(), *lines]) + "\n"

    def to_check(self, arguments):
        """Sources that are not known as clean, whatever the cache says → what each reads."""
        changed, digests = None, None
        if arguments.changed:
            changed = changed_since("HEAD~1", root=self.root)
        elif not arguments.all and not arguments.record:
            changed, digests = changed_since_clean(self.root)
        self.gone = {name for name in changed or () if not self.exists(name)}
        reads = {name: self.read_by(name) for name in sorted(self.flags)}
        if changed is None:
            return reads
        return {name: parts for name, parts in reads.items()
                if not changed.isdisjoint([*parts, *self.rules(name)])
                or digests is not None and self.outside(name, parts) not in digests}

    def groups(self, names):
        """Sources of one folder that are compiled alike, at most GROUP together: most of the time goes into the headers of the system."""
        alike = {}
        for name in sorted(names):
            is_alone = not name.endswith(".cpp") or any(self.exists(rule) for rule in self.rules(name)[len(RULES):])
            alike.setdefault((os.path.dirname(name), name if is_alone else "", *self.flags[name]), []).append(name)
        return [together[start:start + GROUP] for together in alike.values() for start in range(0, len(together), GROUP)]

    def weight(self, group):
        return HEADERS_WEIGHT + sum(len(self.text(name)) for name in group)


def share(groups, weight, number, count):
    """The groups of one of several processes, alike in weight. Every process must see the same groups."""
    shares = [[0, []] for _ in range(count)]
    for group in sorted(groups, key=lambda group: (-weight(group), group)):
        lightest = min(shares, key=lambda share: share[0])
        lightest[0] += weight(group)
        lightest[1].append(group)
    return shares[number - 1][1]


def scope_plugin():
    """The compiled scope.cpp, made when it changed."""
    source = ROOT / "tools" / "lint" / "scope.cpp"
    command = ["c++", "-std=c++17", "-shared", "-fPIC", "-fno-rtti", "-isystem", LLVM, str(source)]
    if shutil.which("ccache"):
        command.insert(0, "ccache")
    library = WORK / f"scope-{digest(source.read_bytes(), *command)[:16]}.so"
    WORK.mkdir(parents=True, exist_ok=True)
    with open(WORK / "scope.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not library.exists():
            output, code = run(*command, "-o", f"{library}.part")
            if code != 0:
                raise Broken(f"{source.relative_to(ROOT)} does not compile; it needs the packages libclang-14-dev and llvm-14-dev:\n{output}")
            os.rename(f"{library}.part", library)
    return library


def command(top, flags):
    return ["clang-tidy", "--quiet", f"--load={scope_plugin()}", str(top), "--", *flags]


def check(top, flags):
    """Exit code and findings of clang-tidy on one file."""
    output, code = run(*command(top, flags))
    return code, re.sub(r"^(\d+ warnings? .*|Suppressed .*|Use -header-filter.*)\n", "", output, flags=re.M)


def check_group(names, flags, root=ROOT, on_clean=lambda name: None):
    """Findings in sources that are compiled alike, joined by a file that includes them; on_clean is called with each that has none."""
    if len(names) == 1:
        code, output = check(root / names[0], flags)
    else:
        top = WORK / f"group-{digest(*names)[:16]}.cpp"
        top.write_text("".join(f'#include "{root / name}"\n' for name in names))
        code, output = check(top, flags)
        top.unlink()
        blamed = clashing(names, output, root)
        if blamed:
            rest = [name for name in names if name not in blamed]
            return check_group(rest, flags, root, on_clean) + check_group(blamed, flags, root, on_clean)
    if code != 0:
        return output or f"{' '.join(names)}: clang-tidy ended with exit code {code}\n"
    for name in names:
        on_clean(name)
    return ""


def clashing(names, output, root):
    """Sources to check apart from the others: errors of the compiler may come of two that use one name for different things."""
    errors = re.findall(r"^(.+?):\d+:\d+: error: .*\[clang-diagnostic-", output, re.M)
    if not errors:
        return []
    blamed = [name for name in names if str(root / name) in errors]
    return blamed if 0 < len(blamed) < len(names) else names[len(names) // 2:]


def tidy(arguments):
    """Complaints about the sources that are not known as clean."""
    sources = Sources(build_folder())
    reads = sources.to_check(arguments)
    groups = sources.groups(reads)
    jobs = os.cpu_count() or 2
    if arguments.shard:
        groups, jobs = share(groups, sources.weight, *arguments.shard), 1
    cache = ROOT / "build" / "lint-cache"
    for folder in (cache, WORK):
        folder.mkdir(parents=True, exist_ok=True)
    stamps = {name: cache / sources.stamp(name, reads[name]) for group in groups for name in group}
    groups = [[name for name in group if arguments.all or not stamps[name].exists()] for group in groups]
    groups = sorted(filter(None, groups), key=sources.weight, reverse=True)
    print(f"    clang-tidy: {sum(map(len, groups))} of {len(sources.flags)} files in {len(groups)} groups", flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return "\n".join(filter(None, pool.map(
            lambda group: check_group(group, sources.flags[group[0]], on_clean=lambda name: stamps[name].touch()), groups)))


def shard_count(arguments):
    """Into how many processes the sources to check divide well."""
    sources = Sources(build_folder())
    return 1 + len(sources.groups(sources.to_check(arguments))) // 8
