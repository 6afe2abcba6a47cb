"""A plugin that brings the host down is named, whatever it does and wherever; it alone is kept out, by a policy that admins can rely on."""

import contextlib
import signal
import threading
import time
import unittest

from supervisor_test import BAD, GOOD, SupervisorTest
from tenon import SANITIZED, core_rows, eventually

SEGV, ABRT = "signal 11 (SIGSEGV)", "signal 6 (SIGABRT)"
# What a handler does, and how the host ends by it.
FAULTS = {
    "null": SEGV, "abort": ABRT, "stack": SEGV, "free": ABRT, "heap": ABRT, "smash": ABRT, "ud2": "signal 4 (SIGILL)",
    "fpe": "signal 8 (SIGFPE)", "bus": "signal 7 (SIGBUS)", "terminate": ABRT, "raise": SEGV, "exit": "exit code 0", "_exit": "exit code 1",
    "quick_exit": "exit code 3", "raw_exit": "exit code 4", "own_handler": "exit code 7"}


class CrashTest(SupervisorTest):
    def ask_and_lose(self, path=f"/api/{BAD}/ok"):
        """A request that the host does not answer, and the next host."""
        old = self.host()
        with contextlib.suppress(ConnectionError):
            self.ask(path)
        return eventually(lambda: self.host() != old)

@unittest.skipIf(SANITIZED, "a sanitizer ends a host by itself")
class Named(CrashTest):
    def test_whatever_a_handler_does(self):
        """fault: a handler ends the host: by a fault, an exit, or a system call
        | another host serves at once; the plugin is quarantined when it is in the first minute; others serve
        | the log and state `plugins.crashed` name the plugin, the call and the end"""
        ada = self.start()
        for how, death in FAULTS.items():
            with self.subTest(how):
                self.order(f"handler {how}")
                self.ask_and_lose()
                self.order("nothing")
                self.assert_quarantined(ada, "in the handler of a request", death)
                self.assert_others_serve(ada)
                told = [line for line in self.server.log().splitlines() if "the host went down and was started again" in line][-1]
                self.assertIn(f"plugin={BAD}", told)
                self.assertIn(death, told)
                if how not in ("raw_exit", "own_handler"):
                    self.assertIn("GET /api/goes-down/ok", told)
                self.assertEqual(200, ada.post(f"/api/core/plugins/{BAD}/enable").status)
                self.forget_crashes()

    def test_a_thread_that_it_began(self):
        """fault: a thread that a plugin began in start ends the host | quarantined at once | the log names the plugin and its thread"""
        ada = self.start()
        for where, how, death in (("thread", "abort", ABRT), ("thread", "stack", SEGV), ("pthread", "null", SEGV)):
            with self.subTest(where=where, how=how):
                self.assertEqual(200, ada.post(f"/api/core/plugins/{BAD}/disable").status)
                old = self.host()
                self.order(f"{where} {how}")
                ada.close()  # a client sends a request again whose kept connection was closed
                with contextlib.suppress(ConnectionError):
                    ada.post(f"/api/core/plugins/{BAD}/enable")
                eventually(lambda: self.host() != old)
                self.order("nothing")
                ada = self.client("ada")
                self.assert_quarantined(ada, death, "in a thread of its own")
                self.assert_others_serve(ada)
                self.assertEqual(200, ada.post(f"/api/core/plugins/{BAD}/enable").status)
                self.forget_crashes()

    def test_a_job_that_ends_the_host_twice_fails_and_its_plugin_goes_on(self):
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
        self.assert_logged("a job brought the server down twice and is not run again")

    def test_of_several_that_may_be_to_blame_none_is_kept_out_at_once(self):
        """fault: the host ends without a word while calls of two plugins run
        | another host serves with both; at the third time both are quarantined, without safe mode
        | the log names both"""
        ada = self.start()
        for times in (1, 2, 3):
            sleeper = threading.Thread(target=self.ask_in_vain, args=(f"/api/{GOOD}/sleep?on=true",))
            sleeper.start()
            eventually(lambda: self.ask(f"/api/{GOOD}/sleeping").json()["sleeping"] > 0)
            self.order("handler raw_exit")
            self.ask_and_lose()
            self.order("nothing")
            sleeper.join()
            self.ask("/healthz")
            line = [line for line in self.server.log().splitlines() if "the host went down" in line][-1]
            for plugin in (BAD, GOOD):
                self.assertIn(plugin, line.partition("beside=")[2])
            states = {plugin: self.item(ada, plugin)["state"] for plugin in (BAD, GOOD)}
            self.assertEqual({"quarantined" if times == 3 else "active"}, set(states.values()), states)
        self.assertIn("other plugins may be to blame", self.item(ada, GOOD)["reason"]["message"])

    def test_a_handler_that_does_not_return_holds_no_stop_up(self):
        """fault: a handler loops or sleeps for ever, then SIGTERM
        | the server ends with code 0 some seconds behind `shutdown.deadline`
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
                told = self.assert_logged("a call of a plugin did not return and is left behind")
                self.assertIn(f'plugin={BAD} in="the handler of a request (GET /api/{BAD}/ok, request', told)

    def ask_in_vain(self, path):
        with contextlib.suppress(ConnectionError):
            self.ask(path)

    def forget_crashes(self):
        """Whoever counts begins anew."""
        core_rows(self.server, "DELETE FROM plugins_crashes")


if __name__ == "__main__":
    unittest.main()
