"""Packages and versions with each fault of the zoo: the server and the previous version continue to run."""

import contextlib
import http.client
import pathlib
import threading
import unittest

import bad_versions as bad
from bad_versions import ID
from faults_case import tenon
from sampling import FULL, chance, repeat
from versions_case import VersionsTest


class BadVersions(VersionsTest):
    """A server with its supervisor, notes, and a version without faults, for each test."""

    def setUp(self):
        super().setUp()
        self.serve(supervised=True)
        self.assertEqual(201, self.ada.post("/api/notes/notes", {"title": "A note of another plugin", "text": ""}).status)

    def plugin(self):
        return self.ada.get(f"/api/core/plugins/{ID}").json()

    def assert_serves(self, version, previous=""):
        """Checks that this version serves all acknowledged rows, and that the other plugins serve."""
        plugin = self.plugin()
        self.assertEqual((version, "active", None, previous),
                         (plugin["version"], plugin["state"], plugin["reason"], plugin["previous"]), plugin)
        self.assert_kept()
        self.keep(version)
        self.assert_others_serve()

    def assert_others_serve(self):
        [note] = self.ada.get("/api/notes/notes").json()["items"]
        self.assertEqual("A note of another plugin", note["title"])
        self.assertEqual(200, self.ada.get("/readyz").status)

    def assert_quarantined(self, version):
        plugin = self.plugin()
        self.assertEqual((version, "quarantined", "plugins.crashed"), (plugin["version"], plugin["state"], plugin["reason"]["code"]))
        response = self.ada.get(f"/api/{ID}/version")
        self.assertEqual((503, "plugins.quarantined"), (response.status, response.json()["code"]), response)

    def start_again(self):
        self.server.stop()
        self.server.start()
        self.ada.close()

    def assert_nothing_left(self, *versions):
        """Checks that only the folders of these versions remain."""
        left = {path.name.split("-")[0] for path in (self.server.data / "plugins").glob("*/*") if path.name != "snapshots"}
        self.assertEqual(set(versions), left)

    def assert_refused(self, response, status, code):
        self.assertEqual((status, code), (response.status, response.json()["code"]), response)
        self.logged("a package was refused", f"code={code}", "by=")
        return response.json()["detail"]

    def logged(self, *words):
        found = tenon.eventually(lambda: [line for line in self.server.log(None).splitlines() if all(word in line for word in words)])
        return found[-1]

    def assert_takes_the_host_down(self, package):
        """Checks that the request is lost with the host, and that another host serves."""
        self.ada.close()
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.send(package)
        self.ada.close()
        self.assertEqual(200, self.ada.get("/healthz").status)

    def check_crash(self, behavior, *words):
        version = f"1.1.{behavior}"
        self.install("1.0.0")
        self.assert_takes_the_host_down(self.packages.package(version))
        self.assert_serves("1.0.0")
        self.logged("a version of a plugin crashed the server", f"version={version}", "stays=1.0.0", *words)
        self.assert_nothing_left("1.0.0")
        # Only that version is faulty: another one is accepted.
        self.install("1.1.0")
        self.assert_serves("1.1.0", "1.0.0")

    def test_aborts_while_its_library_is_opened(self):
        """fault: a version aborts in a static initializer, while its library is opened
        | another host serves, with the previous version and its data; not in quarantine
        | the log: which version, what it did, the signal, which version remains"""
        self.check_crash(bad.ABORTS_IN_LIBRARY, "while the library of this plugin was loaded", "signal 6 (SIGABRT)")

    def test_aborts_in_its_constructor(self):
        """fault: a version aborts in its constructor
        | another host serves, with the previous version and its data; not in quarantine
        | the log: which version, what it did, the signal, which version remains"""
        self.check_crash(bad.ABORTS_IN_CREATE, "while this plugin was started", "signal 6 (SIGABRT)")

    def test_exits_in_its_start(self):
        """fault: a version ends the process with exit(0) in start, after its migrations
        | another host serves, with the previous version and its data unchanged
        | the log: which version, what it did, the exit code, which version remains"""
        self.check_crash(bad.EXITS_IN_START, "while this plugin was started", "exit code 0")

    def test_aborts_in_the_middle_of_its_migration(self):
        """fault: a version aborts in the middle of a migration that is a function
        | another host serves, with the previous version and its data unchanged
        | the log: how far the migration was, which version, the signal, which version remains"""
        self.check_crash(bad.ABORTS_IN_MIGRATION, "while this plugin was started", "signal 6 (SIGABRT)")

    def test_the_first_version_of_all_aborts(self):
        """fault: the first version of a plugin aborts in its constructor
        | another host serves, without the plugin and without files of it
        | the log: which version, what it did, the signal"""
        self.assert_takes_the_host_down(self.packages.package("1.0.2"))
        self.assertEqual(404, self.ada.get(f"/api/core/plugins/{ID}").status)
        self.logged("a version of a plugin crashed the server", "version=1.0.2", "signal 6 (SIGABRT)")
        self.assert_nothing_left()
        self.assertFalse(list(self.server.data.glob(f"{ID}.db*")))
        self.assert_others_serve()
        self.install("1.0.0")
        self.assert_serves("1.0.0")

    def test_fails_in_constructor_or_start(self):
        """fault: a version throws in its constructor; in start, after a change of its data
        | rejected; the previous version continues, with its data unchanged
        | the response: `plugins.create_failed`, `plugins.start_failed` with the plugin's message; both in the log"""
        self.install("1.0.0")
        for behavior, code, words in ((bad.FAILS_IN_CREATE, "plugins.create_failed", "It refuses to be made."),
                                      (bad.FAILS_IN_START, "plugins.start_failed", "It fails after a change.")):
            with self.subTest(code):
                self.assertIn(words, self.assert_refused(self.send(self.packages.package(f"1.1.{behavior}")), 409, code))
                self.assert_serves("1.0.0")
                self.logged("a change of a plugin failed", f"version=1.1.{behavior}", words)
                self.assert_nothing_left("1.0.0")

    def test_throws_where_it_is_stopped(self):
        """fault: a version throws in stop, when another takes its place
        | no effect: it is closed
        | the log of the plugin"""
        self.install("1.0.0")
        self.install("1.1.7")
        self.install("1.2.0")
        self.assert_serves("1.2.0", "1.1.7")
        self.assertEqual(0, self.plugin()["resident"])
        self.logged("It does not want to stop.")

    def test_crashes_in_its_first_minute(self):
        """fault: a version aborts in a request, within a minute after it was installed
        | quarantined: its paths return 503; a version that fails leaves it so; a rollback restores the previous version, with its data
        | state and reason `plugins.crashed` in the list, `/readyz` and the log: what it did, the signal"""
        self.install("1.0.0")
        before = list(self.kept)
        self.install("1.1.0")
        self.ada.close()
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.ada.post(f"/api/{ID}/crash", b"")
        self.assert_quarantined("1.1.0")
        self.assertIn("signal 6 (SIGABRT)", self.plugin()["reason"]["message"])
        self.assert_kept()
        self.assertIn(f"{ID} quarantined plugins.crashed", self.ada.get("/readyz").body.decode())
        # Other faulty versions leave it in quarantine, also after the next start.
        for behavior, code in ((bad.FAILS_IN_CREATE, "plugins.create_failed"), (bad.FAILS_IN_START, "plugins.start_failed")):
            self.assert_refused(self.send(self.packages.package(f"1.2.{behavior}")), 409, code)
            self.assert_quarantined("1.1.0")
        self.start_again()
        self.assert_quarantined("1.1.0")
        response = self.ada.post(f"/api/core/plugins/{ID}/rollback", {})
        self.assertEqual((200, "active"), (response.status, response.json()["state"]), response)
        self.kept = before
        self.assert_serves("1.0.0")
        self.start_again()
        self.assert_serves("1.0.0")

    def test_a_migration_that_never_ends(self):
        """fault: a migration that is a function never ends
        | the others serve; disabling the plugin ends it between two batches, and the version before is there with its data
        | the migration and how far it is in the list and the log; the response says that it was stopped"""
        self.install("1.0.0")
        responses = []

        def upgrade():
            with contextlib.closing(tenon.Client(self.server)) as client:
                client.cookies = dict(self.ada.cookies)
                responses.append(client.post("/api/core/plugins", package, headers={"Content-Type": "application/octet-stream"}))
        package = self.packages.package("8.0.0")
        thread = threading.Thread(target=upgrade)
        thread.start()
        tenon.eventually(lambda: self.plugin()["migration"])
        self.assert_others_serve()
        disabled = self.ada.post(f"/api/core/plugins/{ID}/disable")
        self.assertEqual((200, "disabled"), (disabled.status, disabled.json()["state"]), disabled)
        thread.join()
        self.assertIn("stopped", responses[0].json()["detail"])
        self.assertEqual(200, self.ada.post(f"/api/core/plugins/{ID}/enable").status)
        self.assert_serves("1.0.0")

    @unittest.skipUnless(FULL, "it takes the 30 s that start has: DEV_FULL=1")
    def test_never_ends_to_start(self):
        """fault: a version loops for ever in start, writing all the while
        | abandoned after 30 s: it loses access to its data, and the previous version continues with the data as they were; others serve
        | the response: 202 with the URL of the change, which ends with `plugins.start_timeout`; `resident` in the list; the log"""
        self.install("1.0.0")
        responses = []

        def upgrade():
            with contextlib.closing(tenon.Client(self.server)) as client:
                client.cookies = dict(self.ada.cookies)
                client.connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=120)
                responses.append(client.post("/api/core/plugins", package, headers={"Content-Type": "application/octet-stream"}))
        package = self.packages.package("9.0.0")
        thread = threading.Thread(target=upgrade)
        thread.start()
        while thread.is_alive():
            self.assert_others_serve()
            thread.join(1)
        # The change is still running.
        address = responses[0].headers["location"]
        self.assertEqual((202, "running"), (responses[0].status, responses[0].json()["state"]), responses[0])
        tenon.eventually(lambda: self.ada.get(address).json()["state"] != "running")
        over = self.ada.get(address).json()
        self.assertEqual(("failed", 409, "plugins.start_timeout"), (over["state"], over["status"], over["answer"]["code"]), over)
        self.logged("a package was refused", "code=plugins.start_timeout", "by=")
        self.assert_serves("1.0.0")
        self.assertEqual(1, self.plugin()["resident"])
        self.logged("it may write no more")
        self.assert_serves("1.0.0")
        self.start_again()
        self.assert_serves("1.0.0")

    def test_hostile_packages(self):
        """fault: a package with a name that leads out or is absolute, two names alike, a link, a device, a gigabyte of zeros, entries
        over each other or encrypted, cut off, no zip at all
        | refused before a byte of it is unpacked
        | the response and the log: `plugins.package_…` with the entry and what is wrong with it"""
        self.install("1.0.0")
        for name, package in bad.hostile(self.packages.package("1.1.0")).items():
            for path in ("/api/core/plugins", "/api/core/plugins/plan"):
                with self.subTest(name, path=path):
                    response = self.send(package, path)
                    self.assertIn(response.status, (400, 409, 413, 422), response)
                    self.assertRegex(response.json()["code"], r"^plugins\.package_", response)
                    self.assertTrue(response.json()["detail"].startswith("the package: "), response)
        self.assert_nothing_left("1.0.0")
        self.assertFalse(list(self.root.rglob("evil.txt")))
        self.assertFalse(pathlib.Path("/tmp/ev.txt").exists())
        self.assert_serves("1.0.0")

    def test_tampered_packages(self):
        """fault: a package of which one bit was changed on its way
        | refused before a byte of it is unpacked
        | the response and the log: `plugins.package_…` or `plugins.signature_…`"""
        self.install("1.0.0")
        bits = chance("tampered packages")
        for _ in range(200 if FULL else 40):
            response = self.send(bad.tampered(self.packages.package("1.1.0"), bits))
            self.assertIn(response.status, (409, 422), f"{repeat()}: {response}")
            self.assertRegex(response.json()["code"], r"^plugins\.(package|signature)_", repeat())
        self.assert_nothing_left("1.0.0")
        self.assert_serves("1.0.0")

    def test_a_package_that_another_one_signed(self):
        """fault: a package signed by an untrusted key, by another trusted key than before, by a revoked key; unsigned
        | rejected; with another trusted key until an admin consents
        | the response and the log: `plugins.package_unsigned`, `plugins.signer_unknown`, `plugins.consent_required` with `signer`,
        `plugins.signer_revoked`"""
        self.install("1.0.0")
        self.assert_refused(self.send(self.packages.package("1.1.0", key=None)), 422, "plugins.package_unsigned")
        eve = self.packages.key("eve")
        package = self.packages.package("1.1.0", key="eve")
        self.assert_refused(self.send(package), 409, "plugins.signer_unknown")
        key = self.ada.post("/api/core/keys", {"key": eve, "name": "Eve"}).json()
        response = self.send(package)
        self.assert_refused(response, 409, "plugins.consent_required")
        self.assertEqual(["signer"], [error["field"] for error in response.json()["errors"]])
        self.assertEqual(200, self.ada.post(f"/api/core/keys/{key['number']}/revoke", {"reason": "stolen"}).status)
        self.assert_refused(self.send(package), 409, "plugins.signer_revoked")
        self.assert_serves("1.0.0")

    def test_rejects_changed_file(self):
        """fault: a file of an installed version is changed, added or taken away
        | the running version continues; the plugin is not loaded again until the file is restored or another version is installed
        | `plugins.files_modified` with the file in the list, `/readyz` and the log"""
        self.install("1.0.0")
        [folder] = (self.server.data / "plugins" / ID).glob("1.0.0-*")
        file, added = folder / "tables.json", folder / "ui.js"
        text = file.read_bytes()
        for damage in (lambda: file.write_bytes(text + b" "), file.unlink, lambda: added.write_text("more")):
            damage()
            self.assertEqual(200, self.ada.get(f"/api/{ID}/version").status)
            self.assertEqual(200, self.ada.post(f"/api/core/plugins/{ID}/disable").status)
            response = self.ada.post(f"/api/core/plugins/{ID}/enable")
            self.assertEqual((409, "plugins.files_modified"), (response.status, response.json()["code"]), response)
            self.assertIn(self.plugin()["reason"]["file"], (str(file), str(added)))
            self.assert_others_serve()
            file.write_bytes(text)
            added.unlink(missing_ok=True)
            self.assertEqual(200, self.ada.post(f"/api/core/plugins/{ID}/enable").status)
            self.assert_serves("1.0.0")


if __name__ == "__main__":
    unittest.main()
