"""A sequence of changes and faults of one plugin, and the checks after each."""

import contextlib
import errno
import os
import pathlib
import signal
import sqlite3
import threading
import uuid

import bad_versions as versions
from bad_versions import FORMER_TABLES, ID
from disk import ALWAYS, CREATE, WRITE
from faults_case import tenon


class ChaosRun:
    """`test` has server, ada, weather, kept (the users of the plugin), disk and packages. Each event adds to `story` the expected log
    messages, and to `audit` the expected actions."""

    def __init__(self, test, chance):
        self.test, self.chance = test, chance
        self.story, self.audit, self.done = [], [], []
        self.perhaps = set()  # messages that the log may have: where a full disk ended a change is chance
        self.version = self.previous = None
        self.number = 0  # of the newest data: a version is never installed twice, so that it names its writes
        self.used = set()
        self.lost = set()  # versions whose writes a rollback or a purge took away

    # Changes by an admin

    def fresh(self, behavior=versions.GOOD, step=1):
        number = self.number + step
        assert number < 70, "the zoo has no more versions"
        return f"{1 + number // 10}.{number % 10}.{behavior}"

    def send(self, package):
        return self.test.ada.post("/api/core/plugins", package, headers={"Content-Type": "application/octet-stream"})

    def installed(self, response, version):
        assert response.status == 200, response
        assert (response.json()["version"], response.json()["state"]) == (version, "active"), response
        self.story.append(("a plugin was installed", version))
        self.audit.append(("plugins.installed", version))
        self.previous, self.version = self.version, version
        self.used.add(version)

    def refused(self, response, status, code=None):
        assert response.status == status, response
        assert code in (None, response.json()["code"]), response
        self.story.append(("a package was refused", response.json()["code"]))

    def install(self):
        version = self.fresh()
        self.installed(self.send(self.test.packages.package(version)), version)
        self.number += 1

    upgrade = install

    def downgrade(self):
        """Requires the consent of the admin, and is rejected with it too: the data are of a newer version with other tables."""
        number = 10 * int(self.version[0]) + int(self.version[2]) - 11
        older = f"{1 + number // 10}.{number % 10}.0"
        package = self.test.packages.package(older, tables=FORMER_TABLES)
        asked = self.send(package)
        self.refused(asked, 409, "plugins.consent_required")
        plan = self.test.ada.post("/api/core/plugins/plan", package, headers={"Content-Type": "application/octet-stream"}).json()
        assert [one["code"] for one in plan["consents"]] == ["downgrade"], plan
        response = self.test.ada.post("/api/core/plugins", {"package": plan["package"], "consents": ["downgrade"]})
        assert "roll back with the data" in response.json()["detail"], response
        self.refused(response, 409)
        self.story.append(("a change of a plugin failed", older))

    def rollback(self):
        response = self.test.ada.post(f"/api/core/plugins/{ID}/rollback", {})
        if not self.previous:
            assert (response.status, response.json()["code"]) == (409, "plugins.no_previous_version"), response
            return
        assert (response.status, response.json()["version"], response.json()["state"]) == (200, self.previous, "active"), response
        self.story.append(("a plugin was rolled back", self.previous))
        self.audit.append(("plugins.rolled_back", self.previous))
        self.lost.add(self.version)
        self.version, self.previous = self.previous, None

    def remove(self, data="keep"):
        response = self.test.ada.delete(f"/api/core/plugins/{ID}?data={data}")
        assert response.status == 204, response
        self.story.append(("a plugin was removed", "purged" if data == "purge" else "kept"))
        self.audit.append(("plugins.removed", data))
        if data == "purge":
            self.lost |= self.used
        self.version = self.previous = None

    def purge(self):
        self.remove("purge")

    # Faults

    def a_bad_version(self, behavior, code):
        version = self.fresh(behavior)
        response = self.send(self.test.packages.package(version))
        self.refused(response, 409, code)
        self.story.append(("a change of a plugin failed", version))

    def fails_in_its_constructor(self):
        self.a_bad_version(versions.FAILS_IN_CREATE, "plugins.create_failed")

    def fails_after_a_change_of_its_data(self):
        self.a_bad_version(versions.FAILS_IN_START, "plugins.start_failed")

    @contextlib.contextmanager
    def no_host(self):
        """Expects a crash of the host in the block, and waits for the next host after it."""
        host = self.test.host()
        self.test.weather.no_host.begin()
        try:
            yield
            tenon.eventually(lambda: self.test.host() not in (None, host))
            with contextlib.closing(tenon.Client(self.test.server)) as client:
                assert client.get("/healthz").status == 200
        finally:
            self.test.weather.no_host.end()
        self.test.ada.close()
        self.story.append(("the host went down and was started again", ""))

    def takes_the_host_down(self, behavior):
        """Expects that the previous version continues, with its data."""
        version = self.fresh(behavior)
        package = self.test.packages.package(version)
        self.test.ada.close()  # on a connection of its own it is not sent again
        with self.no_host(), contextlib.suppress(OSError, tenon.http.client.HTTPException):
            response = self.send(package)
            raise AssertionError(f"{version}: {response}")
        self.story.append(("a version of a plugin crashed the server", version))

    def aborts_in_its_library(self):
        self.takes_the_host_down(versions.ABORTS_IN_LIBRARY)

    def aborts_in_its_constructor(self):
        self.takes_the_host_down(versions.ABORTS_IN_CREATE)

    def aborts_in_its_migration(self):
        self.takes_the_host_down(versions.ABORTS_IN_MIGRATION)

    def exits_in_its_start(self):
        self.takes_the_host_down(versions.EXITS_IN_START)

    def a_migration_is_killed(self):
        version = self.fresh(versions.MIGRATES_SLOWLY)
        package = self.test.packages.package(version)
        watcher = tenon.Client(self.test.server)
        watcher.cookies = dict(self.test.ada.cookies)

        def is_half_way():
            migration = watcher.get(f"/api/core/plugins/{ID}").json()["migration"]
            return migration and migration["done"] > 0

        self.test.ada.close()

        def send():
            with contextlib.suppress(OSError, tenon.http.client.HTTPException):
                self.send(package)
        with self.no_host():
            sending = threading.Thread(target=send)
            sending.start()
            tenon.eventually(is_half_way)
            os.kill(self.test.host(), signal.SIGKILL)
            sending.join()
            watcher.close()
        self.story.append(("a version of a plugin crashed the server", version))

    def crashes_in_its_first_minute(self):
        self.upgrade()
        self.test.ada.close()
        with self.no_host(), contextlib.suppress(OSError, tenon.http.client.HTTPException):
            self.test.ada.post(f"/api/{ID}/crash", b"")
        plugin = self.plugin()
        assert (plugin["state"], plugin["reason"]["code"]) == ("quarantined", "plugins.crashed"), plugin
        assert "signal 6 (SIGABRT)" in plugin["reason"]["message"], plugin
        refused = self.test.ada.get(f"/api/{ID}/version")
        assert (refused.status, refused.json()["code"]) == (503, "plugins.quarantined"), refused
        self.story.append(("plugin quarantined", ""))
        enabled = self.test.ada.post(f"/api/core/plugins/{ID}/enable")
        assert (enabled.status, enabled.json()["state"]) == (200, "active"), enabled
        self.audit.append(("plugins.enabled", ""))

    def the_disk_is_full(self):
        """Fills the disk from a write of an upgrade on, and frees it after a while."""
        version, weather, disk = self.fresh(), self.test.weather, self.test.disk
        package = self.test.packages.package(version)
        weather.full_disk.begin()
        disk.fail("", WRITE | CREATE, errno.ENOSPC, skip=self.chance.randrange(40), times=ALWAYS)
        response = self.send(package)
        assert response.status in (200, 409, 422, 503, 507), response
        tenon.eventually(lambda: disk.failed > 5)
        assert self.test.ada.get("/api/core/plugins/notes").json()["state"] == "active"
        disk.heal()

        def is_well():
            note = self.test.ada.post("/api/notes/notes", {"title": "The disk has space again", "text": ""})
            return note.status == 201 and self.test.ada.get("/api/core/plugins/notes").json()["reason"] is None
        tenon.eventually(is_well)
        weather.full_disk.end()
        if response.status == 200:
            self.installed(response, version)
        else:
            self.refused(response, response.status)
            self.perhaps.add(("a change of a plugin failed", version))
            # If the change had begun, it may not have been rolled back: the reason says so, and the next try ends it.
            plugin = self.plugin()
            assert plugin["state"] == "active" or plugin["reason"]["code"] in ("data.disk_full", "data.open"), plugin
            self.installed(self.send(package), version)
        self.number += 1
        tenon.eventually(lambda: self.test.ada.get(f"/api/{ID}/version").status == 200 and self.is_well())

    def is_well(self):
        self.test.ada.post(f"/api/{ID}/keep", {"id": str(uuid.uuid4())})
        return self.plugin()["reason"] is None

    def a_tampered_package(self):
        response = self.send(versions.tampered(self.test.packages.package(self.fresh()), self.chance))
        self.refused_package("tampered", response)

    def refused_package(self, name, response):
        assert response.status in (409, 422), (name, response)
        self.refused(response, response.status)
        assert response.json()["code"].startswith("plugins.package_"), (name, response)
        assert response.json()["detail"].startswith("the package: "), (name, response)

    def a_hostile_package(self):
        name, package = self.chance.choice(list(versions.hostile(self.test.packages.package(self.fresh())).items()))
        response = self.send(package)
        self.refused_package(name, response)

    def a_file_is_changed(self):
        """Changes an installed file: the plugin is not loaded again until the file is restored."""
        [manifest] = (self.test.data / "plugins" / ID).glob(f"{self.version}-*/plugin.json")
        text = manifest.read_bytes()
        manifest.write_bytes(text.replace(b"Tenon", b"Eve  "))
        assert self.test.ada.post(f"/api/core/plugins/{ID}/disable").status == 200
        refused = self.test.ada.post(f"/api/core/plugins/{ID}/enable")
        assert (refused.status, refused.json()["code"]) == (409, "plugins.files_modified"), refused
        assert self.plugin()["reason"]["file"] == str(manifest), self.plugin()
        manifest.write_bytes(text)
        assert self.test.ada.post(f"/api/core/plugins/{ID}/enable").status == 200
        self.audit += [("plugins.disabled", ""), ("plugins.enabled", "")]

    # Checks after each

    CHANGES = ("install", "upgrade", "downgrade", "rollback", "remove", "purge")
    FAULTS = ("fails_in_its_constructor", "fails_after_a_change_of_its_data", "aborts_in_its_library", "aborts_in_its_constructor",
              "aborts_in_its_migration", "exits_in_its_start", "a_migration_is_killed", "crashes_in_its_first_minute",
              "the_disk_is_full", "a_tampered_package", "a_hostile_package", "a_file_is_changed")

    def do(self, event):
        """Runs an event. Runs what it needs first."""
        if self.version is None and event != "install":
            self.do("install")
        if self.version is not None and event == "install":
            self.do("remove")
        self.test.weather.no_plugin.begin()
        self.done.append(f"{event} at {self.version}")
        getattr(self, event)()
        self.check()
        if self.version:
            self.test.weather.no_plugin.end()

    def plugin(self):
        return self.test.ada.get(f"/api/core/plugins/{ID}").json()

    def check(self):
        acknowledged = {row: version for user in self.test.keepers for row, version in list(user.acknowledged.items())}
        refused = {row for user in self.test.keepers for row in list(user.refused)}
        notes = self.test.ada.get("/api/core/plugins/notes").json()
        assert (notes["state"], notes["reason"]) == ("active", None), notes
        if self.version is None:
            assert self.test.ada.get(f"/api/core/plugins/{ID}").status == 404
        else:
            plugin = self.plugin()
            assert (plugin["state"], plugin["reason"], plugin["version"], plugin["previous"]) == (
                "active", None, self.version, self.previous or ""), plugin
            assert self.test.ada.get(f"/api/{ID}/version").body.decode() == self.version
        file = self.test.data / f"{ID}.db"
        if not file.exists():
            assert self.version is None, "the data are gone"
            return
        with contextlib.closing(sqlite3.connect(file, timeout=60)) as database:
            there = {row for (row,) in database.execute("SELECT id FROM kept")}
        kept = {row for row, version in acknowledged.items() if version not in self.lost}
        assert kept <= there, f"{len(kept - there)} of {len(kept)} rows were acknowledged and are lost"
        undone = set(acknowledged) - kept
        assert not undone & there, f"{len(undone & there)} rows are there that a rollback took away"
        assert not refused & there, f"{len(refused & there)} rows are there that were refused"

    def left(self):
        """Folders of versions and snapshots on disk, below the data directory, and those that are listed."""
        data = pathlib.Path(self.test.data)
        found = set()
        for path in (data / "plugins").glob("*/*"):
            inner = path.glob("*") if path.name == "snapshots" else [path]
            found |= {str(one.relative_to(data)) for one in inner if path.parent.name != ".uploads"}
        listed = set()
        with contextlib.closing(sqlite3.connect(data / "tenon.db", timeout=60)) as database:
            for folder, snapshot in database.execute("SELECT folder, snapshot FROM plugins_versions"):
                listed |= {folder} | ({snapshot} if snapshot not in ("", "-") else set())
        return found, listed
