"""Import and export: nothing lost, on made-up awkward files and on real ones."""

import unittest
import uuid

from notes_case import NotesTest
from tenon import ROOT

BATCH_FILES, BATCH_BYTES = 100, 900_000
PACKAGES = [ROOT / "shell-ui" / "node_modules", ROOT / "tools" / "node" / "node_modules"]
WANTED_FILES = 500


def real_files():
    """{path: text} of the Markdown files of the npm packages, as a person's folder of notes would come."""
    files = {}
    for folder in PACKAGES:
        for path in sorted(folder.rglob("*.md")):
            if path.is_symlink() or not path.is_file() or path.stat().st_size > 700_000:
                continue
            name = path.relative_to(folder.parent.parent).as_posix()
            if not any(part.startswith(".") for part in name.split("/")):
                files[name] = path.read_bytes()
    return files


def batches(files):
    batch, size = {}, 0
    for path, text in files.items():
        if batch and (len(batch) == BATCH_FILES or size + len(text) * 1.1 > BATCH_BYTES):
            yield batch
            batch, size = {}, 0
        batch[path], size = text, size + len(text) * 1.1
    yield batch


class RealFiles(NotesTest):
    def test_exports_imported_files_unchanged(self):
        if not PACKAGES[0].is_dir():
            raise unittest.SkipTest("the npm packages are not installed")
        contents = {}
        for path, content in real_files().items():
            try:
                contents[path] = content.decode("utf-8")
            except UnicodeDecodeError:
                continue  # the browser reports these itself
        self.assertGreaterEqual(len(contents), WANTED_FILES)

        kept = {}
        import_id = str(uuid.uuid4())
        for batch in batches(contents):
            response = self.import_files(batch, import_id=import_id)
            for file in response["results"]:
                if file["result"] == "failed":
                    self.assertEqual("notes.too_deep", file["code"], file)
                else:
                    self.assertEqual("created", file["result"], file)
                    kept[file["path"]] = file["note"]
        self.assertGreaterEqual(len(kept), WANTED_FILES)

        exported = self.export()
        self.assertEqual(set(kept), set(exported))
        for path, note in kept.items():
            self.assertEqual((note, contents[path]), (exported[path]["id"], exported[path]["text"]), path)

        self.check_search(contents, kept)
        self.check_edit(contents, kept)
        again = [self.import_files(batch) for batch in batches(contents)]
        self.assertEqual(len(kept) - 1, sum(response["unchanged"] for response in again))

    def check_search(self, contents, kept):
        found = self.get("/search", q="react hooks", limit=50)["items"]
        self.assertTrue(found)
        paths = {note: path for path, note in kept.items()}
        for item in found:
            text = (contents[paths[item["note"]["id"]]] + item["note"]["title"]).lower()
            self.assertTrue("react" in text and "hooks" in text, item["note"]["title"])

    def check_edit(self, contents, kept):
        """One edited note differs by the edit alone, all others not at all."""
        path = next(iter(kept))
        note = self.get(f"/notes/{kept[path]}")
        edited = note["text"] + "\nAdded by hand: kumquat.\n"
        self.save(note, text=edited)
        self.assertEqual([note["id"]], [item["note"]["id"] for item in self.get("/search", q="kumquat")["items"]])
        exported = self.export()
        for each in kept:
            self.assertEqual(edited if each == path else contents[each], exported[each]["text"], each)


class Import(NotesTest):
    AWKWARD = {
        "empty.md": "",
        "no end of line.md": "x",
        "windows.md": "---\r\ntitle: W\r\n---\r\n# x\r\n",
        "mark.md": "\ufeff# With a byte order mark\n",
        "controls.md": "\x01\x02\x03\x0b\x7f\u0085\u2028\ufffe",
        "emoji \U0001f34b/ümläut.md": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "UPPER.MD": "a", "upper.md": "b",
        "same/readme.md": "1", "same/README.md": "2", "same/readme.markdown": "3",
        "a b/c%20d.md": "[x](<../empty.md>)",
        "---.md": "---\n---\n---\n",
        "tabs.txt": "\t\t\n \n",
        "a.b.c.md": "```\nnever closed",
        "long line.md": "[" * 5000 + "](" * 5000 + "`" * 5001,
    }

    def test_exports_awkward_files_byte_for_byte(self):
        response = self.import_files(self.AWKWARD)
        self.assertEqual(len(self.AWKWARD), response["created"], response)
        exported = self.export()
        for path, text in self.AWKWARD.items():
            self.assertEqual(text, exported[path]["text"], path)

    def test_creates_no_duplicates_from_retried_batch(self):
        import_id, files = str(uuid.uuid4()), {"retry/a.md": "# A", "retry/b.md": "# B"}
        first = self.import_files(files, import_id=import_id)
        self.call("PATCH", f"/notes/{first['results'][0]['note']}", {"text": "# A\nedited"}, If_Match='"1"')
        self.assertEqual(first, self.import_files(files, import_id=import_id))
        self.assertEqual({"retry/a.md": "# A\nedited", "retry/b.md": "# B"},
                         {path: each["text"] for path, each in self.export().items() if path.startswith("retry/")})

    def test_imports_same_folder_again(self):
        self.import_files({"twice/a.md": "one"})
        self.assertEqual(1, self.import_files({"twice/a.md": "one"})["unchanged"])
        changed = self.import_files({"twice/a.md": "two"})["results"][0]
        self.assertEqual(("created", "a (2).md"), (changed["result"], changed["file"]))
        self.assertEqual(1, self.import_files({"twice/a.md": "two"})["unchanged"])

    def test_reads_front_matter(self):
        results = self.import_files({
            "self/front.md": "---\ntitle: \"From: front\"\ntags:\n  - x\n  - Y z\n---\n# Heading", "self/head.md": "text\n\nHeading *two*\n===\n",
            "self/Only the name.md": "text"})["results"]
        notes = [self.get(f"/notes/{each['note']}") for each in results]
        self.assertEqual(["From: front", "Heading two", "Only the name"], [note["title"] for note in notes])
        self.assertEqual(["x", "Y z"], notes[0]["tags"])
        self.assertEqual("import", self.rows(f"/notes/{notes[0]['id']}/revisions")[0]["kind"])

    def test_reports_skipped_files_with_reason(self):
        deep = "/".join(["d"] * 17) + "/x.md"
        cases = {"x.png": ("skipped", "notes.not_markdown"), "noending": ("skipped", "notes.not_markdown"),
                 ".git/a.md": ("skipped", "notes.hidden"), "a/.b.md": ("skipped", "notes.hidden"),
                 "../a.md": ("failed", "notes.path_invalid"), "/a.md": ("failed", "notes.path_invalid"),
                 "a//b.md": ("failed", "notes.path_invalid"), "a\\b.md": ("failed", "notes.path_invalid"),
                 "a/" + "x" * 1100 + ".md": ("failed", "notes.path_invalid"), deep: ("failed", "notes.too_deep"),
                 "big.md": ("failed", "notes.text_too_long")}
        before = self.get("/notebooks")
        response = self.import_files({path: "x" * 786_433 if path == "big.md" else "x" for path in cases})
        self.assertEqual(cases, {each["path"]: (each["result"], each["code"]) for each in response["results"]})
        self.assertEqual((0, 4, 7), (response["created"], response["skipped"], response["failed"]))
        self.assertEqual(before, self.get("/notebooks"))

    def test_rejects_malformed_bodies(self):
        good = {"import": str(uuid.uuid4()), "files": []}
        file = {"path": "a.md", "text": ""}
        for body, field, code in [
                ({**good, "import": "x"}, "import", "wrong_value"), ({"files": []}, "import", "required"),
                ({"import": good["import"]}, "files", "required"), ({**good, "files": {}}, "files", "wrong_type"),
                ({**good, "files": [file] * 101}, "files", "too_many"), ({**good, "files": [{"path": "a.md"}]}, "files.0", "wrong_value"),
                ({**good, "files": [{**file, "mode": "x"}]}, "files.0", "wrong_value"),
                ({**good, "files": [{**file, "modified": "yesterday"}]}, "files.0", "wrong_value")]:
            with self.subTest(field=field, code=code):
                self.assert_refused(self.response("POST", "/import", body), 422, "notes.validation", field, code)
        gone = {**good, "notebook": str(uuid.uuid4())}
        self.assert_problem(self.response("POST", "/import", gone), 404, "notes.notebook_gone")

    def test_imports_into_notebook_with_file_time(self):
        target = self.notebook("Target")
        body = {"import": str(uuid.uuid4()), "notebook": target["id"],
                "files": [{"path": "in/a.md", "text": "x", "modified": "2020-02-03T04:05:06+01:00"},
                          {"path": "in/b.md", "text": "y", "modified": "2999-01-01T00:00:00Z"}]}
        old, ahead = (self.get(f"/notes/{each['note']}") for each in self.call("POST", "/import", body)["results"])
        self.assertEqual("2020-02-03T03:05:06.000Z", old["updated"])
        self.assertLess(ahead["updated"], "2999")
        self.assertEqual({"Target/in/a.md", "Target/in/b.md"}, set(self.export(notebook=target["id"])))


class Export(NotesTest):
    def test_writes_changes_to_front_matter_for_next_import(self):
        self.import_files({"trip/a.md": "# A\nbody"})
        note = self.get("/suggest", q="A")["items"][0]
        self.call("PATCH", f"/notes/{note['id']}", {"title": "Renamed: a", "tags": ["New", "two words"]}, If_Match='"1"')
        record = self.export()["trip/a.md"]
        self.assertEqual('---\ntitle: "Renamed: a"\ntags: ["New", "two words"]\n---\n# A\nbody', record["text"])
        again = self.import_files({"round/a.md": record["text"]})["results"][0]
        self.assertEqual(("Renamed: a", ["New", "two words"]),
                         tuple(self.get(f"/notes/{again['note']}")[key] for key in ("title", "tags")))

    def test_exports_distinct_paths_without_trash(self):
        book = self.notebook("Same names")
        for _ in range(5):
            self.create("Same: name", notebook=book["id"])
        self.trash(self.create("Thrown away", notebook=book["id"]))
        self.assertEqual({"Same names/Same- name.md"} | {f"Same names/Same- name ({i}).md" for i in (2, 3, 4, 5)},
                         set(self.export(notebook=book["id"])))

    def test_exports_one_note_as_file(self):
        note = self.create("Größe \"x\"", "text\r\n", tags=["t"])
        response = self.response("GET", f"/notes/{note['id']}/markdown")
        self.assertEqual("text/markdown; charset=utf-8", response.headers["content-type"])
        self.assertEqual("attachment; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20-x-.md", response.headers["content-disposition"])
        self.assertEqual('---\r\ntitle: "Größe \\"x\\""\r\ntags: ["t"]\r\n---\r\ntext\r\n', response.body.decode())

    def test_rejects_export_of_unknown_notebook(self):
        self.assert_problem(self.response("GET", f"/export?notebook={uuid.uuid4()}"), 404, "notes.not_found")
        self.assert_problem(self.response("GET", "/export?notebook=x"), 400, "notes.bad_query")
