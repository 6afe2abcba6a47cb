"""Runs jobs side by side: the longest first, as many as the processors bear, those that measure alone at the end.

A job is a command with its own log. Its weight is the number of processors that it keeps busy: a test that mostly
waits leaves them to others.
"""

import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

CORES = os.cpu_count() or 2
# Weights of running jobs add up to at most this: above the number of cores, for weights are estimates and jobs wait for disks, too.
CAPACITY = CORES * 1.25
MAX_RUNNING = 6 * CORES
# A job that takes longer than this many seconds is killed and has failed.
JOB_TIMEOUT = 1_500
# Seconds between two lines that say what runs, where nothing ends.
QUIET_INTERVAL = 60


@dataclasses.dataclass
class Job:
    """One command. `name` is unique, `part` the row of the table that it counts for."""

    name: str
    part: str
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    wall: float = 10.0
    weight: float = 1.0
    # Names of jobs that must have passed before; when one of them fails, this one fails without running.
    needs: tuple = ()
    alone: bool = False
    # Called in the scheduler's thread when the job has passed: returns further jobs.
    then: object = None
    timeout: float = JOB_TIMEOUT


@dataclasses.dataclass
class Outcome:
    """How a job ended. `cpu` is user and system time in seconds, of the processes that it waited for, too."""

    job: Job
    code: int
    wall: float
    cpu: float
    log: pathlib.Path | None
    problem: str = ""


def kill_group(process):
    try:
        os.killpg(process, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


class Scheduler:
    """run() returns the outcomes of all jobs, in the order in which they ended. One thread for each running job."""

    def __init__(self, logs, environment, report, capacity=CAPACITY):
        self.logs, self.environment, self.report, self.capacity = logs, environment, report, capacity
        self.changed = threading.Condition()
        # `running` has (job, process id) by name.
        self.waiting, self.running, self.ended = [], {}, []
        self.passed, self.failed = set(), set()

    def run(self, jobs):
        first = len(self.ended)
        self.add(jobs)
        try:
            with self.changed:
                while self.waiting or self.running:
                    while self.start_next():
                        pass
                    if self.waiting and not self.running:
                        raise RuntimeError("jobs need what never runs: " + ", ".join(job.name for job in self.waiting))
                    count = len(self.ended)
                    if self.running and not self.changed.wait_for(lambda: len(self.ended) > count, QUIET_INTERVAL):
                        self.report.quiet(sorted(self.running), len(self.waiting))
        finally:
            for _, process in list(self.running.values()):
                kill_group(process)
        return self.ended[first:]

    def add(self, jobs):
        self.waiting += jobs
        self.waiting.sort(key=lambda job: (job.alone, -job.wall))

    def start_next(self):
        """Starts the first job that may run now, or ends one that never can. False when there is neither."""
        for job in self.waiting:
            failed = next((name for name in job.needs if name in self.failed), None)
            if failed:
                self.waiting.remove(job)
                self.end(Outcome(job, 1, 0, 0, None, f"not run, because {failed} failed"))
                return True
            if self.may_start(job):
                self.waiting.remove(job)
                self.start(job)
                return True
        return False

    def may_start(self, job):
        if not self.passed.issuperset(job.needs):
            return False
        if not self.running:
            return not job.alone or all(other.alone for other in self.waiting)
        others = [other for other, _ in self.running.values()]
        if job.alone or any(other.alone for other in others):
            return False
        return len(others) < MAX_RUNNING and sum(other.weight for other in others) + job.weight <= self.capacity

    def start(self, job):
        log = self.logs / (re.sub(r"[^A-Za-z0-9._-]+", "_", job.name)[:150] + ".log")
        with open(log, "wb") as output:
            process = subprocess.Popen(job.command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                       env={**self.environment, **job.environment}, start_new_session=True)
        self.running[job.name] = job, process.pid
        threading.Thread(target=self.wait, args=(job, process, log, time.monotonic()), daemon=True).start()

    def wait(self, job, process, log, started):
        late = threading.Timer(job.timeout, kill_group, [process.pid])
        late.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - started
        late.cancel()
        # Processes that it left running would disturb the others.
        kill_group(process.pid)
        problem = f"ended with {code}" if code else ""
        if code == -signal.SIGKILL and wall >= job.timeout:
            problem = f"killed after {job.timeout:.0f} s"
        with self.changed:
            del self.running[job.name]
            self.end(Outcome(job, code, wall, usage.ru_utime + usage.ru_stime, log, problem))
            self.changed.notify_all()

    def end(self, outcome):
        self.ended.append(outcome)
        if outcome.job.then and not outcome.code:
            try:
                self.add(outcome.job.then())
            except Exception as error:  # an exception here would end the thread unnoticed
                outcome.code, outcome.problem = 1, f"what follows it cannot be listed: {error}"
        (self.failed if outcome.code else self.passed).add(outcome.job.name)
        self.report.ended(outcome, len(self.ended), len(self.ended) + len(self.waiting) + len(self.running))
