"""npm packages of a folder of tests, by the pinned Node of tools/node: installed as ./dev does, and once."""

import fcntl
import os
import subprocess

from made_once import ROOT

INSTALL = """
set -euo pipefail
root=$PWD
source tools/dev/progress.sh
source tools/dev/ensure.sh
{ ensure_node && npm_install "$1" "Installing the npm packages of $1"; } >&2
printf %s "$PATH"
"""


def installed(folder):
    """The environment in which `node` is the pinned one, once node_modules below `folder` (a path from the root of the tree) is that of
    its lockfile. Another process that installs is waited for."""
    locked = os.open(ROOT / folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(locked, fcntl.LOCK_EX)
        done = subprocess.run(["bash", "-c", INSTALL, "install", folder], cwd=ROOT, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=1800, check=False)
    finally:
        os.close(locked)
    assert done.returncode == 0, f"the npm packages of {folder} cannot be installed:\n{done.stdout}{done.stderr}"
    return {**os.environ, "PATH": done.stdout}
