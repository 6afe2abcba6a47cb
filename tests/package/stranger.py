"""A user's shell: Tenon and its SDK are installed, and the tree of the sources is elsewhere."""

import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from prefix import ROOT, compiler_cache

# Generous: a busy machine, an empty cache of npm.
STEP_SECONDS = 600
START_SECONDS = 60
STOP_SECONDS = 30


class Program:
    """A program that continues to run, such as `tenon dev`, and the lines that it prints."""

    def __init__(self, script, environment):
        self.process = subprocess.Popen(["bash", "-c", script], env=environment, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lines = []
        self.arrived = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.arrived.put(line)
        self.arrived.put(None)

    @property
    def output(self):
        return "".join(self.lines)

    def wait_for(self, pattern, seconds=STEP_SECONDS):
        """Reads lines until one matches; returns the match. Raises AssertionError if the program ends before."""
        end = time.monotonic() + seconds
        while True:
            try:
                line = self.arrived.get(timeout=max(0.0, end - time.monotonic()))
                if line is None:
                    self.arrived.put(None)  # for stop()
            except queue.Empty:
                line = None
            if line is None:
                raise AssertionError(f"no line has {pattern!r}:\n{self.output}")
            self.lines.append(line)
            if found := re.search(pattern, line):
                return found

    def press(self, key):
        self.process.stdin.write(key)
        self.process.stdin.flush()

    def stop(self, signal_number=signal.SIGTERM):
        """Ends the program, if it still runs, and returns its exit code."""
        if self.process.poll() is None and signal_number:
            self.process.send_signal(signal_number)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        while (line := self.arrived.get()) is not None:
            self.lines.append(line)
        self.arrived.put(None)
        self.process.stdin.close()
        self.process.stdout.close()
        return code


class Stranger:
    """A shell session: a command keeps the folder and the environment of the one before."""

    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tenon-stranger-"))
        self.state = self.home / ".state"
        self.folder = ROOT
        real = pathlib.Path.home()
        # npm's packages and where it gets them are the machine's, as the compiler's cache is; nothing else is.
        self.environment = {**os.environ, **compiler_cache(self.home), "HOME": str(self.home), "TENON_LISTEN": "127.0.0.1:0",
                            "npm_config_cache": os.environ.get("npm_config_cache", str(real / ".npm")),
                            "npm_config_userconfig": os.environ.get("npm_config_userconfig", str(real / ".npmrc")),
                            "npm_config_prefer_offline": "true", "npm_config_audit": "false", "npm_config_fund": "false",
                            "npm_config_fetch_retries": "5"}
        for variable in ("CMAKE_PREFIX_PATH", "DEV_BUILD", "DEV_RESULTS", "PYTHONPATH"):
            self.environment.pop(variable, None)
        self.state.write_text("")

    def script(self, commands):
        return f"set -euo pipefail\n. '{self.state}'\ncd '{self.folder}'\n{commands}\n"

    def do(self, commands):
        keep = f"export -p >'{self.state}.new'\nmv '{self.state}.new' '{self.state}'\npwd >'{self.state}.folder'\n"
        done = subprocess.run(["bash", "-c", self.script(commands) + keep], env=self.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=STEP_SECONDS)
        if done.returncode != 0:
            raise AssertionError(f"the page says\n{commands}\nwhich ends with {done.returncode}:\n{done.stdout}")
        self.folder = pathlib.Path(f"{self.state}.folder").read_text().strip()
        return done.stdout

    def start(self, command):
        """Runs a command that does not end by itself."""
        return Program(self.script("exec " + command), self.environment)

    def close(self):
        shutil.rmtree(self.home, ignore_errors=True)
