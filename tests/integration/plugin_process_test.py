"""What a plugin does to the process of the host: no fault of it ends the service, and scripts are not lied to."""

import contextlib
import os
import pathlib
import signal
import threading
import unittest

from supervisor_test import BAD, GOOD, ZOO, SupervisorTest
from tenon import PASSWORD, children_of, eventually, tenon


class PluginProcess(SupervisorTest):
    def test_what_a_plugin_forked_holds_nothing_up(self):
        """fault: a plugin forks and then aborts | what it forked is ended, another host serves | the log: the signal"""
        ada = self.start()
        old = self.host()
        self.order("handler fork")
        with contextlib.suppress(ConnectionError):
            self.ask(f"/api/{BAD}/ok")
        eventually(lambda: self.host() != old)
        self.order("nothing")
        self.assert_others_serve(ada)
        self.assertEqual(1, len(children_of(self.server.process.pid)))

    def test_no_daemon_of_a_plugin_outlives_the_host(self):
        """fault: a plugin forks a daemon, in a session of its own, and then aborts
        | the daemon is ended, another host serves
        | the log: the signal"""
        ada = self.start()
        old = self.host()
        self.order("handler daemon")
        with contextlib.suppress(ConnectionError):
            self.ask(f"/api/{BAD}/ok")
        self.order("nothing")
        eventually(lambda: self.host() != old)
        self.assert_others_serve(ada)
        self.assertEqual(1, len(children_of(self.server.process.pid)))

    def test_a_signal_that_the_supervisor_did_not_send_restarts_the_host(self):
        """fault: a plugin sends SIGTERM to its own process
        | the host ends cleanly, another one serves
        | the log: that a plugin sent it, and the restart"""
        ada = self.start()
        old = self.host()
        self.order("handler term")
        with contextlib.suppress(ConnectionError):
            self.ask(f"/api/{BAD}/ok")
        self.order("nothing")
        eventually(lambda: self.host() != old)
        self.assert_others_serve(ada)
        self.assert_logged("a plugin sent the signal to stop to its own process")
        self.assertIn("exit code 0", self.assert_logged("the host went down and was started again"))
        # From another process, too.
        old = self.host()
        os.kill(old, signal.SIGTERM)
        eventually(lambda: self.host() != old)
        self.assert_others_serve(ada)
        self.assertEqual(0, self.server.stop(signal.SIGTERM))

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

    def test_a_library_whose_constructors_do_not_return_is_kept_out(self):
        """fault: a constructor of a plugin's library never returns
        | the server is ready within seconds without it, the others are active
        | quarantined, with the step that it hung in; the log"""
        self.order("library sleep")
        ada = self.start()
        self.assert_quarantined(ada, "in the constructors of its library")
        self.assert_logged("the library of the plugin \"goes-down\" did not load within")
        self.assert_others_serve(ada)

    def test_a_start_that_does_not_return_is_tried_once_more_after_the_start(self):
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

    def test_restarts_a_host_that_accepts_no_connections(self):
        """fault: a plugin closes the descriptors of the host, or the listening socket, or stops the process
        | another host serves within seconds
        | the log names the cause and who was running"""
        ada = self.start()
        for how in ("close", "close_listening", "stop") if os.environ.get("DEV_FULL") else ("close",):
            with self.subTest(how):
                old = self.host()
                self.order(f"handler {how}")
                lost = threading.Thread(target=self.ask_in_vain, args=(f"/api/{BAD}/ok",))
                lost.start()
                eventually(lambda: self.host() != old, 30)
                self.order("nothing")
                lost.join()
                self.assertEqual("active", self.item(self.client("ada"), GOOD)["state"])
                self.assertEqual(b"ok", self.ask(f"/api/{GOOD}/ok").body)
                self.assertIn("did not answer for 5 s", self.assert_logged("the host went down and was started again"))
        self.assertIsNotNone(ada)

    def test_limits_that_a_plugin_lowers_are_raised_again(self):
        """fault: a plugin lowers RLIMIT_NOFILE and RLIMIT_FSIZE of the host | raised again within seconds | standard error names them"""
        ada = self.start()
        old = self.host()
        for how, name in (("no_files", "RLIMIT_NOFILE"), ("no_bytes", "RLIMIT_FSIZE")):
            with self.subTest(how):
                self.order(f"handler {how}")
                self.assertEqual(b"ok", self.ask(f"/api/{BAD}/ok").body)
                self.order("nothing")
                eventually(lambda name=name: f"{name} of the host were lowered" in self.server.log(), 30)
                self.assertEqual(201, ada.post("/api/core/users", {
                    "login": how.replace("_", "-"), "name": how, "role": "member", "password": PASSWORD}).status)
        self.assertEqual(old, self.host())

    def test_serves_other_connections_while_an_inline_route_hangs(self):
        """fault: an inline route loops or never returns, on as many requests as there are I/O threads
        | another thread serves the other connections; the route runs on workers from then on
        | the log names the plugin, the route and the request"""
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
                # On connections that are open and on ones that are new.
                for _ in range(20):
                    self.assert_others_serve(ada)
                self.order("nothing")
                self.assertEqual(b"ok", self.ask(f"/api/{BAD}/inline").body)
                self.kill_host()
                for thread in asked:
                    thread.join()

    def ask_in_vain(self, path):
        with contextlib.suppress(ConnectionError):
            self.ask(path)

    def test_what_the_host_makes_is_private_whatever_the_umask(self):
        """fault: a plugin sets the umask to 0 | folders have the mode 0700, files 0600 | nothing"""
        self.order("library umask")
        ada = self.start()
        key, package = self.orders.parent / "key", self.orders.parent / "grows.tenon"
        for words in (("keygen", key, "--no-password"), ("pack", ZOO / "grows/grows", "--output", package),
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
