import contextlib
import http.client
import json
import os
import random
import sqlite3
import statistics
import subprocess
import tempfile
import time
import urllib.parse
import uuid

from results import Section
from servers.asking import Unavailable
from servers.pocketbase import PocketBase
from servers.postgresql import Postgresql
from servers.rows import CREATE_BODY, FIELDS, SCHEMA, SEARCH_SCHEMA
from servers.tenon_tasks import TenonTable

SIZES = (10_000, 100_000, 1_000_000)
REQUESTS = 30
WORDS = 28  # of a record: 8 in the title
VOCABULARY = 20_000
EVERY, RARE, PREFIX = "order", "printer", "orde"  # a word of each record, of one in 10,000, and a typed prefix of the former
BATCH = 100


def words_of(chance):
    """The vocabulary, the most frequent word first."""
    return ["".join(chance.choices("etaoinshrdlucmfwypvbgk", k=chance.randint(3, 9))) for _ in range(VOCABULARY)]


TWO = f"{EVERY} {words_of(random.Random(3))[0]}"  # and a word of most records
SEARCHES = (RARE, EVERY, PREFIX, TWO)
OPERATIONS = ("list", "filter", "get", *(f"search `{text}`" for text in SEARCHES), "`count=true`", "`count=exact`", "create", "batch")


def rows(count, short_ids=False, time_format="{}T{}Z"):
    """Rows in the order of FIELDS with texts of 28 words, the frequencies of which follow Zipf's law."""
    chance = random.Random(3)
    vocabulary = words_of(chance)
    weights, total = [], 0.0
    for rank in range(VOCABULARY):
        total += 1 / (rank + 1)
        weights.append(total)
    for number in range(count):
        words = chance.choices(vocabulary, cum_weights=weights, k=WORDS - 1)
        words.insert(chance.randrange(WORDS), EVERY)
        if number % 10_000 == 7:
            words[3] = RARE
        identity = uuid.UUID(int=chance.getrandbits(128), version=4)
        day, seconds = divmod(number, 86_400)
        moment = time_format.format(f"2026-01-{1 + day:02}", f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000")
        yield (identity.hex[:15] if short_ids else str(identity), " ".join(words[:8])[:200], " ".join(words[8:]),
               ("open", "doing", "done")[number % 3], number % 10, "anna", moment, moment)


def insert(path, table, count, **how):
    """Writes the rows without the table's triggers, rebuilds its search index, and returns the IDs of the newest rows."""
    ids = []
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.create_function("collect", 1, ids.append)
        triggers = database.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?", (table,)).fetchall()
        index = database.execute("SELECT name FROM sqlite_schema WHERE name IN (?, ?)", (f"tenon_{table}_search", f"{table}_search")).fetchone()
        with database:
            for name, _ in triggers:
                database.execute(f'DROP TRIGGER "{name}"')
            database.executemany(f"INSERT INTO {table} ({', '.join(FIELDS)}) VALUES ({', '.join('?' * len(FIELDS))})", rows(count, **how))
            if index:
                database.execute(f"INSERT INTO {index[0]} ({index[0]}) VALUES ('rebuild')")
            for _, sql in triggers:
                database.execute(sql)
        return [row[0] for row in database.execute(f"SELECT id FROM {table} ORDER BY rowid DESC LIMIT 1000")]


class GrownTenon(TenonTable):
    def __init__(self, build, count):
        super().__init__(build, options=("--threads-io", "1"))
        self.count = count

    def fill(self):
        return insert(self.database, self.table, self.count)

    def made_ready(self):
        table = self.create_path
        search = table + "?limit=20&q="
        self.paths = {"list": table + "?sort=-created", "filter": table + "?sort=-created&filter=status%20%3D%20%27open%27",
                      **{f"search `{text}`": search + urllib.parse.quote(text if text == PREFIX else text + " ") for text in SEARCHES},
                      "`count=true`": table + "?limit=1&count=true",
                      "`count=exact`": table + "?limit=1&count=exact"}
        self.batch = (table + "/batch", json.dumps({"create": [json.loads(CREATE_BODY)] * BATCH}))


class GrownOnPostgresql(GrownTenon):
    """The same records on PostgreSQL, copied there by `tenon data copy`."""

    name = "Tenon on PostgreSQL"

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.postgresql = stack.enter_context(Postgresql())
            super().__enter__()
            self.cleanup = stack.pop_all()
            return self

    def made_ready(self):
        if "--database" not in self.options:
            self.stop()
            plugins = os.path.join(self.folder, "plugins")
            subprocess.run([str(self.build / "bin" / "tenon"), "data", "copy", "--from", self.data, "--to", self.postgresql.url,
                            "--plugins", plugins], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.postgresql.analyze()
            self.options = (*self.options, "--database", self.postgresql.url)
            self.start()
        super().made_ready()

    def __exit__(self, *failure):
        super().__exit__(*failure)
        if hasattr(self, "cleanup"):
            self.cleanup.close()


class GrownPocketBase(PocketBase):
    """Without batch, which its version does not have. It searches with LIKE and has one form of count."""

    batch = None

    def __init__(self, count):
        self.count = count

    def fill(self, path):
        return insert(path, "tasks", self.count, short_ids=True, time_format="{} {}Z")

    def prepare(self):
        super().prepare()
        search = self.create_path + "?perPage=20&skipTotal=1&filter="
        likes = {text: "&&".join(f"(title~'{word}'||body~'{word}')" for word in text.split()) for text in SEARCHES}
        self.paths = {"list": self.list_path, "filter": self.lists["filtered"],
                      **{f"search `{text}`": search + urllib.parse.quote(like, safe="") for text, like in likes.items()},
                      "`count=exact`": self.create_path + "?perPage=1"}


def timed(work):
    """Median milliseconds of some calls; fewer if one takes long."""
    times = []
    end = time.monotonic() + 20
    while len(times) < REQUESTS and (not times or time.monotonic() < end):
        begin = time.perf_counter()
        work(len(times))
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times[1:] or times)


def by_http(server):
    """Milliseconds of each operation by one client on one connection."""
    connection = http.client.HTTPConnection(*server.url.removeprefix("http://").split(":"))

    def send(path, body=None):
        connection.request("GET" if body is None else "POST", path, body, {"Content-Type": "application/json", **server.headers})
        response = connection.getresponse()
        text = response.read()
        if response.status // 100 != 2:
            raise SystemExit(f"bench: {server.name} returned {response.status} for {path}: {text[:200]}")

    found = {what: timed(lambda _, path=path: send(path)) for what, path in server.paths.items()}
    found["get"] = timed(lambda number: send(server.get_paths[number * 7]))
    found["create"] = timed(lambda _: send(server.create_path, CREATE_BODY))
    if server.batch:
        found["batch"] = timed(lambda _: send(*server.batch))
    connection.close()
    return found


def by_sqlite(count):
    """The same with SQLite in this process: no HTTP, no rules, all matches ranked by bm25()."""
    with tempfile.TemporaryDirectory(prefix="tenon-bench-growth-") as folder:
        path = os.path.join(folder, "tasks.db")
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.executescript("PRAGMA journal_mode = WAL; " + SCHEMA + SEARCH_SCHEMA)
            ids = insert(path, "tasks", count)
            database.execute("PRAGMA synchronous = FULL")
            task = json.loads(CREATE_BODY)
            columns = ", ".join(FIELDS)
            search = f"SELECT {columns} FROM tasks JOIN (SELECT rowid AS r, rank FROM tasks_search WHERE tasks_search MATCH ? ORDER BY rank LIMIT 20) ON r = tasks.rowid"

            def read(sql, *values):
                return lambda number: database.execute(sql, [value(number) if callable(value) else value for value in values]).fetchall()

            def create(many):
                database.execute("BEGIN IMMEDIATE")
                for _ in range(many):
                    database.execute(f"INSERT INTO tasks ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                                     (str(uuid.uuid4()), task["title"], task["body"], "open", 3, "anna", "2027", "2027"))
                database.execute("COMMIT")

            work = {
                "list": read(f"SELECT {columns} FROM tasks ORDER BY created DESC LIMIT 50"),
                "filter": read(f"SELECT {columns} FROM tasks WHERE status = 'open' ORDER BY created DESC LIMIT 50"),
                "get": read(f"SELECT {columns} FROM tasks WHERE id = ?", lambda number: ids[number * 7]),
                **{f"search `{text}`": read(search, text + "*" if text == PREFIX else text) for text in SEARCHES},
                "`count=exact`": read("SELECT count(*) FROM tasks"),
                "create": lambda _: create(1), "batch": lambda _: create(BATCH),
            }
            return {what: timed(run) for what, run in work.items()}


def measure(arguments):
    """Measures lists, searches, counts and writes of a published table as it grows, one client at a time."""
    missing, found = [], {}
    sizes = arguments.sizes or SIZES
    for size in sizes:
        found["Tenon", size] = run(GrownTenon(arguments.build, size))
        for server in (GrownOnPostgresql(arguments.build, size), GrownPocketBase(size)):
            try:
                found[server.name, size] = run(server)
            except Unavailable as why:
                missing.append(f"{server.name} is missing in this run: {str(why).splitlines()[0]}.")
        found["SQLite", size] = by_sqlite(size)
        for (name, count), times in found.items():
            if count == size:
                print(f"  {count:,} {name}: " + ", ".join(f"{what} {times[what]:.2f}" for what in OPERATIONS if what in times), flush=True)
    names = [name for name in ("Tenon", GrownOnPostgresql.name, "PocketBase", "SQLite") if (name, sizes[0]) in found]
    lines = ["### A table that grows: median milliseconds, one client", "",
             "| | " + " | ".join(f"{name}, {size:,}" for name in names for size in sizes) + " |", "|---" * (1 + len(names) * len(sizes)) + "|"]
    for what in OPERATIONS:
        cells = [found[name, size].get(what) for name in names for size in sizes]
        lines.append(f"| {what} | " + " | ".join("–" if cell is None else f"{cell:.2f}" for cell in cells) + " |")
    return Section([*lines, "", *dict.fromkeys(missing)])


def run(server):
    with server:
        return by_http(server)
