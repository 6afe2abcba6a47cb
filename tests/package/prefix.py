"""Tenon and its SDK as `cmake --install` puts them into an empty folder."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DEV_BUILD", ROOT / "build" / "dev"))


def compiler_cache(folder):
    """Settings of the environment that make builds below the folder use ccache, whatever it is called."""
    settings = {"CMAKE_GENERATOR": "Ninja", "CMAKE_COLOR_DIAGNOSTICS": "OFF"}
    if shutil.which("ccache"):
        settings |= {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
                     "CCACHE_NOHASHDIR": "1", "CCACHE_BASEDIR": str(folder)}
    return settings


def run(*command, environment=None, **options):
    """Exit code and output of a command."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})}, **options)
    return done.returncode, done.stdout


def install(prefix, *components):
    for component in components:
        code, output = run("cmake", "--install", BUILD, "--component", component, "--prefix", prefix)
        assert code == 0, output


def is_sanitized():
    """Whether this build is one for sanitizers, which ./dev makes without the pages and the npm packages."""
    cache = BUILD / "CMakeCache.txt"
    return any(line.startswith("TENON_SANITIZE:") and line.strip().split("=")[1] for line in cache.read_text().splitlines())
