"""A hostile plugin: whatever it does to the process of the host, the service continues, the plugin is named, and only this plugin is kept out."""

import contextlib
import dataclasses
import os
import pathlib
import signal
import sys
import threading
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

from supervisor_case import BAD, GOOD, ZOO, SupervisorTest  # noqa: E402
from tenon import PASSWORD, SANITIZED, children_of, core_rows, eventually, tenon  # noqa: E402

FULL = bool(os.environ.get("DEV_FULL"))
SEGV, ABRT = "signal 11 (SIGSEGV)", "signal 6 (SIGABRT)"
HANDLER, TABLE, SERVICE, THREAD = "in the handler of a request", "in a callback of a table", "in the handler of a service", "in a thread of its own"


@dataclasses.dataclass(frozen=True)
class Case:
    """An action of the plugin crashes_at_stage, its stage, and the expected result: a method of HostilePlugin with its words."""
    where: str
    how: str
    must: str
    words: tuple = ()
    is_quick: bool = True


CASES = (
    *(Case("handler", how, "be_kept_out", (HANDLER, end)) for how, end in {
        "null": SEGV, "abort": ABRT, "stack": SEGV, "free": ABRT, "heap": ABRT, "smash": ABRT, "ud2": "signal 4 (SIGILL)",
        "fpe": "signal 8 (SIGFPE)", "bus": "signal 7 (SIGBUS)", "terminate": ABRT, "raise": SEGV, "exit": "exit code 0", "_exit": "exit code 1",
        "quick_exit": "exit code 3", "raw_exit": "exit code 4", "own_handler": "exit code 7"}.items()),
    Case("inline", "smash", "be_kept_out", (HANDLER, ABRT)),
    Case("before_write", "null", "be_kept_out", (TABLE, SEGV)),
    Case("before_write", "exit", "be_kept_out", (TABLE, "exit code 0")),
    Case("after_write", "abort", "be_kept_out", (TABLE, ABRT)),
    Case("extend", "stack", "be_kept_out", (TABLE, SEGV)),
    Case("service", "free", "be_kept_out", (SERVICE, ABRT)),
    Case("service", "raw_exit", "be_kept_out", (SERVICE, "exit code 4")),
    Case("create", "heap", "be_kept_out", ("in its create", ABRT)),
    Case("start", "ud2", "be_kept_out", ("in its start", "signal 4 (SIGILL)")),
    Case("thread", "abort", "be_kept_out", (THREAD, ABRT)),
    Case("thread", "stack", "be_kept_out", (THREAD, SEGV)),
    Case("pthread", "null", "be_kept_out", (THREAD, SEGV)),
    Case("handler", "fork", "be_restarted", (ABRT,)),
    Case("handler", "daemon", "be_restarted", (ABRT,)),
    Case("handler", "term", "be_restarted", ("exit code 0",)),
    Case("handler", "close", "be_restarted_by_the_probe"),
    Case("handler", "close_listening", "be_restarted_by_the_probe", is_quick=False),
    Case("handler", "stop", "be_restarted_by_the_probe", (f"plugin={BAD}",), is_quick=False),
    Case("handler", "no_files", "be_raised", ("RLIMIT_NOFILE",)),
    Case("handler", "no_bytes", "be_raised", ("RLIMIT_FSIZE",)),
    Case("sql", "printf('%.*c', 1000000000, 'x')", "be_refused", (413, "data.too_large")),
    Case("sql", "instr(replace(hex(zeroblob(4000000)), '0', 'a'), replace(hex(zeroblob(2000000)), '0', 'a') || 'b') || ''", "be_computed", ("0",)),
    Case("sql", "replace(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1', '')", "be_refused", (413, "data.too_large")),
    Case("sql", "'a' LIKE replace(hex(zeroblob(200)), '0', '_')", "be_refused", (500, "plugin.failed")),
    Case("sql", "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)", "be_refused",
         (503, "data.timeout"), is_quick=False),
)


class HostileTest(SupervisorTest):
    def ask_in_vain(self, path):
        with contextlib.suppress(ConnectionError):
            self.ask(path)

    def last_end(self):
        return [line for line in self.server.log().splitlines() if "the host went down and was started again" in line][-1]


class HostilePlugin(HostileTest):
    """Runs the cases of the table one after the other on one server."""

    def make(self, supervised, data=None):
        server = super().make(supervised, data)
        server.arguments += ["--plugins", str(ZOO / "service_client")]
        return server

    def run_cases(self, *musts):
        self.start()
        for case in CASES:
            if case.must in musts and (case.is_quick or FULL):
                with self.subTest(f"{case.where} {case.how}"):
                    getattr(self, case.must)(case)

    def trigger(self, case):
        """Makes the plugin do it. The request may never get a response."""
        self.order(f"{case.where} {case.how}")
        ada = self.client("ada")
        ada.close()  # a request on a kept connection that was closed is sent again
        with contextlib.suppress(ConnectionError):
            match case.where:
                case "handler":
                    return ada.get(f"/api/{BAD}/ok")
                case "inline":
                    return ada.get(f"/api/{BAD}/inline")
                case "before_write" | "after_write":
                    return ada.post(f"/api/{BAD}/things", {"name": "one"})
                case "extend":
                    return ada.get(f"/api/{BAD}/things")
                case "service":
                    return ada.get("/api/service-client/work")
                case "sql":
                    return ada.get(f"/api/{BAD}/sql?text=" + urllib.parse.quote(f"SELECT {case.how}"))
                case _:
                    self.assertEqual(200, ada.post(f"/api/core/plugins/{BAD}/disable").status)
                    ada.close()
                    return ada.post(f"/api/core/plugins/{BAD}/enable")
        return None

    def lose_host(self, case):
        old = self.host()
        self.trigger(case)
        eventually(lambda: self.host() != old)
        self.order("nothing")
        return self.client("ada")

    def forget_crash(self):
        """Clears the crash history of the plugin."""
        self.assertEqual(200, self.client("ada").post(f"/api/core/plugins/{BAD}/enable").status)
        core_rows(self.server, "DELETE FROM plugins_crashes")

    def be_kept_out(self, case):
        ada = self.lose_host(case)
        self.assert_quarantined(ada, *case.words)
        self.assert_others_serve(ada)
        line = self.last_end()
        for word in (f"plugin={BAD}", case.words[-1]):
            self.assertIn(word, line)
        if case.where == "handler" and case.how not in ("raw_exit", "own_handler"):
            self.assertIn("GET /api/crashes-at-stage/ok", line)
        self.forget_crash()

    def be_restarted(self, case):
        ada = self.lose_host(case)
        self.assert_others_serve(ada)
        self.assertIn(case.words[0], self.last_end())
        self.assertEqual(1, len(children_of(self.server.process.pid)))
        self.forget_crash()

    def be_restarted_by_the_probe(self, case):
        old = self.host()
        lost = threading.Thread(target=self.trigger, args=(case,))
        lost.start()
        eventually(lambda: self.host() != old, 30)
        self.order("nothing")
        lost.join()
        self.assert_others_serve(self.client("ada"))
        for word in ("did not respond for 5 s", *case.words):
            self.assertIn(word, self.last_end())
        self.forget_crash()

    def be_raised(self, case):
        old = self.host()
        self.assertEqual(b"ok", self.trigger(case).body)
        self.order("nothing")
        eventually(lambda: f"{case.words[0]} of the host were lowered" in self.server.log(), 30)
        login = case.how.replace("_", "-")
        self.assertEqual(201, self.client("ada").post("/api/core/users", {
            "login": login, "name": login, "role": "member", "password": PASSWORD}).status)
        self.assertEqual(old, self.host())

    def be_refused(self, case):
        self.assert_problem(self.trigger(case), *case.words)

    def be_computed(self, case):
        self.assertEqual({"value": case.words[0]}, self.trigger(case).json())

    @unittest.skipIf(SANITIZED, "a sanitizer ends a host by itself")
    def test_that_ends_the_host_is_quarantined(self):
        """fault: a handler, a callback of a table or of a service, create, start or a thread of a plugin ends the host: by a fault, an exit, or a system call
        | another host serves at once; the plugin is quarantined when it is in the first minute; others serve
        | the log and state `plugins.crashed` name the plugin, the call and the end; of a service call the plugin that was called"""
        self.run_cases("be_kept_out")

    def test_that_signals_itself_costs_a_restart(self):
        """fault: a plugin forks and aborts, forks a daemon in a session of its own and aborts, or sends SIGTERM to its own process
        | what it forked is ended, another host serves
        | the log: the signal; that a plugin sent it"""
        self.run_cases("be_restarted")
        self.assert_logged("a plugin sent the signal to stop to its own process")
        # From another process, too.
        old = self.host()
        os.kill(old, signal.SIGTERM)
        eventually(lambda: self.host() != old)
        self.assert_others_serve(self.client("ada"))
        self.assertEqual(0, self.server.stop(signal.SIGTERM))

    def test_that_stops_the_process_costs_a_restart(self):
        """fault: a plugin closes the descriptors of the host, or the listening socket, or stops the process
        | another host serves within seconds
        | the log names the cause and who was running"""
        self.run_cases("be_restarted_by_the_probe")

    def test_limits_that_it_lowers_are_raised_again(self):
        """fault: a plugin lowers RLIMIT_NOFILE and RLIMIT_FSIZE of the host | raised again within seconds | standard error names them"""
        self.run_cases("be_raised")

    def test_sql_that_would_compute_for_hours_is_refused(self):
        """fault: SQL of a plugin calls a function of SQLite that would compute for minutes or hours
        | refused, or computed in time: `printf`, `instr`, `replace`, `trim`, `json_patch`, LIKE
        | the plugin gets an error that says which; 413 `data.too_large` where it does not take it"""
        self.run_cases("be_refused", "be_computed")


@unittest.skipIf(SANITIZED, "a sanitizer ends a host by itself")
class HostileCalls(HostileTest):
    def test_fails_job_that_ends_host_twice(self):
        """fault: a job ends the host each time that it runs
        | it runs twice; then it has failed, its plugin serves on
        | the log names the plugin and the job; the job's error"""
        self.server.arguments += ["--jobs-lease", "1s"]
        ada = self.start()
        old = self.host()
        self.order("job abort")
        job = self.client().post(f"/api/{BAD}/job")
        self.assertEqual(202, job.status, job)
        job = job.json()["job"]
        eventually(lambda: self.host() != old)
        failed = eventually(lambda: (found := ada.get(f"/api/core/jobs/{job}").json())["state"] == "failed" and found)
        self.assertIn("went down while this job ran, for the second time", failed["error"])
        self.order("nothing")
        self.assertEqual("active", self.item(ada)["state"])
        lines = [line for line in self.server.log().splitlines() if "the host went down" in line]
        self.assertEqual(2, len(lines))
        for line in lines:
            self.assertIn(f'plugin={BAD} in="the handler of a job {job}"', line)
        self.assert_logged("a job crashed the server twice and is not run again")

    def test_one_of_several_suspects_is_not_quarantined(self):
        """fault: the host ends without a word while calls of two plugins run
        | another host serves with both; at the third time both are quarantined, without safe mode
        | the log names both"""
        ada = self.start()
        for times in (1, 2, 3):
            sleeper = threading.Thread(target=self.ask_in_vain, args=(f"/api/{GOOD}/sleep?on=true",))
            sleeper.start()
            eventually(lambda: self.ask(f"/api/{GOOD}/sleeping").json()["sleeping"] > 0)
            old = self.host()
            self.order("handler raw_exit")
            self.ask_in_vain(f"/api/{BAD}/ok")
            eventually(lambda old=old: self.host() != old)
            self.order("nothing")
            sleeper.join()
            self.ask("/healthz")
            line = self.last_end()
            for plugin in (BAD, GOOD):
                self.assertIn(plugin, line.partition("other_plugins=")[2])
            states = {plugin: self.item(ada, plugin)["state"] for plugin in (BAD, GOOD)}
            self.assertEqual({"quarantined" if times == 3 else "active"}, set(states.values()), states)
        self.assertIn("other plugins may be to blame", self.item(ada, GOOD)["reason"]["message"])

    def test_a_stuck_handler_does_not_delay_stop(self):
        """fault: a handler loops or sleeps for ever, then SIGTERM
        | the server ends with code 0 some seconds after `shutdown.deadline`
        | the log names the plugin and the route"""
        self.server.arguments += ["--shutdown-deadline", "100ms"]
        for how in ("handler loop", "handler sleep"):
            with self.subTest(how):
                self.start() if self.server.setup_token is None else self.server.start()
                self.order(how)
                stuck = threading.Thread(target=self.ask_in_vain, args=(f"/api/{BAD}/ok",))
                stuck.start()
                time.sleep(0.05)
                self.order("nothing")
                self.assertEqual(0, self.server.stop(signal.SIGTERM))
                stuck.join()
                line = self.assert_logged("a call of a plugin did not return and is abandoned")
                self.assertIn(f'plugin={BAD} in="the handler of a request (GET /api/{BAD}/ok, request', line)


class HostileProcess(HostileTest):
    def test_a_plugin_prints_nothing_that_scripts_read(self):
        """fault: a plugin writes `ready http://…` to stdout
        | scripts that wait for the host's line do not see it
        | standard error, with the log"""
        self.order("create print")
        self.start()
        self.order("handler print")
        self.assertEqual(b"ok", self.ask(f"/api/{BAD}/ok").body)
        self.kill_host()
        self.assertEqual(b"ok", self.ask(f"/api/{BAD}/ok").body)
        self.assertEqual([], self.printed())
        self.assertNotEqual(1, self.server.port)
        eventually(lambda: self.server.log().count("ready http://127.0.0.1:1") >= 2)

    def test_a_library_with_stuck_constructors_is_quarantined(self):
        """fault: a constructor of a plugin's library never returns
        | the server is ready within seconds without it, the others are active
        | quarantined, with the step that it hung in; the log"""
        self.order("library sleep")
        ada = self.start()
        self.assert_quarantined(ada, "in the constructors of its library")
        self.assert_logged("the library of the plugin \"crashes-at-stage\" did not load within")
        self.assert_others_serve(ada)

    def test_a_stuck_start_is_retried_once(self):
        """fault: create or start of a plugin never returns while the server starts
        | the server is ready within seconds, the others are active; it is tried once more with 30 s
        | failed with `plugins.create_timeout` or `plugins.start_timeout`"""
        for step in ("create", "start"):
            with self.subTest(step):
                self.order(f"{step} sleep_once")
                ada = self.start() if self.server.setup_token is None else self.client("ada")
                if step == "start":
                    self.kill_host()
                self.assert_others_serve(ada)
                self.assert_logged(f"plugins.{step}_timeout")
                eventually(lambda ada=ada: self.item(ada)["state"] == "active")
                self.assertEqual(b"ok", self.ask(f"/api/{BAD}/ok").body)

    def test_serves_other_connections_while_an_inline_route_hangs(self):
        """fault: an inline route loops or never returns, on as many requests as there are I/O threads
        | another thread serves the other connections; the route runs on workers from then on
        | the log names the plugin, the route, the request and the stack"""
        ada = self.start()
        for stalled, how in enumerate(("sleep", "loop"), 1):
            with self.subTest(how):
                self.order(f"inline {how}")
                asked = [threading.Thread(target=self.ask_in_vain, args=(f"/api/{BAD}/inline",)) for _ in range(4)]
                for thread in asked:
                    thread.start()
                eventually(lambda: self.server.log().count("an inline handler blocks an I/O thread") >= stalled)
                line = self.assert_logged("an inline handler blocks an I/O thread")
                for word in (f"plugin={BAD}", f"GET /api/{BAD}/inline", "request_id="):
                    self.assertIn(word, line)
                stack = self.assert_logged("the inline handler blocks here")
                for word in (f"plugin={BAD}", f"GET /api/{BAD}/inline", "request_id=", "go_down_if"):
                    self.assertIn(word, stack)
                # On connections that are open and on ones that are new.
                for _ in range(20):
                    self.assert_others_serve(ada)
                self.order("nothing")
                self.assertEqual(b"ok", self.ask(f"/api/{BAD}/inline").body)
                self.kill_host()
                for thread in asked:
                    thread.join()

    def test_files_are_private_under_any_umask(self):
        """fault: a plugin sets the umask to 0 | folders have the mode 0700, files 0600 | nothing"""
        self.order("library umask")
        ada = self.start()
        key, package = self.orders.parent / "key", self.orders.parent / "multi-version.tenon"
        for words in (("keygen", key, "--no-password"), ("pack", ZOO / "multi_version/multi-version", "--output", package),
                      ("sign", package, "--key", f"{key}.key")):
            self.assertEqual(0, tenon("plugin", *words).returncode, words)
        self.assertEqual(201, ada.post("/api/core/keys", {"key": pathlib.Path(f"{key}.pub").read_text(), "name": "key"}).status)
        installed = ada.post("/api/core/plugins", package.read_bytes(), headers={"Content-Type": "application/octet-stream"})
        self.assertEqual(200, installed.status, installed)
        self.assertEqual(0, self.server.stop(signal.SIGTERM))
        open_to_others = [str(path) for path in self.server.data.rglob("*") if not path.is_symlink() and path.stat().st_mode & 0o022]
        self.assertEqual([], open_to_others)


if __name__ == "__main__":
    unittest.main()
