"""Files of plugins in the real server: written, shown, uploaded in pieces, and there after it was killed."""

import base64
import hashlib
import json
import os
import pathlib
import socket
import time

from tenon import BOTH_IN_FULL, BUILD, Client, TenonTest, eventually, tenon

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
TUS = {"Tus-Resumable": "1.0.0"}
STREAM = {**TUS, "Content-Type": "application/offset+octet-stream"}


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Files(TenonTest):
    engines = BOTH_IN_FULL
    arguments = ("--plugins", str(BUILD / "tests/plugins/zoo/keeps_files"), "--blobs-grace", "1s", "--blobs-max-size", "40MiB",
                 "--blobs-plugin", "100MiB", "--blobs-uploads", "3")

    def setUp(self):
        self.ada = Client(self.server).sign_in("ada")
        self.addCleanup(self.ada.close)

    @property
    def folder(self):
        return pathlib.Path(self.server.data) / "blobs/keeps-files"

    def another(self, login="bob"):
        """Another user."""
        listed = tenon("user", "list", "--data", self.server.data, "--json").stdout
        if f'"{login}"' not in listed:
            done = tenon("user", "add", login, "--role", "member", "--password-stdin", "--data", self.server.data,
                         stdin="correct horse battery\n")
            self.assertEqual(done.returncode, 0, done.stderr)
        client = Client(self.server).sign_in(login)
        self.addCleanup(client.close)
        return client

    def put(self, content):
        response = self.ada.post("/api/keeps-files/files", content)
        self.assertEqual(response.status, 201, response)
        self.assertEqual(response.json()["id"], sha256(content))
        return response.json()["id"]

    def create(self, size, client=None, name="a.txt", **headers):
        metadata = "filename " + base64.b64encode(name.encode()).decode()
        return (client or self.ada).post("/api/keeps-files/blobs", headers={
            **TUS, "Upload-Length": str(size), "Upload-Metadata": metadata, **headers})

    def begin(self, size):
        response = self.create(size)
        self.assertEqual(response.status, 201, response)
        self.assertRegex(response.headers["location"], "^/api/keeps-files/blobs/uploads/[0-9a-f-]{36}$")
        self.addCleanup(lambda: self.ada.delete(response.headers["location"], headers=TUS))
        return response.headers["location"]

    def send_part(self, path, offset, content, client=None, **headers):
        return (client or self.ada).patch(path, content, headers={**STREAM, "Upload-Offset": str(offset), **headers})

    def head(self, path, client=None):
        return (client or self.ada).request("HEAD", path, headers=TUS)


    def wait_until_swept(self, blob):
        eventually(lambda: self.ada.get(f"/api/keeps-files/facts/{blob}").status == 404)


class Bounds(Files):
    def test_limits_uploads_per_user_and_bytes_per_plugin(self):
        paths = [self.begin(30 << 20) for _ in range(3)]
        self.assert_problem(self.create(1), 429, "blobs.too_many_uploads")
        bob = self.another()
        self.assert_problem(self.create(30 << 20, bob), 507, "blobs.quota")
        for path in paths:
            self.assertEqual(self.ada.delete(path, headers=TUS).status, 204)


class Responses(Files):
    def test_serves_file_as_cacheable_download(self):
        content = b"<script>alert(1)</script>" * 1000
        blob = self.put(content)
        response = self.ada.get(f"/api/keeps-files/files/{blob}?name=a%22%C3%A4%2F..%2Fb.html")
        self.assertEqual((response.status, response.body), (200, content))
        self.assertEqual(response.headers["content-type"], "application/octet-stream")
        self.assertEqual(response.headers["content-disposition"], 'attachment; filename="b.html"')
        self.assertEqual(response.headers["x-content-type-options"], "nosniff")
        self.assertEqual(response.headers["content-security-policy"], "sandbox; default-src 'none'")
        self.assertEqual(response.headers["cache-control"], "private, max-age=31536000, immutable")
        self.assertEqual(response.headers["etag"], f'"{blob}"')
        again = self.ada.get(f"/api/keeps-files/files/{blob}", If_None_Match=f'"{blob}"')
        self.assertEqual((again.status, again.body), (304, b""))

    def test_serves_ranges_and_heads(self):
        content = bytes(range(256)) * 400
        path = f"/api/keeps-files/files/{self.put(content)}"
        part = self.ada.get(path, Range="bytes=100-299")
        self.assertEqual((part.status, part.body), (206, content[100:300]))
        self.assertEqual(part.headers["content-range"], f"bytes 100-299/{len(content)}")
        self.assertEqual(self.ada.get(path, Range="bytes=-5").body, content[-5:])
        self.assertEqual(self.ada.get(path, Range=f"bytes={len(content)}-").status, 416)
        head = self.ada.request("HEAD", path)
        self.assertEqual((head.status, head.headers["content-length"], head.body), (200, str(len(content)), b""))

    def test_shows_only_images_detected_by_content(self):
        shown = self.ada.get(f"/api/keeps-files/files/{self.put(PNG)}?name=%C3%A4.png")
        self.assertEqual(shown.headers["content-type"], "image/png")
        self.assertEqual(shown.headers["content-disposition"], "inline; filename=\"__.png\"; filename*=UTF-8''%C3%A4.png")
        saved = self.ada.get(f"/api/keeps-files/files/{self.put(PNG)}?save=true")
        self.assertEqual((saved.headers["content-type"], saved.headers["content-disposition"]),
                         ("application/octet-stream", "attachment"))
        svg = self.ada.get(f"/api/keeps-files/files/{self.put(b'<svg/>')}?name=a.png")
        self.assertEqual(svg.headers["content-disposition"], 'attachment; filename="a.png"')

    def test_returns_404_for_missing_files(self):
        self.assert_problem(self.ada.get(f"/api/keeps-files/files/{sha256(b'none')}"), 404, "blobs.not_found")
        self.assert_problem(self.ada.get("/api/keeps-files/files/tenon.db"), 404, "blobs.not_found")
        self.assertEqual(self.client().get(f"/api/keeps-files/files/{self.put(b'x')}").status, 401)

    def test_rejects_file_over_limit_and_leaves_nothing(self):
        response = self.ada.post("/api/keeps-files/files", b"x" * (41 << 20))
        self.assert_problem(response, 413, "blobs.too_large")
        self.assertTrue(eventually(lambda: list((self.folder / "tmp").iterdir()) == []))


class Damage(Files):
    # Nothing is swept while it is looked at.
    arguments = (*Files.arguments[:2], "--blobs-grace", "1d")

    def test_reports_damage_and_repairs_it_with_same_content(self):
        content = b"d" * 1000
        blob = self.put(content)
        self.assertEqual(self.doctor(), (0, ""))
        file = self.folder / blob[:2] / blob[2:]
        file.write_bytes(b"e" * 1000)
        code, said = self.doctor()
        self.assertEqual(code, 1)
        self.assertIn(str(file), said)
        self.assertIn("its hash is another", said)
        file.write_bytes(content[:-1])
        self.assertIn("999 bytes instead of 1000", self.doctor()[1])
        self.assert_problem(self.ada.get(f"/api/keeps-files/files/{blob}"), 503, "blobs.damaged")
        file.unlink()
        self.assertIn("missing", self.doctor()[1])
        self.put(content)
        self.assertEqual(self.ada.get(f"/api/keeps-files/files/{blob}").body, content)
        self.assertEqual(self.doctor(), (0, ""))

    def doctor(self):
        """Exit code, and what it says of blobs."""
        done = tenon("doctor", "--data", self.server.data, "--json")
        report = json.loads(done.stdout)
        check = next(check for check in report["checks"] if check["check"] == "blobs")
        return int(bool(check["findings"])), "".join(f"{finding['where']}: {finding['what']}" for finding in check["findings"])


class Uploads(Files):
    def test_assembles_pieces_into_file_of_the_sender(self):
        content = PNG + os.urandom(3_000_000)
        path = self.begin(len(content))
        first = self.send_part(path, 0, content[:1_000_000])
        self.assertEqual((first.status, first.headers["upload-offset"]), (204, "1000000"))
        self.assertEqual(first.headers["tus-resumable"], "1.0.0")
        self.assertNotIn("blob-id", first.headers)
        head = self.head(path)
        self.assertEqual((head.status, head.headers["upload-offset"], head.headers["upload-length"]),
                         (200, "1000000", str(len(content))))
        self.assertIn("filename ", head.headers["upload-metadata"])
        self.assertEqual(head.headers["cache-control"], "no-store")
        last = self.send_part(path, 1_000_000, content[1_000_000:])
        self.assertEqual((last.status, last.headers["blob-id"]), (204, sha256(content)))
        self.assertEqual((last.headers["blob-size"], last.headers["blob-type"]), (str(len(content)), "image/png"))
        described = self.ada.get(path).json()
        self.assertEqual((described["name"], described["blob"]["id"]), ("a.txt", sha256(content)))
        # Naming an id is not enough.
        self.assert_problem(self.another().post(f"/api/keeps-files/attach/{sha256(content)}"), 403, "keeps-files.not_yours")
        self.assertEqual(self.ada.post(f"/api/keeps-files/attach/{sha256(content)}").status, 204)
        self.wait_until_swept(self.put(os.urandom(100)))  # which nothing claims
        self.assertEqual(self.ada.get(f"/api/keeps-files/files/{sha256(content)}").body, content)
        self.assertEqual(self.ada.delete(f"/api/keeps-files/files/{sha256(content)}").status, 204)
        self.wait_until_swept(sha256(content))

    def test_completes_empty_upload_at_creation(self):
        response = self.create(0)
        self.assertEqual((response.status, response.headers["blob-id"]), (201, sha256(b"")))

    def test_restricts_upload_to_its_user(self):
        path = self.begin(10)
        bob = self.another()
        self.assert_problem(bob.get(path), 404, "blobs.no_upload")
        self.assert_problem(self.send_part(path, 0, b"x", bob), 404, "blobs.no_upload")
        self.assert_problem(bob.delete(path, headers=TUS), 404, "blobs.no_upload")
        guest = self.client()
        self.assertEqual(self.create(10, guest).status, 401)
        self.assertEqual(guest.get(path).status, 401)
        self.assertEqual(self.ada.delete(path, headers=TUS).status, 204)
        self.assertEqual(self.head(path).status, 404)

    def test_rejects_upload_from_another_site(self):
        path = self.begin(10)
        there = {"Sec-Fetch-Site": "cross-site"}
        self.assert_problem(self.create(10, **there), 403, "identity.cross_origin")
        self.assert_problem(self.send_part(path, 0, b"x", **there), 403, "identity.cross_origin")
        self.assert_problem(self.ada.delete(path, headers={**TUS, **there}), 403, "identity.cross_origin")

    def test_rejects_invalid_uploads(self):
        path = self.begin(10)
        self.assert_problem(self.create(10, **{"Tus-Resumable": None}), 412, "blobs.protocol")
        self.assertEqual(self.create(10, **{"Tus-Resumable": "0.2.2"}).headers["tus-version"], "1.0.0")
        self.assert_problem(self.create("ten"), 400, "blobs.bad_field")
        self.assert_problem(self.create(-1), 400, "blobs.bad_field")
        self.assert_problem(self.create(10, **{"Upload-Metadata": "filename ?"}), 400, "blobs.bad_metadata")
        self.assert_problem(self.create((40 << 20) + 1), 413, "blobs.too_large")
        self.assert_problem(self.send_part(path, 5, b"x"), 409, "blobs.wrong_offset")
        self.assert_problem(self.send_part(path, 0, b"x", **{"Content-Type": "text/plain"}), 415, "blobs.not_offset_stream")
        self.assert_problem(self.send_part(path, 0, b"x" * 11), 413, "blobs.too_long")
        self.assertEqual(self.head(path).headers["upload-offset"], "0")

    def test_resumes_where_connection_broke(self):
        content = os.urandom(2_000_000)
        path = self.begin(len(content))
        deadline = time.monotonic() + 60
        with self.start_sending(path, 0, content, 700_000):
            while int(self.head(path).headers["upload-offset"]) < 300_000:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
        # While the broken upload still runs, others get an error. No body: the HTTP server disconnects a client that sends a long one after
        # the response.
        offset = int(self.head(path).headers["upload-offset"])
        while (free := self.send_part(path, offset, b"")).status != 204:
            self.assertIn(free.status, (409, 423), free)
            self.assertLess(time.monotonic(), deadline)
            offset = int(self.head(path).headers["upload-offset"])
        response = self.send_part(path, offset, content[offset:])
        self.assertEqual((response.status, response.headers.get("blob-id")), (204, sha256(content)), response)

    def start_sending(self, path, offset, content, count):
        """A PATCH of which only `count` bytes are sent: its socket."""
        sender = socket.create_connection((self.server.host, self.server.port))
        cookies = "; ".join(f"{name}={value}" for name, value in self.ada.cookies.items())
        sender.sendall((f"PATCH {path} HTTP/1.1\r\nHost: {self.server.host}:{self.server.port}\r\nCookie: {cookies}\r\n"
                        "Sec-Fetch-Site: same-origin\r\nTus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\n"
                        f"Upload-Offset: {offset}\r\nContent-Length: {len(content) - offset}\r\n\r\n").encode()
                       + content[offset:offset + count])
        return sender

    def test_survives_server_killed_during_upload(self):
        content = os.urandom(8_000_000)
        path = self.begin(len(content))
        offset = 0
        for count in (1_500_000, 2_500_000):
            file = self.folder / "uploads" / path.rpartition("/")[2]
            with self.start_sending(path, offset, content, count):
                deadline = time.monotonic() + 60
                while file.stat().st_size < offset + count // 2:
                    self.assertLess(time.monotonic(), deadline)
                self.server.kill()
            there = file.stat().st_size
            # An earlier test has just enabled the plugin, which would be blamed for the second death in a row.
            (pathlib.Path(self.server.data) / "run" / "loading").unlink(missing_ok=True)
            self.server.start()
            self.ada = Client(self.server).sign_in("ada")
            self.addCleanup(self.ada.close)
            head = self.head(path)
            self.assertEqual(int(head.headers["upload-offset"]), there)
            self.assertGreater(there, offset)
            offset = there
        done = self.send_part(path, offset, content[offset:])
        self.assertEqual((done.status, done.headers["blob-id"]), (204, sha256(content)))
        self.assertEqual(self.ada.get(f"/api/keeps-files/files/{sha256(content)}").body, content)

    def test_follows_disabled_and_enabled_plugin(self):
        path = self.begin(10)
        self.assertEqual(self.send_part(path, 0, b"01234").status, 204)
        self.assertEqual(self.ada.post("/api/core/plugins/keeps-files/disable").status, 200)
        self.assert_problem(self.ada.get(path), 404, "plugins.not_active")
        self.assertEqual(self.ada.post("/api/core/plugins/keeps-files/enable").status, 200)
        self.assertEqual(self.send_part(path, 5, b"56789").headers["blob-id"], sha256(b"0123456789"))

    def test_keeps_large_upload_out_of_memory(self):
        size = 38 << 20
        before = self.max_memory()
        path = self.begin(size)
        content = b"m" * size
        self.assertEqual(self.send_part(path, 0, content).headers["blob-id"], sha256(content))
        self.assertEqual(len(self.ada.get(f"/api/keeps-files/files/{sha256(content)}").body), size)
        self.assertLess(self.max_memory() - before, 16 << 20)

    def max_memory(self):
        """The most that the server has had in memory so far, in bytes."""
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
        return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM"))
