"""Installing from a registry: over HTTP with its progress, on the command line with and without a server, what is required first, and
registries that lie, stall and lead elsewhere."""

import json
import os
import shutil
import threading
import unittest

from registry_case import Files, RegistryCase, serving
from tenon import BUILD, PASSWORD, Client, Server, eventually, tenon

PATH = "/api/core/registry"
DOWNLOADS = f"{PATH}/downloads"
SOURCE = BUILD / "tests/plugins/zoo/blank/blank"
NOTES = {"name": "items", "publish": True, "rules": {"read": "true", "create": "true"}, "fields": [{"name": "title", "type": "text"}]}
SLOW = {"name": "slow", "fields": [{"name": "version", "type": "text"}]}


class Held(Files):
    """A web server that sends half of a package and holds the rest back until the test sets `resume`."""

    resume = threading.Event()

    def copyfile(self, source, outputfile):
        if not self.path.endswith(".tenon"):
            return super().copyfile(source, outputfile)
        content = source.read()
        outputfile.write(content[:len(content) // 2])
        outputfile.flush()
        self.resume.wait(60)
        outputfile.write(content[len(content) // 2:])


class RegistryInstall(RegistryCase):
    def put_plugin(self, plugin, version, key=None, picture=None, **manifest):
        """A signed package of a plugin that runs, whose id has five letters, as its version has."""
        folder = self.root / "sources" / f"{plugin}-{version}" / plugin
        shutil.copytree(SOURCE, folder)
        [library] = folder.rglob("blank.so")
        library.write_bytes(library.read_bytes().replace(b"blank", plugin.encode()).replace(b"1.0.0", version.encode()))
        library.rename(library.with_name(f"{plugin}.so"))
        own = json.loads((folder / "plugin.json").read_text().replace("blank", plugin))
        (folder / "plugin.json").write_text(json.dumps({**own, "name": plugin.capitalize(), "version": version, **manifest}))
        if picture:
            (folder / "screenshots").mkdir()
            (folder / "screenshots" / "a.png").write_bytes(picture)
        (folder / "tables.json").write_text(json.dumps({"tables": [NOTES, SLOW]}))
        package = self.folder / f"{plugin}-{version}.tenon"
        for arguments in (("pack", folder, "--output", package), ("sign", package, "--key", key or self.packer)):
            done = tenon("plugin", *arguments)
            self.assertEqual(done.returncode, 0, done)
        return package

    def put_chain(self):
        """Trees need roots, which need seeds."""
        self.put_plugin("seeds", "1.0.0")
        self.put_plugin("roots", "1.0.0", requires={"seeds": "^1.0"})
        self.put_plugin("trees", "1.0.0", requires={"roots": "^1.0"})
        self.build()

    def serve(self, location):
        plugins = self.root / "plugins"
        plugins.mkdir(exist_ok=True)
        server = Server("--registry-url", location, "--registry-key", self.public, plugins=plugins, ui=self.root, data=self.root / "data")
        self.addCleanup(server.close)
        server.start()
        made = tenon("user", "add", "ada", "--role", "admin", "--password-stdin", "--data", server.data, stdin=PASSWORD + "\n")
        self.assertEqual(made.returncode, 0, made)
        ada = Client(server)
        self.addCleanup(ada.close)
        ada.sign_in("ada")
        response = ada.post("/api/core/keys", {"key": self.packer_public.read_text(), "name": "Packer"})
        self.assertEqual(response.status, 201, response)
        return server, ada

    def ended(self, ada, plugin, version=None):
        """The download of a plugin when it has ended."""
        response = ada.post(DOWNLOADS, {"id": plugin, **({"version": version} if version else {})})
        self.assertEqual((response.status, response.json()["state"]), (202, "running"), response)
        location = f"{DOWNLOADS}/{response.json()['number']}"
        return eventually(lambda: (lambda one: one if one["state"] != "running" else None)(ada.get(location).json()))

    def failed(self, ada, plugin="seeds"):
        """Returns the code of the failure and the message for the admin."""
        ended = self.ended(ada, plugin)
        self.assertEqual((ended["state"], ended["package"]), ("failed", None), ended)
        self.assertEqual(list((self.root / "data" / "plugins" / ".uploads").glob("*")), [])
        self.assertEqual(list((self.root / "data" / "registry").glob("fetched-*")), [])
        return ended["error"]["code"], ended["error"]["message"]

    def install(self, ada, plugin, version=None):
        package = self.ended(ada, plugin, version)["package"]
        plan = ada.post("/api/core/plugins/plan", {"package": package}).json()
        self.assertEqual(plan["refusals"], [], plan)
        response = ada.post("/api/core/plugins", {"package": plan["package"], "consents": [one["code"] for one in plan["consents"]]})
        self.assertEqual(response.status, 200, response)
        return response.json()

    def plugin_command(self, *arguments, code=0, registry=True):
        location = ("--registry-url", self.folder, "--registry-key", self.public) if registry else ()
        plugins = self.root / "plugins"
        plugins.mkdir(exist_ok=True)
        done = tenon("plugin", *arguments, "--data", self.root / "data", "--plugins", plugins, *location)
        self.assertEqual(done.returncode, code, done)
        return done

    def test_installs_and_upgrades(self):
        package = self.put_plugin("seeds", "1.0.0")
        self.build()
        with serving(self.folder) as url:
            _, ada = self.serve(url)
            download = self.ended(ada, "seeds")
            size = package.stat().st_size
            self.assertEqual((download["state"], download["version"], download["done"], download["total"]), ("done", "1.0.0", size, size))
            plan = ada.post("/api/core/plugins/plan", {"package": download["package"]}).json()
            self.assertEqual((plan["id"], plan["change"], plan["to"], plan["package"]), ("seeds", "install", "1.0.0", download["package"]))
            self.assertEqual(self.install(ada, "seeds")["state"], "active")
            self.assertEqual(ada.get(f"{PATH}?show=upgradable").json()["items"], [])
            self.put_plugin("seeds", "1.1.0")
            self.build()
            self.assertEqual(ada.post(f"{PATH}/refresh", {}).json()["serial"], 2)
            [item] = ada.get(f"{PATH}?show=upgradable").json()["items"]
            self.assertEqual((item["id"], item["installed"], item["installable"]), ("seeds", "1.0.0", "1.1.0"))
            self.assertEqual(ada.get(f"{PATH}?show=installable").json()["total"], 0)
            self.assertEqual(ada.get(f"{PATH}?show=installed").json()["total"], 1)
            self.assertEqual(self.install(ada, "seeds", "1.1.0")["version"], "1.1.0")
            self.assertEqual(ada.get("/api/seeds/version").body, b"1.1.0")
            # The installed plugin is not kept.
            response = ada.post("/api/core/plugins/plan", {"package": download["package"]})
            self.assertEqual((response.status, response.json()["code"]), (404, "plugins.package_unknown"))

    def test_names_requirements_in_order(self):
        self.put_chain()
        _, ada = self.serve(self.folder)
        trees = ada.get(f"{PATH}/plugins/trees").json()
        self.assertEqual(trees["with"], [{"id": "seeds", "name": "Seeds", "version": "1.0.0", "installed": None},
                                         {"id": "roots", "name": "Roots", "version": "1.0.0", "installed": None}])
        self.assertEqual(trees["versions"][0]["with"], trees["with"])
        for plugin in ("seeds", "roots", "trees"):
            self.assertEqual(self.install(ada, plugin)["state"], "active")
        self.assertEqual(ada.get(f"{PATH}/plugins/trees").json()["reasons"][0]["code"], "plugins.installed")
        # An upgrade that another plugin does not support cannot be installed, and says so.
        self.put_plugin("seeds", "2.0.0")
        self.build()
        ada.post(f"{PATH}/refresh", {})
        seeds = ada.get(f"{PATH}/plugins/seeds").json()
        self.assertEqual((seeds["installable"], seeds["reasons"][0]["code"]), (None, "plugins.required_by"), seeds)
        self.assertIn('"roots" requires "seeds" ^1.0', seeds["reasons"][0]["message"])

    def test_reports_progress_and_cancels_download(self):
        package = self.put_plugin("seeds", "1.0.0", picture=b"\x89PNG\r\n\x1a\n" + os.urandom(1_000_000))
        self.build()
        Held.resume.clear()
        with serving(self.folder, Held) as url:
            server, ada = self.serve(url)
            self.addCleanup(Held.resume.set)
            numbers = [ada.post(DOWNLOADS, {"id": "seeds"}).json()["number"] for _ in range(2)]
            half = package.stat().st_size // 2
            locations = [f"{DOWNLOADS}/{number}" for number in numbers]
            eventually(lambda: all(0 < ada.get(location).json()["done"] <= half for location in locations))
            busy = ada.post(DOWNLOADS, {"id": "seeds"})
            self.assertEqual((busy.status, busy.json()["code"]), (503, "plugins.registry_busy"))
            self.assertEqual(ada.get("/healthz").status, 200)
            self.assertEqual(ada.request("DELETE", locations[0]).status, 204)
            cancelled = eventually(lambda: (lambda one: one if one["state"] != "running" else None)(ada.get(locations[0]).json()))
            self.assertEqual((cancelled["state"], cancelled["error"], cancelled["package"]), ("stopped", None, None))
            Held.resume.set()
            eventually(lambda: ada.get(locations[1]).json()["state"] == "done")
            # One that runs ends with the server.
            Held.resume.clear()
            number = ada.post(DOWNLOADS, {"id": "seeds"}).json()["number"]
            eventually(lambda: 0 < ada.get(f"{DOWNLOADS}/{number}").json()["done"] <= half)
            self.assertEqual(server.stop(), 0)
            Held.resume.set()
        self.assertEqual(list((self.root / "data" / "registry").glob("fetched-*")), [])

    def test_requires_admin(self):
        self.put_plugin("seeds", "1.0.0")
        self.build()
        server, ada = self.serve(self.folder)
        number = self.ended(ada, "seeds")["number"]
        made = tenon("user", "add", "bob", "--role", "member", "--password-stdin", "--data", server.data, stdin=PASSWORD + "\n")
        self.assertEqual(made.returncode, 0, made)
        bob, guest = Client(server), Client(server)
        self.addCleanup(bob.close)
        self.addCleanup(guest.close)
        for client, status in ((bob.sign_in("bob"), 403), (guest, 401)):
            location = f"{DOWNLOADS}/{number}"
            for method, path, body in (("POST", DOWNLOADS, {"id": "seeds"}), ("GET", location, None), ("DELETE", location, None)):
                response = client.request(method, path, body)
                self.assertEqual(response.status, status, response)
                self.assertNotIn(b"seeds", response.body)

    def test_rejects_invalid_requests(self):
        self.put_plugin("seeds", "1.0.0")
        self.build()
        _, ada = self.serve(self.folder)
        unknown, invalid = (404, "plugins.registry_unknown"), (422, "plugins.validation")
        for body, refused in (({"id": "weeds"}, unknown), ({"id": "seeds", "version": "9.0.0"}, unknown), ({}, invalid),
                              ({"id": "seeds", "x": 1}, invalid), ({"id": 7}, invalid)):
            response = ada.post(DOWNLOADS, body)
            self.assertEqual((response.status, response.json()["code"]), refused, body)
        for number in ("0", "99", "x", "-1"):
            for method in ("GET", "DELETE"):
                response = ada.request(method, f"{DOWNLOADS}/{number}")
                self.assertEqual((response.status, response.json()["code"]), (404, "plugins.registry_unknown"), number)
        for query in ("show=all", "show=Installed"):
            response = ada.get(f"{PATH}?{query}")
            self.assertEqual((response.status, response.json()["code"]), (422, "plugins.registry_query"), query)
        response = ada.post("/api/core/plugins/plan", {"package": "../../tenon.db"})
        self.assertEqual((response.status, response.json()["code"]), (404, "plugins.package_unknown"))

    def test_rejects_package_that_differs_from_signed_one(self):
        package = self.put_plugin("seeds", "1.0.0")
        self.build()
        content = package.read_bytes()
        with serving(self.folder) as url:
            _, ada = self.serve(url)
            for changed, said in ((content[:-1] + bytes([content[-1] ^ 1]), "not the file that the index has"),
                                  (content + b"x", "larger than the index says"), (content[:-1], "bytes"), (b"", "bytes")):
                package.write_bytes(changed)
                code, message = self.failed(ada)
                self.assertEqual(code, "plugins.registry_damaged", message)
                self.assertIn(said, message)
                self.assertIn("seeds-1.0.0.tenon", message)
            package.unlink()
            code, message = self.failed(ada)
            self.assertEqual(code, "plugins.registry_unreachable", message)
            self.assertIn("404", message)

    def test_rejects_lying_registry(self):
        self.put_plugin("seeds", "1.0.0")
        self.build()
        behaviour = []

        class Hostile(Files):
            def do_GET(self):
                return behaviour[0](self) if behaviour and self.path.endswith(".tenon") else super().do_GET()

            def cut(self):
                self.send_response(200)
                self.send_header("Content-Length", "100000000")
                self.end_headers()
                self.wfile.write(b"x")
                self.close_connection = True

            def endless(self):
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                with_size = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
                while True:
                    self.wfile.write(with_size)

            def lead(self, where):
                self.send_response(302)
                self.send_header("Location", where)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def silent(self):
                self.send_response(200)
                self.send_header("Content-Length", "10")
                self.end_headers()
                self.wfile.flush()
                self.rfile.read(1)

        with serving(self.folder, Hostile) as url:
            _, ada = self.serve(url)
            for what, code in ((Hostile.cut, "plugins.registry_damaged"), (Hostile.endless, "plugins.registry_damaged"),
                               (lambda self: self.lead(self.path), "plugins.registry_unreachable"),
                               (lambda self: self.lead("file:///etc/passwd"), "plugins.registry_unreachable"),
                               (lambda self: self.lead("/index.json"), "plugins.registry_damaged"),
                               (Hostile.silent, "plugins.registry_unreachable")):
                behaviour[:] = [what]
                found, message = self.failed(ada)
                self.assertEqual(found, code, message)
                self.assertTrue(message.endswith("."), message)
            behaviour.clear()
            self.assertEqual(self.install(ada, "seeds")["state"], "active")

    def test_installs_by_id_on_command_line(self):
        self.put_chain()
        server, ada = self.serve(self.folder)
        for is_running in (True, False):
            refused = self.plugin_command("install", "trees", code=1, registry=not is_running)
            self.assertIn("seeds@1.0.0, roots@1.0.0", refused.stderr)
            self.assertEqual(refused.stdout, "")
            plan = json.loads(self.plugin_command("plan", "seeds@1.0.0", "--json", registry=not is_running).stdout)
            self.assertEqual((plan["id"], plan["change"], plan["to"]), ("seeds", "install", "1.0.0"))
            done = self.plugin_command("install", "trees@1.0.0", "--with-required", registry=not is_running)
            self.assertTrue(done.stdout.startswith("trees 1.0.0 is "), done)
            said = [line for line in done.stderr.splitlines() if not line.startswith("{")]
            self.assertEqual(said, ["seeds 1.0.0 is installed first", "roots 1.0.0 is installed first"])
            if is_running:
                self.assertEqual(ada.get("/api/trees/version").body, b"1.0.0")
                for plugin in ("trees", "roots", "seeds"):
                    self.assertEqual(ada.request("DELETE", f"/api/core/plugins/{plugin}?data=keep").status, 204)
                self.assertEqual(server.stop(), 0)
        listed = json.loads(self.plugin_command("list", "--json").stdout)["items"]
        self.assertEqual([one["id"] for one in listed], ["roots", "seeds", "trees"])
        again = self.plugin_command("install", "trees", code=1)
        self.assertIn("installed already", again.stderr)

    def test_reports_mistakes_on_command_line(self):
        self.put_plugin("seeds", "1.0.0")
        self.build()
        for arguments, registry, code, said in ((("install", "weeds"), True, 1, 'no plugin "weeds"'),
                                                (("install", "seeds@2.0.0"), True, 1, "no version 2.0.0"),
                                                (("install", "seeds"), True, 1, "not trusted"), (("install", "seeds"), False, 1, "registry.url"),
                                                (("install", "seeds@x"), True, 1, "seeds@x"),
                                                (("install", "a.tenon", "--with-required"), True, 2, "--with-required")):
            done = self.plugin_command(*arguments, registry=registry, code=code)
            self.assertIn(said, done.stderr, arguments)


if __name__ == "__main__":
    unittest.main()
