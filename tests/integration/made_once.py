"""Folders that are slow to make and the same for every process of a run: the first process makes them, all read them."""

import fcntl
import os
import pathlib
import shutil
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DEV_BUILD", ROOT / "build/dev"))
DAY_SECONDS = 24 * 3600


def made_once(kind, key, make):
    """Returns the folder of this kind and key; callers must not write to it. If it is missing, `make(folder)` fills an empty one under a
    lock against other processes, and a rename publishes it. Folders of the same kind that are older than a day are removed."""
    parent = BUILD / "tests/made-once"
    parent.mkdir(parents=True, exist_ok=True)
    folder = parent / f"{kind}-{key}"
    if folder.is_dir():
        return folder
    with open(parent / f"{kind}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder
        for old in parent.glob(f"{kind}-*"):
            if old.stat().st_mtime < time.time() - DAY_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
        partial = parent / f".{kind}"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        make(partial)
        partial.rename(folder)
    return folder
