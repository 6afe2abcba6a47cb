"""Copies of a built plugin under other ids and versions, without a compiler."""

import pathlib
import shutil


def copy_plugin(source, target, **changes):
    """Puts the folder of a plugin below the folder `target`, with other texts of the same length for its `id` or `version`.

    They are written into the library as into `plugin.json`, so that it is a library of its own for the host and for the kernel:
    copies share no page of memory with each other.
    """
    source = pathlib.Path(source)
    before = {"id": source.name, "version": version_of(source)}
    after = {**before, **changes}
    folder = pathlib.Path(target, after["id"])
    shutil.copytree(source, folder)
    for library in folder.glob("lib/*/*.so"):
        write_over(library, before, after)
        library.rename(library.with_name(after["id"] + ".so"))
    write_over(folder / "plugin.json", before, after)
    return folder


def version_of(folder):
    manifest = pathlib.Path(folder, "plugin.json").read_text(encoding="utf-8")
    return manifest.partition('"version": "')[2].partition('"')[0]


def write_over(file, before, after):
    content = file.read_bytes()
    for what, old in before.items():
        if len(old) != len(after[what]):
            raise ValueError(f"{after[what]} is not as long as {old}")
        content = content.replace(old.encode(), after[what].encode())
    file.write_bytes(content)
