"""The wall clock of a tested host, which tests move forward. tenon_testing uses it; needs Debian's package libfaketime."""

import datetime
import os
import pathlib
import sysconfig

MISSING = "moves_clock needs libfaketime, which is not installed. On Debian: apt install libfaketime"


def find_library():
    """Returns the path of libfaketime for programs with threads. Raises RuntimeError if it is not installed."""
    architecture = sysconfig.get_config_var("MULTIARCH") or ""
    for folder in (f"lib/{architecture}", "lib64", "lib"):
        library = pathlib.Path("/usr", folder, "faketime/libfaketimeMT.so.1")
        if library.is_file():
            return library
    raise RuntimeError(MISSING)


class Clock:
    """Starts at the present time and runs on. Timeouts and other durations are not changed."""

    def __init__(self, folder):
        """`folder` keeps a file that the host reads. Raises RuntimeError if libfaketime is not installed."""
        self.library = find_library()
        self.file = folder / "clock"
        self.ahead = datetime.timedelta()
        self._write()

    @property
    def environment(self):
        """Variables that start a program with this clock."""
        return {
            "LD_PRELOAD": " ".join(filter(None, (str(self.library), os.environ.get("LD_PRELOAD")))),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            # Otherwise waits by the monotonic clock end at once.
            "FAKETIME_FORCE_MONOTONIC_FIX": "0",
            "NO_FAKE_STAT": "1",
            # The host looks for due jobs three times in this duration.
            "TENON_JOBS_LEASE": "1s",
        }

    def now(self):
        """Returns the time that the clock shows, in UTC."""
        return datetime.datetime.now(datetime.timezone.utc) + self.ahead

    def advance(self, **duration):
        """Moves the clock forward by a duration with the names of datetime.timedelta: advance(hours=25).

        Jobs and schedules that are due then start within a second. Sessions expire, too: sign in again after a long time.
        Raises ValueError if the duration is not positive.
        """
        by = datetime.timedelta(**duration)
        if by <= datetime.timedelta():
            raise ValueError(f"advance({by}): the clock moves forward only; pass a duration such as hours=25")
        self.ahead += by
        self._write()

    def _write(self):
        # The host reads the file at any time, so it must always be complete.
        new = self.file.with_suffix(".new")
        new.write_text(f"+{self.ahead.total_seconds():.3f}\n")
        new.replace(self.file)
