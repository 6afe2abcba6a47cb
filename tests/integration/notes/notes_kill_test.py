"""kill -9 while 64 people write: whatever was acknowledged is there afterwards."""

import http.client
import threading
import time
import uuid

from notes_case import NotesTest
from tenon import ENGINE

WRITERS = 64
WRITES_BEFORE_THE_KILL = 600 if ENGINE == "sqlite" else 200  # a way to PostgreSQL for each statement


class Writer(threading.Thread):
    """Creates notes and saves them again, one after the other, and remembers what was acknowledged."""

    def __init__(self, test, number):
        super().__init__(daemon=True)
        self.test, self.number = test, number
        self.client = test.another_window()
        self.kept = {}     # id → (version, text) as acknowledged
        self.asked = {}    # id → (version, text) that was on its way when the server died
        self.wrong = []

    def run(self):
        try:
            while True:
                self.write(str(uuid.uuid4()))
        except (OSError, http.client.HTTPException):
            pass  # killed

    def write(self, note):
        for version in (1, 2):
            text = f"writer {self.number} version {version} " + "x" * 300
            self.asked = {note: (version, text)}
            if version == 1:
                body = {"id": note, "title": f"By {self.number}", "text": text, "tags": ["kill"]}
                response = self.test.response("POST", "/notes", body, self.client)
            else:
                response = self.test.response("PATCH", f"/notes/{note}", {"text": text}, self.client, If_Match='"1"')
            if response.status in (200, 201):
                self.kept[note] = (version, text)
            elif response.status != 503:
                self.wrong.append(response)
                return
            self.asked = {}
            if response.status == 503:
                return  # too much is waiting: without its first version there is no second one


class Kill(NotesTest):
    def test_keeps_every_acknowledged_note_after_kill(self):
        acknowledged = {}
        for round_number in (1, 2):
            writers = [Writer(self, number) for number in range(WRITERS)]
            for writer in writers:
                writer.start()
            self.wait(lambda: sum(len(writer.kept) for writer in writers) >= WRITES_BEFORE_THE_KILL)
            self.server.kill()
            for writer in writers:
                writer.join(60)
                self.assertFalse(writer.is_alive())
                self.assertEqual([], writer.wrong)
            self.server.start()
            self.ada.close()
            on_the_way = {}
            for writer in writers:
                acknowledged.update(writer.kept)
                on_the_way.update(writer.asked)
            self.check(acknowledged, on_the_way)
            acknowledged.update({note: (0, text) for note, text in self.state().items() if note in on_the_way})

    def wait(self, condition):
        deadline = time.monotonic() + 120
        while not condition():
            self.assertLess(time.monotonic(), deadline, "the writers do not come forward")
            time.sleep(0.01)

    def state(self):
        records = self.export()
        return {each["id"]: each["text"].partition("---\n")[2].partition("---\n")[2] for each in records.values()}

    def check(self, acknowledged, on_the_way):
        """No acknowledged note is lost or half-way, and no note appears that was not written; links and tags of the notes agree."""
        there = self.state()
        for note, (_, text) in acknowledged.items():
            allowed = {text, on_the_way.get(note, (0, text))[1]}
            self.assertIn(there.get(note), allowed, note)
        for note in there:
            self.assertIn(note, acknowledged.keys() | on_the_way.keys())
        totals = self.get("/notebooks")["totals"]
        self.assertEqual(len(there), totals["notes"])
        self.assertEqual({"kill": len(there)}, {tag["name"]: tag["notes"] for tag in self.rows("/tags")})
        for note in list(there)[:50]:
            newest = self.rows(f"/notes/{note}/revisions")[0]
            self.assertEqual(there[note], self.get(f"/notes/{note}/revisions/{newest['id']}")["text"])
        self.assertEqual(200, len(self.rows("/search", q="writer version", limit=50)))
