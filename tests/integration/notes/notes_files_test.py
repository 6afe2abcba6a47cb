"""Files of notes: uploaded in pieces, kept with their note, readable for its readers, gone when it is deleted for ever."""

import base64
import struct
import uuid
import zlib

from notes_case import API, NotesTest
from tenon import core_rows, eventually, plugin_rows

TUS = {"Tus-Resumable": "1.0.0"}
STREAM = {**TUS, "Content-Type": "application/offset+octet-stream"}


def png(width=3, height=2):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(3 * width) for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Files(NotesTest):
    arguments = ("--blobs-grace", "1s")

    def begin(self, size, name="a.bin", client=None):
        metadata = "filename " + base64.b64encode(name.encode()).decode()
        response = (client or self.ada).post(f"{API}/blobs", headers={**TUS, "Upload-Length": str(size), "Upload-Metadata": metadata})
        self.assertEqual(201, response.status, response)
        return response.headers["location"]

    def upload(self, content, client=None):
        path = self.begin(len(content), client=client)
        response = (client or self.ada).patch(path, content, headers={**STREAM, "Upload-Offset": "0"})
        self.assertEqual(204, response.status, response)
        return response.headers["blob-id"]

    def attach(self, note, content, name="photo.png", status=201, client=None, **more):
        fields = {"id": str(uuid.uuid4()), "blob": self.upload(content, client), "name": name, **more}
        fields.setdefault("target", f"attachments/{fields['id']}/{name}")
        return self.call("POST", f"/notes/{note['id']}/attachments", fields, status, client)

    def test_uploads_in_pieces_and_attaches_to_note(self):
        note = self.create("With a picture")
        content = png() + bytes(200_000)
        path = self.begin(len(content), "photo.png")
        self.ada.patch(path, content[:70_000], headers={**STREAM, "Upload-Offset": "0"})
        head = self.ada.request("HEAD", path, headers=TUS)
        self.assertEqual("70000", head.headers["upload-offset"])
        blob = self.ada.patch(path, content[70_000:], headers={**STREAM, "Upload-Offset": "70000"}).headers["blob-id"]
        id_ = str(uuid.uuid4())
        body = {"id": id_, "blob": blob, "target": f"attachments/{id_}/photo.png", "name": "photo.png", "width": 3, "height": 2}
        made = self.call("POST", f"/notes/{note['id']}/attachments", body, 201)
        self.assertEqual(("image/png", len(content), 3, 2), tuple(made[name] for name in ("type", "bytes", "width", "height")))
        self.assertEqual(made, self.call("POST", f"/notes/{note['id']}/attachments", body, 200))
        self.assertEqual([made], self.note(note)["attachments"])
        shown = self.response("GET", f"/attachments/{id_}")
        self.assertEqual((content, "image/png"), (shown.body, shown.headers["content-type"]))
        self.assertIn("immutable", shown.headers["cache-control"])

    def test_serves_active_content_as_download(self):
        note = self.create("Dangerous")
        for name, content in {"a.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", "b.html": b"<script>1</script>",
                              "c.png": b"<html><script>1</script>"}.items():
            made = self.attach(note, content, name)
            self.assertEqual("", made["type"])
            response = self.response("GET", f"/attachments/{made['id']}")
            self.assertEqual("application/octet-stream", response.headers["content-type"])
            self.assertRegex(response.headers["content-disposition"], "^attachment")
            self.assertEqual("nosniff", response.headers["x-content-type-options"])
        picture = self.attach(note, png(), "d.png")
        self.assertRegex(self.response("GET", f"/attachments/{picture['id']}?save=true").headers["content-disposition"], "^attachment")

    def test_serves_files_to_readers_of_the_note(self):
        bob, _ = self.add_member("bob"), self.add_member("eve")
        note = self.create("Shared")
        made = self.attach(note, png())
        path = f"/attachments/{made['id']}"
        client = self.client("bob")
        self.assert_problem(self.response("GET", path, client=client), 404, "notes.not_found")
        self.share(note, "reader", "user", bob["id"])
        self.assertEqual(200, self.response("GET", path, client=client).status)
        self.assert_problem(self.response("DELETE", path, client=client), 403, "notes.read_only")
        self.assert_problem(self.response("GET", path, client=self.client("eve")), 404, "notes.not_found")
        body = {"id": str(uuid.uuid4()), "blob": self.upload(png(4), client), "target": "b.png", "name": "b.png"}
        self.assert_problem(self.response("POST", f"/notes/{note['id']}/attachments", body, client), 403, "notes.read_only")

    def test_attaches_only_own_uploads(self):
        self.add_member("kim")
        blob = self.upload(b"of ada")
        note = self.call("POST", "/notes", {"title": "Of kim"}, 201, self.client("kim"))
        for named in (blob, "0" * 64):
            body = {"id": str(uuid.uuid4()), "blob": named, "target": "a.txt", "name": "a.txt"}
            response = self.response("POST", f"/notes/{note['id']}/attachments", body, self.client("kim"))
            self.assert_refused(response, 422, "notes.validation", "blob", "unknown")

    def test_removes_file_with_deleted_note(self):
        note, other = self.create("Goes"), self.create("Stays")
        content, kept = b"goes " + uuid.uuid4().bytes, b"stays " + uuid.uuid4().bytes
        made = self.attach(note, content, "a.txt")
        self.attach(note, kept, "b.txt")
        stays = self.attach(other, kept, "b.txt")
        removed = self.attach(other, b"removed " + uuid.uuid4().bytes, "c.txt")
        self.trash(note)
        self.assertEqual(content, self.response("GET", f"/attachments/{made['id']}").body)
        self.call("DELETE", f"/notes/{note['id']}?forever=true", status=204)
        self.assert_problem(self.response("GET", f"/attachments/{made['id']}"), 404, "notes.not_found")
        self.call("DELETE", f"/attachments/{removed['id']}", status=204)
        folder = self.server.data / "blobs" / "notes"
        kept_files = lambda: [path for path in folder.rglob("*") if path.is_file() and b"stays" in path.read_bytes()[:5]]  # noqa: E731
        gone_files = lambda: [path for path in folder.rglob("*")  # noqa: E731
                              if path.is_file() and path.read_bytes()[:4] in (b"goes", b"remo")]
        self.assertTrue(eventually(lambda: not gone_files()), "never swept")
        self.assertEqual(1, len(kept_files()))
        self.assertEqual(kept, self.response("GET", f"/attachments/{stays['id']}").body)

    def test_removes_files_left_by_a_crash(self):
        content = b"left " + uuid.uuid4().bytes
        made = self.attach(self.create("Left"), content, "a.txt")
        left_files = lambda: [path for path in (self.server.data / "blobs" / "notes").rglob("*")  # noqa: E731
                              if path.is_file() and path.read_bytes() == content]
        self.server.kill()
        plugin_rows(self.server, "notes", f"DELETE FROM attachments WHERE id = '{made['id']}'")
        core_rows(self.server, "UPDATE jobs_schedules SET next_ms = next_ms - 86400000 WHERE plugin = 'notes' AND name = 'release'")
        self.assertEqual(1, len(left_files()))
        self.server.start()
        self.assertTrue(eventually(lambda: not left_files()), "never swept")

    def test_names_invalid_field(self):
        note = self.create("Wrong")
        blob = self.upload(b"x")
        good = {"id": str(uuid.uuid4()), "blob": blob, "target": "a.txt", "name": "a.txt"}
        wrong = [("id", "7"), ("blob", "abc"), ("target", "/a"), ("target", "https://a.example/b"), ("target", "javascript:1"), ("target", "a?b"),
                 ("target", "a" * 1025), ("target", ""), ("name", "a/b"), ("name", ".."), ("name", ""), ("width", 0), ("height", "2")]
        for field, value in wrong:
            with self.subTest(field=field, value=value):
                response = self.response("POST", f"/notes/{note['id']}/attachments", {**good, field: value})
                problem = self.assert_problem(response, 422, "notes.validation")
                self.assertEqual([field], [each["field"] for each in problem["errors"]])
        self.call("POST", f"/notes/{note['id']}/attachments", good, 201)
        again = {**good, "id": str(uuid.uuid4())}
        self.assert_problem(self.response("POST", f"/notes/{note['id']}/attachments", again), 409, "notes.attachment_exists")
        self.assert_problem(self.response("POST", f"/notes/{note['id']}/attachments", {**good, "target": "c"}), 409, "notes.exists")
        for number in range(199):
            more = {**good, "id": str(uuid.uuid4()), "target": f"{number}.txt"}
            self.call("POST", f"/notes/{note['id']}/attachments", more, 201)
        more = {**good, "id": str(uuid.uuid4()), "target": "beyond.txt"}
        self.assert_problem(self.response("POST", f"/notes/{note['id']}/attachments", more), 422, "notes.too_many_attachments")
        self.trash(note)
        self.assert_problem(self.response("POST", f"/notes/{note['id']}/attachments", more), 409, "notes.in_trash")

    def test_lists_files_in_export(self):
        top = self.notebook(f"Work {uuid.uuid4()}")
        note = self.create("Plan", notebook=top["id"])
        made = self.attach(note, png(), "über uns.png", target="img/%C3%BCber%20uns.png")
        out = self.attach(note, b"x", "out.txt", target="../../../out.txt")
        record = self.export()[f"{top['name']}/Plan.md"]
        listed = {each["id"]: each for each in record["attachments"]}
        self.assertEqual(f"{top['name']}/img/über uns.png", listed[made["id"]]["path"])
        self.assertIsNone(listed[out["id"]]["path"])
        self.assertEqual((made["bytes"], "über uns.png"), (listed[made["id"]]["bytes"], listed[made["id"]]["name"]))
