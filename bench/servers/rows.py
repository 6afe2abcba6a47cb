"""The 10,000 tasks that every server of part `records` holds, and how they come into its database file."""

import random
import sqlite3
import uuid

COUNT = 10_000
FIELDS = ("id", "title", "body", "status", "priority", "assignee", "created", "updated")
WORDS = "plan draft review order call write check send move read close open ask test ship note list count sign mail".split()
CREATE_BODY = ('{"title":"Call the printer about the spring order","body":"' + "x" * 200 + '","status":"open","priority":3,'
               '"assignee":"anna"}')
UPDATE_BODY = '{"priority":7}'
SCHEMA = ("CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL, "
          "priority INTEGER NOT NULL, assignee TEXT, created TEXT NOT NULL, updated TEXT NOT NULL); "
          "CREATE INDEX tasks_created ON tasks (created); CREATE INDEX tasks_status ON tasks (status, created);")
# Kept up with the table, as Tenon keeps that of a published one.
SEARCH_SCHEMA = ("CREATE VIRTUAL TABLE tasks_search USING fts5(title, body, content='tasks'); "
                 "CREATE TRIGGER tasks_made AFTER INSERT ON tasks BEGIN "
                 "INSERT INTO tasks_search(rowid, title, body) VALUES (new.rowid, new.title, new.body); END; "
                 "CREATE TRIGGER tasks_changed AFTER UPDATE OF title, body ON tasks BEGIN "
                 "INSERT INTO tasks_search(tasks_search, rowid, title, body) VALUES ('delete', old.rowid, old.title, old.body); "
                 "INSERT INTO tasks_search(rowid, title, body) VALUES (new.rowid, new.title, new.body); END;")
WORD = "printer"  # of 100 titles
DEPTH = 9_000


def tasks(short_ids=False, time_format="{}T{}Z"):
    """Rows in the order of FIELDS, the same in every run. Ids are UUIDs, or 15 letters for PocketBase."""
    chance = random.Random(1)
    for number in range(COUNT):
        identity = uuid.UUID(int=chance.getrandbits(128), version=4)
        words = " ".join(chance.choice(WORDS) for _ in range(50))
        minutes, seconds = divmod(number, 60)
        time = time_format.format(f"2026-01-{1 + minutes // 60 // 24:02}", f"{minutes // 60 % 24:02}:{minutes % 60:02}:{seconds:02}.000")
        title = f"The {WORD} of {number}" if number % 100 == 7 else words[:40]
        yield (identity.hex[:15] if short_ids else str(identity), title, words[:200].ljust(200, "."),
               ("open", "doing", "done")[number % 3], number % 10, ("anna", "ben", "cleo", None)[number % 4], time, time)


def insert(path, rows, create=False, is_searched=False, table="tasks"):
    """Puts rows into a table of a file whose server does not run."""
    database = sqlite3.connect(path)
    if create:
        database.executescript("PRAGMA journal_mode = WAL; " + SCHEMA + (SEARCH_SCHEMA if is_searched else ""))
    names, marks = ", ".join(FIELDS), ", ".join("?" * len(FIELDS))
    with database:
        database.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)
    database.close()
