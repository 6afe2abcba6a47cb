"""The host crashes and comes back: connections wait, acknowledged writes are there, and the plugin that crashed it stays out."""

import concurrent.futures
import contextlib
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import tempfile
import threading
import time
import unittest

from bad_clients import BadClients
from supervisor_case import BAD, GOOD, ZOO, SupervisorTest, first_address, status_of
from tenon import BINARY, BOTH_IN_FULL, PASSWORD, SANITIZED, Server, children_of, eventually, rests, tenon


def is_alive(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def children_of_threads(pid):
    """Returns the processes that any thread of a process forked."""
    return [int(child) for file in pathlib.Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()]


def bits(*signals):
    return sum(1 << (one - 1) for one in signals)


def command_line(pid):
    return pathlib.Path(f"/proc/{pid}/cmdline").read_text().rstrip("\0").split("\0")


def code_in_memory(pid):
    """Which part of what a process has of its program and libraries, and cannot write to, is in memory: 0 to 1."""
    size, total, counts = 0, 0, False
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if mapping := re.match(r"[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \S+\s*(.*)", line):
            counts = mapping[2].startswith("/") and "w" not in mapping[1]
        elif counts and line.startswith("Rss:"):
            total += int(line.split()[1])
        elif counts and line.startswith("Size:"):
            size += int(line.split()[1])
    return total / size


def open_files(pid):
    """(descriptor, what it is) of a process; not those that it closed meanwhile."""
    found = []
    for file in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append((int(file.name), os.readlink(file)))
    return found


def flags_of(pid, descriptor):
    return int(re.search(r"^flags:\s+(\d+)", pathlib.Path(f"/proc/{pid}/fdinfo/{descriptor}").read_text(), re.MULTILINE)[1], 8)


class Survives(SupervisorTest):
    engines = BOTH_IN_FULL

    def test_kill_9_of_host_breaks_only_its_connections(self):
        """fault: kill -9 of the host
        | new connections wait, another host serves them; what was acknowledged is there
        | the log: the signal; `tenon_host_restarts_total`"""
        ada = self.start()
        port, first = self.server.port, self.host()
        self.assertEqual(201, ada.post("/api/core/users", {"login": "ben", "name": "Ben", "role": "member", "password": PASSWORD}).status)
        second = self.kill_host()
        self.assertNotEqual(first, second)
        self.assertEqual(port, self.server.port)
        self.assertEqual(["ada", "ben"], sorted(user["login"] for user in ada.get("/api/core/users").json()["items"]))
        self.assertEqual("ada", ada.get("/api/core/session").json()["user"]["login"])
        self.assert_others_serve(ada)
        self.assertEqual("active", self.item(ada)["state"])
        self.assertEqual([], self.printed())
        self.assertIn("signal 9 (SIGKILL)", self.assert_logged("the host went down and was started again"))
        self.assertIn("tenon_host_restarts_total 1", self.ask("/metrics").body.decode())

    def test_holds_connections_while_there_is_no_host(self):
        self.start()
        # The supervisor cannot start another meanwhile.
        os.kill(self.server.process.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.server.process.pid, signal.SIGCONT)
        old = self.host()
        os.kill(old, signal.SIGKILL)
        eventually(lambda: not is_alive(old))
        with BadClients(self.server, 50) as bad_clients:
            bad_clients.send(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            self.assertEqual(0, bad_clients.responded())
            os.kill(self.server.process.pid, signal.SIGCONT)
            self.assertEqual({b"HTTP/1.1 200"}, {response[:12] for response in bad_clients.read_all()})

    def test_keeps_set_up_link_valid(self):
        self.with_admin = False
        self.server.start()
        token = self.server.setup_link_token()
        # The supervisor learns of it after the lines are printed: if the host crashes in between, they are printed again.
        eventually(lambda: rests(self.host()) and rests(self.server.process.pid))
        self.kill_host()
        response = self.client().post("/api/core/setup", {"token": token, "login": "ada", "name": "Ada", "password": PASSWORD})
        self.assertEqual(201, response.status, response)
        self.assertEqual([], self.printed())


class Ends(SupervisorTest):
    def test_exits_with_code_0_on_sigterm(self):
        for by in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(by):
                self.server.start()
                host = self.host()
                self.assertEqual(0, self.server.stop(by))
                self.assertFalse(is_alive(host))
                self.assertFalse((self.server.data / "run/loading").exists())
                with self.assertRaises(ConnectionRefusedError):
                    socket.create_connection((self.server.host, self.server.port))

    def test_treats_signals_to_both_as_one(self):
        # As a service manager sends them to a group, and `timeout` twice.
        self.server.start()
        for process in (self.host(), self.server.process.pid, self.server.process.pid):
            os.kill(process, signal.SIGTERM)
        self.assertEqual(0, self.server.process.wait(60))

    def test_exits_at_once_on_second_signal(self):
        self.server.start()
        sleeping = self.client()
        thread = threading.Thread(target=self.sleep, args=(sleeping,), daemon=True)
        thread.start()
        eventually(lambda: self.ask(f"/api/{GOOD}/sleeping").json()["sleeping"] == 1)
        sent = 0
        while self.server.process.poll() is None:
            os.kill(self.server.process.pid, signal.SIGTERM)
            sent += 1
            time.sleep(0.05)
        self.assertEqual(128 + signal.SIGKILL, self.server.process.wait(60))
        # The first signal lets requests end; signals right after it count as one with it.
        self.assertGreater(sent, 1)

    @staticmethod
    def sleep(client):
        with contextlib.suppress(OSError, http.client.HTTPException):
            client.get(f"/api/{GOOD}/sleep?on=true")

    def test_ends_host_and_forked_children_with_supervisor(self):
        self.order("handler fork_only")
        self.start()
        host = self.host()
        self.assertEqual(b"ok", self.ask(f"/api/{BAD}/ok").body)
        forked = children_of_threads(host)
        self.assertEqual(1, len(forked))
        self.server.kill()
        eventually(lambda: not is_alive(host) and not is_alive(forked[0]))
        self.order("nothing")
        self.server.start()
        self.assertEqual(200, self.ask("/healthz").status)

    def test_returns_exit_code_of_refusal_without_retry(self):
        self.server.start()
        done = tenon("serve", "--data", self.server.data, "--listen", "127.0.0.1:0")
        self.assertEqual(1, done.returncode, done)
        self.assertEqual(1, done.stderr.count(str(self.server.data)), done.stderr)
        for arguments, code in ((("--no-such-flag",), 2), (("--listen", f"127.0.0.1:{self.server.port}"), 1)):
            with tempfile.TemporaryDirectory() as data:
                self.assertEqual(code, tenon("serve", "--data", data, *arguments).returncode)

    def test_names_flag_in_help(self):
        self.assertIn("--no-supervisor", tenon("serve", "--help").stdout)


class Forks(SupervisorTest):
    """A host is a copy of the supervisor, which renews its own program after that."""

    @unittest.skipIf(SANITIZED, "a sanitizer starts itself at fixed addresses")
    def test_forks_hosts_with_own_addresses_without_exec(self):
        self.start()
        seen = [first_address(self.host())]
        for _ in range(2):
            prepared = self.renewed()
            self.kill_host()
            # Those that the supervisor had before the host ended: it is its copy.
            self.assertEqual(prepared, first_address(self.host()))
            seen.append(prepared)
        self.assertEqual(3, len(set(seen)), seen)

    @unittest.skipIf(SANITIZED, "a sanitizer has threads of its own")
    def test_uses_one_thread_and_few_descriptors(self):
        self.start()
        for _ in range(2):
            self.assertEqual("1", status_of(self.supervisor())["Threads"])
            # Six: stdin, stdout, stderr, the socket, the messages, and the program of the host. It opens files about itself for a moment.
            eventually(lambda: len(os.listdir(f"/proc/{self.supervisor()}/fd")) == 6)
            self.renewed()

    @unittest.skipIf(SANITIZED, "a sanitizer starts itself at fixed addresses")
    def test_renews_program_only_after_host_is_ready(self):
        self.order("start stop")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            started = pool.submit(self.start)
            eventually(lambda: self.server.process)
            host = self.host()
            eventually(lambda: status_of(host)["State"].startswith("T"))

            def looks():
                return int(status_of(self.supervisor())["voluntary_ctxt_switches"])
            try:
                program, before = first_address(self.supervisor()), looks()
                eventually(lambda: looks() >= before + 2)
                self.assertEqual(program, first_address(self.supervisor()))
            finally:
                os.kill(host, signal.SIGCONT)
            started.result()
        self.renewed()

    @unittest.skipIf(SANITIZED, "a sanitizer starts itself at fixed addresses")
    def test_releases_program_memory_when_idle(self):
        self.server.start()  # without an admin: a request loads code again
        self.renewed()
        for process in (self.supervisor(), self.host()):
            # Without giving pages back both have 0.55 or more, with it less than 0.1.
            eventually(lambda: code_in_memory(process) < 0.25)

    def test_closes_descriptors_on_exec(self):
        self.start()
        self.kill_host()
        if not SANITIZED:
            self.renewed()
        for process in (self.supervisor(), self.host()):
            for number, link in open_files(process):
                with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                    flags = flags_of(process, number)
                    self.assertTrue(number <= 2 or flags & os.O_CLOEXEC, f"{process}: {number} {link}")
        messages = [link for number, link in open_files(self.supervisor()) if number > 2 and link.startswith("pipe:")]
        self.assertEqual(1, len(messages))
        ends = [number for number, link in open_files(self.host()) if link == messages[0]]
        self.assertEqual([os.O_WRONLY], [flags_of(self.host(), number) & os.O_ACCMODE for number in ends])

    def test_shows_roles_in_ps(self):
        self.start()
        expected = self.server.arguments
        for _ in range(2):
            self.assertEqual(expected, command_line(self.supervisor()))
            self.assertEqual([expected[0], "host", *expected[2:]], command_line(self.host()))
            for process in (self.supervisor(), self.host()):
                # A supervisor that renews itself is called "exe" for a moment.
                eventually(lambda: status_of(process)["Name"] == "tenon")
            if not SANITIZED:
                self.renewed()
            self.kill_host()

    def test_sets_same_signals_as_unsupervised_host(self):
        self.start()
        alone = self.make(False)
        alone.start()
        expected, forked = status_of(alone.process.pid), status_of(self.host())
        # The first thread waits for them; the system shows them as blocked only while it does not yet.
        awaited = bits(signal.SIGINT, signal.SIGTERM)
        self.assertEqual(int(expected["SigBlk"], 16) | awaited, int(forked["SigBlk"], 16) | awaited)
        self.assertEqual(expected["SigCgt"], forked["SigCgt"])
        self.assertEqual(int(expected["SigIgn"], 16) | bits(signal.SIGTTOU), int(forked["SigIgn"], 16))

    def test_does_not_start_replaced_program_file(self):
        with tempfile.TemporaryDirectory(prefix="tenon-program-") as folder:
            program = pathlib.Path(folder, "tenon")
            shutil.copy2(BINARY, program)
            self.server.arguments[0] = str(program)
            self.start()
            other = pathlib.Path(folder, "other")
            other.write_text("#!/bin/false\n")
            other.chmod(0o755)
            other.rename(program)
            for _ in range(2):
                if not SANITIZED:
                    self.renewed()
                self.kill_host()
                for process in (self.supervisor(), self.host()):
                    self.assertEqual(f"{program} (deleted)", os.readlink(f"/proc/{process}/exe"))
            self.assertIn("tenon_host_restarts_total 2", self.ask("/metrics").body.decode())

    def test_keeps_host_running_with_broken_configuration(self):
        self.start()
        pathlib.Path(self.server.data, "tenon.conf").write_text("no_such_key = 1\n")
        if not SANITIZED:
            self.renewed()
        self.assertEqual(200, self.ask("/healthz").status)


class Quarantine(SupervisorTest):
    engines = BOTH_IN_FULL

    def enable_again(self, ada):
        self.assertEqual(200, ada.post(f"/api/core/plugins/{BAD}/disable").status)
        self.assertEqual(200, ada.post(f"/api/core/plugins/{BAD}/enable").status)

    def test_quarantines_plugin_that_crashes_while_loading(self):
        """fault: a plugin aborts whenever it is loaded or started
        | quarantined over restarts until an admin enables it
        | state and reason `plugins.crashed`: what it did, the signal"""
        for where, words in (("library", "while the library of this plugin was loaded"), ("create", "while this plugin was started"),
                             ("start", "while this plugin was started")):
            with self.subTest(where):
                ada = self.start() if self.server.process is None else self.client("ada")
                self.order(f"{where} abort")
                self.kill_host()
                ada = self.client("ada")
                self.assert_quarantined(ada, words, "signal 6 (SIGABRT)")
                self.assert_others_serve(ada)
                self.assert_logged("plugin quarantined")
                # Over another crash, too, and until it is enabled.
                self.kill_host()
                self.assert_quarantined(ada, words)
                self.order("nothing")
                response = ada.post(f"/api/core/plugins/{BAD}/enable")
                self.assertEqual((200, "active", None), (response.status, response.json()["state"], response.json()["reason"]), response)
                self.assertEqual(b"ok", self.ask(f"/api/{BAD}/ok").body)
                self.server.restart()

    def test_quarantines_at_first_start_and_prints_ready_once(self):
        self.order("library abort")
        ada = self.start()
        self.assert_quarantined(ada, "signal 6 (SIGABRT)")
        self.assertEqual([], self.printed())

    def test_quarantines_plugin_that_exits_while_loading(self):
        for how, code in (("exit", 0), ("_exit", 1)):
            with self.subTest(how):
                self.order(f"create {how}")
                ada = self.start() if self.server.process is None else self.server.start() and self.client("ada")
                self.assert_quarantined(ada, f"exit code {code}")
                self.order("nothing")
                self.assertEqual(200, ada.post(f"/api/core/plugins/{BAD}/enable").status)
                self.server.stop()

    def test_quarantines_plugin_that_crashes_when_enabled(self):
        ada = self.start()
        self.assertEqual(200, ada.post(f"/api/core/plugins/{BAD}/disable").status)
        self.order("start abort")
        with contextlib.suppress(ConnectionError):
            self.client("ada").post(f"/api/core/plugins/{BAD}/enable")
        self.ask("/healthz")
        self.assert_quarantined(ada, "while this plugin was started", "signal 6 (SIGABRT)")

    def test_quarantines_plugin_that_crashes_in_first_minute(self):
        ada = self.start()
        self.enable_again(ada)
        self.order("handler abort")
        with contextlib.suppress(ConnectionError):
            self.ask(f"/api/{BAD}/ok")
        self.ask("/healthz")
        self.assert_quarantined(ada, "within a minute after this plugin was enabled", "signal 6 (SIGABRT)")
        self.assert_others_serve(ada)

    @unittest.skipIf(SANITIZED, "a sanitizer ends a host by itself, and does not see what a plugin frees twice")
    def test_quarantines_for_each_fault_that_kills(self):
        """fault: a handler overruns its stack, frees memory twice or writes through a null pointer, in the first minute of its plugin
        | another host serves at once; the plugin is quarantined until an admin enables it; others serve
        | state and reason `plugins.crashed` with the signal, in the list, `/readyz` and `/metrics`"""
        ada = self.start()
        for how, ending in (("stack", "signal 11 (SIGSEGV)"), ("free", "signal 6 (SIGABRT)"), ("null", "signal 11 (SIGSEGV)")):
            with self.subTest(how):
                self.enable_again(ada)
                self.order(f"handler {how}")
                with contextlib.suppress(ConnectionError):
                    self.ask(f"/api/{BAD}/ok")
                self.ask("/healthz")
                self.order("nothing")
                self.assert_quarantined(ada, "within a minute after this plugin was enabled", ending)
                self.assert_last_crash(ada, ending)
                self.assert_others_serve(ada)

    def assert_last_crash(self, ada, ending):
        """The crash report of the plugin names the call and, once addr2line has run, the function that it came from."""
        crash = self.item(ada)["last_crash"]
        self.assertEqual(crash["by"], ending)
        self.assertIn("the handler of a request", crash["operation"])
        self.assertIn("/ok", crash["operation"])
        self.assertTrue(crash["request"] and crash["request"] in crash["operation"], crash)
        if shutil.which("addr2line"):
            eventually(lambda: any(f"{BAD}: " in frame for frame in self.item(ada)["last_crash"]["trace"]))
        shown = tenon("plugin", "show", BAD, "--data", self.server.data).stdout
        self.assertIn("last crash", shown)
        self.assertIn(ending, shown)

    def test_quarantines_after_second_kill_9_from_outside(self):
        """fault: the host is killed from outside while a plugin is on probation
        | loaded once more; quarantined at the second time
        | the log: it is watched; then `plugins.crashed`: twice in a row"""
        ada = self.start()
        self.enable_again(ada)
        self.kill_host()
        self.assertEqual("active", self.item(ada)["state"])
        self.assert_logged("the server ended while a plugin had not proved itself")
        self.kill_host()
        self.assert_quarantined(ada, "twice in a row", "signal 9 (SIGKILL)")
        # Each crash had a suspect, so this is no reason for safe mode.
        self.kill_host()
        self.assert_others_serve(ada)

    def test_lifts_quarantine_offline(self):
        self.order("library abort")
        self.start()
        self.server.stop()
        data = self.server.data
        options = ("--data", data, "--plugins", ZOO / "crashes_at_stage", "--plugins", ZOO / "sleeps_in_handlers")
        listed = tenon("plugin", "list", *options)
        self.assertRegex(listed.stdout, rf"{BAD} +\S+ +quarantined .*\n +plugins.crashed: ")
        doctor = tenon("doctor", *options)
        self.assertIn("plugins.crashed", doctor.stdout)
        self.assertEqual(0, tenon("plugin", "enable", BAD, *options).returncode)
        self.order("nothing")
        self.server.start()
        self.assertEqual("active", self.item(self.client("ada"))["state"])


class Alone(SupervisorTest):
    """Without a supervisor no process sees the signal."""

    supervised = False

    def test_quarantines_at_third_start_after_two_crashes(self):
        self.start()
        self.server.stop()
        self.order("create abort")
        for _ in range(2):
            with self.assertRaises(AssertionError):
                self.server.start()
        self.server.start()
        ada = self.client("ada")
        self.assert_quarantined(ada, "while this plugin was started", "cause unknown", "twice in a row")
        self.assert_others_serve(ada)


class CrashLoop(SupervisorTest):
    def test_enters_safe_mode_after_three_unexplained_crashes(self):
        """fault: three crashes within a minute without a suspect
        | safe mode: the server without plugins, the console reachable
        | `plugins.safe_mode` in the list, `/readyz` and the log"""
        ada = self.start()
        for _ in range(2):
            self.kill_host()
            self.assert_others_serve(ada)
            if not SANITIZED:
                self.renewed()  # what it counts lasts longer than its program
        self.kill_host()
        for plugin in (BAD, GOOD):
            item = self.item(ada, plugin)
            self.assertEqual(("quarantined", "plugins.safe_mode"), (item["state"], item["reason"]["code"]), item)
        eventually(lambda: "core plugins.safe_mode" in self.ask("/readyz").body.decode())
        self.assert_logged("safe mode")
        # One after the other, with an eye on each.
        self.assertEqual("active", ada.post(f"/api/core/plugins/{GOOD}/enable").json()["state"])
        self.assertEqual(b"ok", self.ask(f"/api/{GOOD}/ok").body)
        os.kill(self.server.process.pid, signal.SIGTERM)
        self.assertEqual(0, self.server.process.wait(60))
        self.server.start()
        self.assert_others_serve(self.client("ada"))
        self.assertNotIn("degraded", self.ask("/readyz").body.decode())

    def test_gives_up_when_nothing_helps(self):
        """fault: a host that goes down again and again
        | the supervisor ends with code 1 at the eighth time
        | the log: how often, and the last signal"""
        # Without plugins: one that is being loaded when the host is killed is to blame, and that end does not count.
        nothing = tempfile.mkdtemp(prefix="tenon-no-plugins-")
        self.addCleanup(shutil.rmtree, nothing)
        self.server = Server(supervised=True, plugins=nothing)
        self.addCleanup(self.server.close)
        self.server.start()
        process, killed = self.server.process, set()
        while process.poll() is None:
            for child in children_of(process.pid) if process.poll() is None else ():
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                    # A sanitizer has a child of its own at the end, which it waits for.
                    if command_line(child)[1:2] != ["host"]:
                        continue
                    os.kill(child, signal.SIGKILL)
                    eventually(lambda: not is_alive(child))
                    killed.add(child)  # it may be there still, and be killed in vain
            time.sleep(0.01)
        self.assertEqual(1, process.returncode)
        self.assertEqual(8, len(killed))
        self.assertIn("8 times in a row, at last by signal 9 (SIGKILL)", self.server.log())
