"""The registry in the admin API: which plugins can be installed here, why others cannot, and the response while the registry is
unreachable."""

import shutil
import threading

from registry_case import Files, RegistryCase, serving
from tenon import PASSWORD, Client, Server, eventually, tenon

PATH = "/api/core/registry"


class RegistryConsole(RegistryCase):
    def serve(self, location, *arguments):
        plugins = self.root / "plugins"
        plugins.mkdir(exist_ok=True)
        server = Server("--registry-url", location, "--registry-key", self.public, *arguments, plugins=plugins, ui=self.root)
        self.addCleanup(server.close)
        server.start()
        return server

    def sign_up(self, server, login="ada", role="admin"):
        made = tenon("user", "add", login, "--role", role, "--password-stdin", "--data", server.data, stdin=PASSWORD + "\n")
        self.assertEqual(made.returncode, 0, made)
        client = Client(server)
        self.addCleanup(client.close)
        return client.sign_in(login)

    def test_lists_installable_plugins_and_reasons(self):
        self.put("copper", "1.0.0", description="Pots and pans", requires={"silver": "^2.0"})
        self.put("silver", "1.0.0", files={"CHANGELOG.md": b"## 1.0.0\n- first\n"})
        self.build()
        with serving(self.folder) as url:
            server = self.serve(url)
            ada = self.sign_up(server)
            page = ada.get(PATH).json()
            self.assertEqual((page["url"], page["serial"], page["error"], page["total"], page["next"]), (url, 1, None, 2, None))
            self.assertEqual([(key["number"], key["standing"]) for key in page["keys"]], [(self.packer_number, "unknown")])
            copper = page["items"][0]
            self.assertEqual((copper["id"], copper["latest"], copper["installed"], copper["installable"]), ("copper", "1.0.0", None, None))
            self.assertEqual([reason["code"] for reason in copper["reasons"]], ["plugins.signer_unknown"])
            self.assertIn(self.packer_number, copper["reasons"][0]["message"])
            self.assertEqual([item["id"] for item in ada.get(f"{PATH}?q=PANS").json()["items"]], ["copper"])
            self.assertEqual(ada.get(f"{PATH}?q=gold").json()["total"], 0)
            first = ada.get(f"{PATH}?limit=1").json()
            self.assertEqual(([item["id"] for item in first["items"]], first["next"]), (["copper"], "1"))
            second = ada.get(f"{PATH}?limit=1&cursor={first['next']}").json()
            self.assertEqual(([item["id"] for item in second["items"]], second["next"]), (["silver"], None))
            silver = ada.get(f"{PATH}/plugins/silver").json()
            self.assertEqual([(one["version"], one["installable"], one["changelog"]) for one in silver["versions"]], [("1.0.0", False, "- first\n")])
            self.assertEqual(silver["versions"][0]["size"], (self.folder / "silver-1.0.0.tenon").stat().st_size)
            missing = ada.get(f"{PATH}/plugins/golden")
            self.assertEqual((missing.status, missing.json()["code"]), (404, "plugins.registry_unknown"))
            for query in (f"q={'x' * 201}", "limit=201", "limit=0", "cursor=x"):
                response = ada.get(f"{PATH}?{query}")
                self.assertEqual((response.status, response.json()["code"]), (422, "plugins.registry_query"), query)
            # No other user sees any of it.
            for client, status in ((self.sign_up(server, "bob", "member"), 403), (Client(server), 401)):
                for method, path in (("GET", PATH), ("GET", f"{PATH}/plugins/silver"), ("POST", f"{PATH}/refresh")):
                    response = client.request(method, path, {} if method == "POST" else None)
                    self.assertEqual(response.status, status, response)
                    self.assertNotIn(b"copper", response.body)
                client.close()

    def test_serves_screenshots_through_server(self):
        picture = b"\x89PNG\r\n\x1a\n" + bytes(99)
        self.put("copper", "1.0.0", files={"screenshots/a.png": picture, "screenshots/b.jpeg": b"\xff\xd8\xff" + bytes(50)})
        self.build()
        server = self.serve(self.folder)
        ada = self.sign_up(server)
        self.assertEqual(len(ada.get(f"{PATH}/plugins/copper").json()["versions"][0]["screenshots"]), 2)
        location = f"{PATH}/plugins/copper/screenshots"
        response = ada.get(f"{location}/1.0.0/1")
        self.assertEqual((response.status, response.headers["content-type"], response.body), (200, "image/png", picture))
        self.assertEqual(response.headers["x-content-type-options"], "nosniff")
        self.assertEqual(ada.get(f"{location}/1.0.0/2").headers["content-type"], "image/jpeg")
        for path in ("1.0.0/3", "1.0.0/0", "1.0.0/01", "1.0.1/1", "1.0.0/x"):
            response = ada.get(f"{location}/{path}")
            self.assertEqual((response.status, response.json()["code"]), (404, "plugins.registry_unknown"), path)
        (self.folder / "copper/1.0.0/screenshots/a.png").write_bytes(picture[:-1] + b"1")
        response = ada.get(f"{location}/1.0.0/1")
        self.assertEqual((response.status, response.json()["code"]), (502, "plugins.registry_damaged"))
        (self.folder / "copper/1.0.0/screenshots/a.png").unlink()
        self.assertEqual(ada.get(f"{location}/1.0.0/1").json()["code"], "plugins.registry_unreachable")
        self.assertEqual(self.sign_up(server, "bob", "member").get(f"{location}/1.0.0/2").status, 403)

    def test_marks_installed_plugins(self):
        package = self.put("copper", "1.1.0")
        self.put("copper", "1.0.0")
        self.build()
        shutil.copytree(self.root / "sources" / "copper-1.1.0", self.root / "plugins" / "copper")
        server = self.serve(self.folder)
        ada = self.sign_up(server)
        self.assertEqual(ada.get(PATH).json()["items"][0]["installed"], "1.1.0")
        versions = ada.get(f"{PATH}/plugins/copper").json()["versions"]
        codes = [[reason["code"] for reason in one["reasons"]] for one in versions]
        self.assertEqual(codes, [["plugins.signer_unknown", "plugins.installed"], ["plugins.signer_unknown", "plugins.downgrade"]])
        package.unlink()

    def test_serves_last_good_index_with_warning(self):
        self.put("copper", "1.0.0")
        self.build()
        older = {name: (self.folder / name).read_bytes() for name in ("index.json", "index.json.minisig")}

        def refresh():
            response = ada.post(f"{PATH}/refresh", {})
            self.assertEqual(response.status, 200, response)
            return response.json()

        server = self.serve(self.folder)
        ada = self.sign_up(server)
        self.assertEqual(ada.get(PATH).json()["serial"], 1)
        self.put("silver", "1.0.0")
        self.build()
        self.assertEqual(ada.get(PATH).json()["serial"], 1, "it is not due yet")
        self.assertEqual((refresh()["serial"], ada.get(PATH).json()["total"]), (2, 2))
        # The registry is gone: the last index is returned, with the problem.
        (self.folder / "index.json").rename(self.folder / "away")
        page = refresh()
        self.assertEqual((page["error"]["code"], page["serial"], page["total"]), ("plugins.registry_unreachable", 2, 2))
        read = page["read"]
        self.assertIsNotNone(read)
        # Also by the next process, which never read it.
        server.restart()
        ada = Client(server).sign_in("ada")
        self.addCleanup(ada.close)
        page = ada.get(PATH).json()
        self.assertEqual((page["error"]["code"], page["serial"], page["read"]), ("plugins.registry_unreachable", 2, None))
        # An old index is refused, though its signature is right.
        for name, content in older.items():
            (self.folder / name).write_bytes(content)
        page = refresh()
        self.assertEqual((page["error"]["code"], page["serial"]), ("plugins.registry_older", 2))
        (self.folder / "index.json").unlink()
        self.run_registry("build", self.folder, "--key", self.secret, "--serial", "3")
        page = refresh()
        self.assertEqual((page["error"], page["serial"]), (None, 3))

    def test_reports_missing_registry(self):
        server = Server(plugins=self.folder, ui=self.root)
        self.addCleanup(server.close)
        server.start()
        ada = self.sign_up(server)
        for page in (ada.get(PATH).json(), ada.post(f"{PATH}/refresh", {}).json()):
            self.assertEqual((page["url"], page["serial"], page["error"], page["items"]), (None, None, None, []))

    def test_gives_up_silent_registry(self):
        class Silent(Files):
            def do_GET(self):
                asked.append(self.path)
                self.rfile.read(1)

        asked = []
        with serving(self.folder, Silent) as url:
            server = self.serve(url)
            ada = self.sign_up(server)
            page = ada.get(PATH).json()
            self.assertEqual((page["error"]["code"], page["serial"]), ("plugins.registry_unreachable", None))
            self.assertEqual(ada.get(PATH).json()["error"]["code"], "plugins.registry_unreachable")
            self.assertEqual(asked, ["/index.json"], "it is not asked again before its time")
            # The server can stop while it waits.
            waiting = threading.Thread(target=lambda: ada.post(f"{PATH}/refresh", {}))
            waiting.start()
            eventually(lambda: len(asked) == 2)
            self.assertEqual(server.stop(), 0)
            waiting.join()

    def test_rejects_incomplete_configuration(self):
        for arguments, said in ((("--registry-url", "/srv"), "registry.key"), (("--registry-key", str(self.public)), "registry.url"),
                                (("--registry-url", "ftp://host"), "registry.url"),
                                (("--registry-url", "http://user@host/", "--registry-key", str(self.public)), "a user")):
            done = tenon("serve", "--data", self.root / "data", "--listen", "127.0.0.1:0", *arguments)
            self.assertNotEqual(done.returncode, 0, done)
            self.assertIn(said, done.stderr)

    def test_describes_routes_in_api_description(self):
        server = self.serve(self.folder)
        document = self.sign_up(server).get("/api/core/openapi.json").json()
        for path, method in ((PATH, "get"), (f"{PATH}/refresh", "post"), (f"{PATH}/plugins/{{id}}", "get")):
            operation = document["paths"][path][method]
            self.assertEqual(operation["tags"], ["core/registry"])
            self.assertNotIn("2XX", operation["responses"])
