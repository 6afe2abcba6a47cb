"""Folders that are dear to make and the same for every process of a run: made by the first one, read by all."""

import fcntl
import os
import pathlib
import shutil
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DEV_BUILD", ROOT / "build/dev"))
DAY_SECONDS = 24 * 3600


def made_once(kind, key, make):
    """The folder of that kind and key, read only for its callers. Where it is missing, `make(folder)` fills an empty one, under a lock
    against other processes, and a rename puts it in its place. Those of the same kind that are older than a day are removed."""
    place = BUILD / "tests/made-once"
    place.mkdir(parents=True, exist_ok=True)
    folder = place / f"{kind}-{key}"
    if folder.is_dir():
        return folder
    with open(place / f"{kind}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder
        for old in place.glob(f"{kind}-*"):
            if old.stat().st_mtime < time.time() - DAY_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
        partial = place / f".{kind}"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        make(partial)
        partial.rename(folder)
    return folder
