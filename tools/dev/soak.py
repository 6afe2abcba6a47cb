#!/usr/bin/env python3
"""./dev soak [--minutes N]: mixed load on the real server, and whether its memory and descriptors stay flat.

The load (soak_load.py) comes in rounds. Between two rounds all clients are gone, and what the server then has is a sample: so a
sample does not depend on who happened to be connected. During the rounds the peaks are noted, every two seconds.

The check looks at the samples after the warm-up, which is the first third. It is `flat` when
- memory grows by no more than a twentieth and at least 2 MiB over them, by the median of the slopes of all pairs (Theil-Sen, which a few
  odd samples do not move), and no sample is above their median by more than a quarter and at least 16 MiB;
- no sample has more than 4 descriptors above the median of the warm-up's last half;
- no response was wrong, and the server ended cleanly.
"""

import argparse
import itertools
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "integration"))
os.environ.setdefault("DEV_BUILD", str(ROOT / "build" / "dev"))

from bad_clients import EXERCISES, ZOO, descriptors, status_kib  # noqa: E402
from soak_load import Load, write_ui  # noqa: E402
from tenon import BUILD, Client, PASSWORD, Server, wait_for_migrations, within  # noqa: E402

ROUND_SECONDS = 10
PEAK_SECONDS = 2
FEWEST_SAMPLES = 9
GROWTH_SHARE, GROWTH_KIB = 0.05, 2 * 1024
OUTLIER_SHARE, OUTLIER_KIB = 0.25, 16 * 1024
SPARE_DESCRIPTORS = 4
# Short, so that slow clients reach their limits within a round.
SHORT_TIMEOUTS = ("--http-head-deadline", "1s", "--http-body-window", "1s", "--http-write-window", "1s", "--log-access", "false",
            "--plugins-drain", "5s")


def slope(samples):
    """KiB a minute: the median of the slopes between all pairs of (seconds, KiB)."""
    return 60 * statistics.median((b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.combinations(samples, 2))


def find_problems(samples):
    """Returns the problems of samples of (seconds, RSS in KiB, descriptors) as sentences; empty if all is flat."""
    if len(samples) < FEWEST_SAMPLES:
        return [f"{len(samples)} samples are too few for a result; it takes {FEWEST_SAMPLES}"]
    warm_up = len(samples) // 3
    rest = samples[warm_up:]
    wrong = []
    median = statistics.median(kib for _, kib, _ in rest)
    minutes = (rest[-1][0] - rest[0][0]) / 60
    growth = slope([(seconds, kib) for seconds, kib, _ in rest]) * minutes
    if growth > max(GROWTH_SHARE * median, GROWTH_KIB):
        wrong.append(f"memory grew by {growth:,.0f} KiB in {minutes:.1f} minutes after the warm-up")
    highest = max(kib for _, kib, _ in rest)
    if highest - median > max(OUTLIER_SHARE * median, OUTLIER_KIB):
        wrong.append(f"memory was at {highest:,} KiB once, with a median of {median:,.0f}")
    usual = statistics.median(count for _, _, count in samples[warm_up // 2:warm_up])
    highest_count = max(count for _, _, count in rest)
    if highest_count > usual + SPARE_DESCRIPTORS:
        wrong.append(f"{highest_count} descriptors were open between two rounds, {usual:.0f} after the warm-up")
    return wrong


class Peaks:
    """The highest figures since they were last asked for."""

    def __init__(self, server):
        self.server, self.highest_count = server, (0, 0)
        self.over = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self):
        while not self.over.wait(PEAK_SECONDS):
            if self.server.process.poll() is not None:
                return
            now = (status_kib(self.server, "VmRSS"), descriptors(self.server))
            self.highest_count = tuple(map(max, self.highest_count, now))

    def take(self):
        highest_count, self.highest_count = self.highest_count, (0, 0)
        return highest_count


def soak(server, minutes):
    """Runs it; the samples, and what the load complained of."""
    response = Client(server).post("/api/core/setup", {
        "token": server.setup_link_token(), "login": "ada", "name": "Ada", "password": PASSWORD})
    assert response.status == 201, response
    wait_for_migrations(server)
    load, peaks, samples, began = Load(server), Peaks(server), [], time.monotonic()
    load.ada.close()
    calm = descriptors(server)
    print("  minute  memory KiB  (peak)  descriptors  (peak)  requests", flush=True)
    while time.monotonic() - began < minutes * 60:
        load.run(ROUND_SECONDS)
        within(lambda: server.process.poll() is not None or descriptors(server) <= calm + SPARE_DESCRIPTORS, 5)
        if server.process.poll() is not None:
            load.complaints.insert(0, f"the server ended with {server.process.returncode} after {time.monotonic() - began:.0f} s\n{server.log()}")
            break
        calm = descriptors(server)
        samples.append((time.monotonic() - began, status_kib(server, "VmRSS"), calm))
        (peak_kib, peak_descriptors), (seconds, kib, count) = peaks.take(), samples[-1]
        print(f"  {seconds / 60:6.1f}  {kib:10,}  {peak_kib:6,}  {count:11}  {peak_descriptors:6}  {sum(load.counts.values()):8,}", flush=True)
    peaks.over.set()
    print("  " + ", ".join(f"{name}: {count:,}" for name, count in sorted(load.counts.items())))
    return samples, load.complaints


def main():
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=10, help="how long the load lasts (default 10)")
    parser.add_argument("--skip-memory-check", action="store_true",
                        help="check only the responses and the end: a sanitizer keeps freed memory")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tenon-soak-") as folder:
        ui = pathlib.Path(folder) / "ui"
        write_ui(ui)
        plugins = (BUILD / "lib" / "tenon" / "plugins", ZOO / "sleeps_in_handlers", EXERCISES)
        server = Server(*SHORT_TIMEOUTS, *(each for path in plugins for each in ("--plugins", path)), ui=ui)
        try:
            samples, complaints = soak(server.start(), arguments.minutes)
        finally:
            try:
                server.close()
            except AssertionError as complaint:
                print(f"soak: {complaint}", file=sys.stderr)
                return 1
    wrong = ([] if arguments.skip_memory_check else find_problems(samples)) + complaints[:10]
    if len(samples) >= FEWEST_SAMPLES:
        rest = samples[len(samples) // 3:]
        print(f"  after the warm-up: {slope([each[:2] for each in rest]):+,.0f} KiB a minute, {min(rest, key=lambda s: s[1])[1]:,} to "
              f"{max(rest, key=lambda s: s[1])[1]:,} KiB, {min(s[2] for s in rest)} to {max(s[2] for s in rest)} descriptors")
    good = "every response as expected, nothing found" if arguments.skip_memory_check else "flat"
    print(f"soak: {good}" if not wrong else f"soak: NOT {good}\n  " + "\n  ".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
