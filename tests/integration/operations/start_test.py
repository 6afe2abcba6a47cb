"""The command line and the life of the process, as docs fix it: ready, set-up link, probes, refusals, a clean end."""

import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import unittest

from tenon import BINARY, BOTH_IN_FULL, SANITIZED, Client, Server, TenonTest, tenon


class AFreshServer(TenonTest):
    engines = BOTH_IN_FULL
    with_admin = False

    def test_is_live_and_ready_without_signing_in(self):
        for path in ("/healthz", "/readyz"):
            self.assertEqual(200, self.client().get(path).status)

    def test_exports_metrics_for_prometheus(self):
        response = self.client().get("/metrics")
        self.assertEqual(200, response.status)
        self.assertTrue(response.headers["content-type"].startswith("text/plain"))
        self.assertIn(b"# TYPE tenon_", response.body)

    def test_prints_a_setup_link_with_an_unguessable_token(self):
        self.assertRegex(self.server.setup_link_token(), r"^[A-Za-z0-9_-]{32,}$")

    def test_listens_on_the_free_port_it_printed(self):
        self.assertRegex(self.server.url, r"^http://127\.0\.0\.1:\d+$")
        self.assertNotEqual(0, self.server.port)


class TheProcess(unittest.TestCase):
    engines = BOTH_IN_FULL

    def server(self, *arguments, **options):
        server = Server(*arguments, **options)
        self.addCleanup(server.close)
        return server

    def test_ends_cleanly_on_sigterm_and_sigint(self):
        for stop in (signal.SIGTERM, signal.SIGINT):
            self.assertEqual(0, self.server().start().stop(by=stop))

    def test_prints_no_setup_link_once_a_user_exists(self):
        server = self.server().start()
        token = server.setup_link_token()
        body = {"token": token, "login": "ada", "name": "Ada", "password": "correct horse battery"}
        self.assertEqual(201, Client(server).post("/api/core/setup", body).status)
        server.restart()
        server.stop()
        printed = []
        while (line := server.lines.get(timeout=60)) is not None:
            printed.append(line)
        self.assertEqual([], [line for line in printed if line.startswith("setup ")])

    def test_replaces_setup_link_after_restart(self):
        server = self.server().start()
        old = server.setup_link_token()
        server.restart()
        server.setup_token = None
        new = server.setup_link_token()
        self.assertNotEqual(old, new)
        body = {"token": old, "login": "ada", "name": "Ada", "password": "correct horse battery"}
        self.assertEqual(403, Client(server).post("/api/core/setup", body).status)

    def test_names_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken, tempfile.TemporaryDirectory() as data:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            done = tenon("serve", "--data", data, "--listen", address)
            self.assertEqual(1, done.returncode, done)
            self.assertIn(address, done.stderr)

    def test_rejects_second_server_on_data_folder(self):
        server = self.server().start()
        done = tenon("serve", "--data", server.data, "--listen", "127.0.0.1:0")
        self.assertEqual(1, done.returncode, done)
        self.assertIn(str(server.data), done.stderr)

    def test_names_unknown_flag_in_usage_error(self):
        done = tenon("serve", "--no-such-flag")
        self.assertEqual(2, done.returncode, done)
        self.assertIn("no-such-flag", done.stderr)

    def test_names_unknown_subcommand_in_usage_error(self):
        done = tenon("frobnicate")
        self.assertEqual(2, done.returncode, done)
        self.assertIn("frobnicate", done.stderr)

    def test_names_unknown_key_of_environment(self):
        with tempfile.TemporaryDirectory() as data:
            done = tenon("serve", "--data", data, "--listen", "127.0.0.1:0", environment={"TENON_NO_SUCH_KEY": "1"})
            self.assertNotEqual(0, done.returncode, done)
            self.assertIn("TENON_NO_SUCH_KEY", done.stderr)

    def test_names_unknown_key_of_file(self):
        with tempfile.TemporaryDirectory() as data:
            pathlib.Path(data, "tenon.conf").write_text("no_such_key = 1\n")
            done = tenon("serve", "--data", data, "--listen", "127.0.0.1:0")
            self.assertNotEqual(0, done.returncode, done)
            self.assertIn("no_such_key", done.stderr)

    @unittest.skipIf(SANITIZED, "sanitizers open files of their own")
    def test_starts_from_any_folder(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            before = os.getcwd()
            self.addCleanup(os.chdir, before)
            os.chdir(elsewhere)
            self.server().start()
            self.assertEqual([], os.listdir(elsewhere))

    def test_links_neither_tls_nor_postgresql(self):
        # They are opened when a configuration asks for them: decision 0081.
        linked = subprocess.run([BINARY], env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True, check=True).stdout
        self.assertIn("libc.so.6", linked)
        self.assertNotRegex(linked, r"libssl|libcrypto|NetSSL|libpq")

    def test_prints_version_on_one_line(self):
        done = tenon("version")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertRegex(done.stdout, r"^tenon \d+\.\d+\.\d+.*\n$")
