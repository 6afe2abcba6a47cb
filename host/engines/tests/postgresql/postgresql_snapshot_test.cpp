// Snapshots of schemas of PostgreSQL: their content, and the schema after a restore.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/stat.h>

#include "base/tests/sampling.hpp"
#include "data/snapshot/snapshot.hpp"
#include "engines/tests/each_engine.hpp"
#include "engines/tests/killed_child.hpp"
#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/support.hpp"
#include "postgresql/dump/snapshot_file.hpp"

namespace tenon::data::test {
namespace {

namespace fs = std::filesystem;

using Lines = std::multiset<std::string>;

constexpr const char* snapshot_tables = R"({"tables": [
  {"name": "notes", "publish": true, "rules": {"read": "true"},
   "fields": [{"name": "title", "type": "text", "required": true, "searchable": true},
              {"name": "stars", "type": "integer", "min": 0, "max": 5, "default": 3},
              {"name": "done", "type": "boolean"}, {"name": "day", "type": "date"},
              {"name": "share", "type": "number"}, {"name": "more", "type": "json"},
              {"name": "kind", "type": "choice", "choices": ["a", "b"], "many": true},
              {"name": "parent", "type": "reference", "table": "notes"},
              {"name": "tags", "type": "reference", "table": "tags", "many": true}],
   "indexes": [{"fields": ["stars", "title"]}]},
  {"name": "tags", "fields": [{"name": "label", "type": "text", "unique": true}]}]})";

// Every kind of object that a migration may make.
constexpr const char* every_object = R"sql(
CREATE SEQUENCE "Odd name" AS integer START WITH 7 INCREMENT BY 3 MAXVALUE 1000 CYCLE;
CREATE TABLE own (id bigserial PRIMARY KEY, at timestamptz DEFAULT now(), size numeric(10, 2),
  words text[] NOT NULL DEFAULT '{}', short varchar(10) CHECK (short > 'w' OR short = '?'), raw bytea,
  twice numeric GENERATED ALWAYS AS (size * 2) STORED, always bigint GENERATED ALWAYS AS IDENTITY
  (START WITH 100), note integer DEFAULT nextval('"Odd name"'), doc jsonb, spans int4range,
  EXCLUDE USING gist (spans WITH &&)) WITH (fillfactor = 70, toast.autovacuum_enabled = false);
ALTER TABLE own ALTER COLUMN raw SET STORAGE EXTERNAL;
ALTER TABLE own ALTER COLUMN doc SET STATISTICS 500;
ALTER TABLE own ALTER COLUMN size SET (n_distinct = 5);
ALTER TABLE own ADD COLUMN away text;
ALTER TABLE own DROP COLUMN away;
ALTER TABLE own ADD CONSTRAINT later CHECK (size > 0) NOT VALID;
ALTER TABLE own REPLICA IDENTITY FULL;
CREATE TABLE pairs (a text COLLATE "C", b text, PRIMARY KEY (a, b) INCLUDE (c), c integer,
  UNIQUE NULLS NOT DISTINCT (c, b) DEFERRABLE INITIALLY DEFERRED,
  own bigint REFERENCES own ON DELETE CASCADE DEFERRABLE);
CREATE TABLE "Keyless, quoted" ("a column ""x""" text, b own);
CREATE TABLE animals (name text NOT NULL CHECK (name <> ''), legs integer DEFAULT 4);
CREATE TABLE birds (wings integer) INHERITS (animals);
ALTER TABLE birds ALTER COLUMN legs SET DEFAULT 2;
CREATE TABLE events (at date NOT NULL, text text, PRIMARY KEY (at)) PARTITION BY RANGE (at);
CREATE TABLE events_old PARTITION OF events FOR VALUES FROM (MINVALUE) TO ('2026-01-01');
CREATE TABLE events_rest PARTITION OF events DEFAULT;
CREATE INDEX events_text ON events (text);
CREATE UNIQUE INDEX own_expression ON own (lower(short) DESC NULLS LAST, (size + 1)) WHERE size > 1;
CREATE INDEX own_doc ON own USING gin (doc);
ALTER INDEX own_expression ALTER COLUMN 2 SET STATISTICS 7;
ALTER TABLE own CLUSTER ON own_pkey;
CREATE VIEW z_first AS SELECT n.title, o.size FROM notes n JOIN own o ON o.id = n.stars;
CREATE VIEW a_second WITH (security_barrier) AS SELECT title AS "Title" FROM z_first;
CREATE VIEW grouped AS SELECT o.id, o.size, count(*) FROM own o JOIN pairs p ON p.own = o.id GROUP BY o.id;
CREATE VIEW written AS SELECT a, b FROM pairs WHERE b > 'a' WITH LOCAL CHECK OPTION;
ALTER VIEW written ALTER COLUMN b SET DEFAULT 'bb';
CREATE MATERIALIZED VIEW kept AS SELECT count(*) AS n FROM a_second;
CREATE MATERIALIZED VIEW unkept AS SELECT * FROM kept WITH NO DATA;
CREATE UNIQUE INDEX kept_n ON kept (n);
CREATE FUNCTION own_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO animals (name) VALUES ('of ' || new.short);
  RETURN NULL;
END $$;
CREATE TRIGGER counted AFTER INSERT ON own FOR EACH ROW WHEN (new.short IS NOT NULL) EXECUTE FUNCTION own_counted();
CREATE TRIGGER asleep AFTER UPDATE OF short ON own FOR EACH ROW EXECUTE FUNCTION own_counted();
ALTER TABLE own DISABLE TRIGGER asleep;
COMMENT ON TABLE own IS 'It''s \ mine';
COMMENT ON VIEW a_second IS 'seen';
COMMENT ON INDEX own_doc IS 'found';
COMMENT ON SEQUENCE "Odd name" IS 'odd';
INSERT INTO own (size, words, short, raw, doc, spans) SELECT n, ARRAY['a', NULL, 'c"{'], CASE WHEN n < 3 THEN 'x' END,
  '\x0001ff', '{"a": [1, null]}', int4range(n, n + 1) FROM generate_series(1, 50) AS s(n);
INSERT INTO pairs SELECT 'a' || n, 'b', n, n FROM generate_series(1, 9) AS s(n);
INSERT INTO "Keyless, quoted" SELECT 'tab' || chr(9), o FROM own o LIMIT 3;
INSERT INTO birds VALUES ('tit', 2, 2);
INSERT INTO events VALUES ('2025-05-05', 'old'), ('2026-05-05', NULL);
)sql";

class PostgresqlSnapshotTest : public testing::Test {
 protected:
  PostgresqlSnapshotTest() { open(); }

  void open() { database_ = std::make_unique<Database>(options_); }
  Database& database() { return *database_; }
  const PostgresqlSchema& location() const { return *options_.postgresql; }
  // As the owner of the tables, who may change them.
  void as_owner(const std::string& sql) {
    PostgresqlCluster::run(PostgresqlCluster::shared().superuser_of("tenon"),
                           "SET search_path = \"" + location().schema + "\"; SET ROLE \"" +
                               location().owner + "\"; " + sql);
  }

  // Returns the schema as PostgreSQL's own tool dumps it, without what a restore resets.
  Lines dump() const {
    const std::string command = "/usr/lib/postgresql/15/bin/pg_dump -d '" +
                                PostgresqlCluster::shared().superuser_of("tenon") + "' -n '\"" +
                                location().schema + "\"' 2>&1";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
    Lines lines;
    std::string line;
    bool is_log = false;
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
      if (c != '\n') {
        line += static_cast<char>(c);
        continue;
      }
      if (line.starts_with("COPY ")) is_log = line.find("tenon_changes ") != std::string::npos;
      if (!is_log && !line.starts_with("\\") && !line.starts_with("log\t")) lines.insert(line);
      if (line == "\\.") is_log = false;
      line.clear();
    }
    return lines;
  }
  static std::string difference(const Lines& before, const Lines& after) {
    std::string text;
    for (const auto& line : before)
      if (after.count(line) < before.count(line)) text += "- " + line + "\n";
    for (const auto& line : after)
      if (before.count(line) < after.count(line)) text += "+ " + line + "\n";
    return text;
  }
  void insert(int first, int last) {
    for (int i = first; i <= last; ++i)
      database().exec("INSERT INTO notes (id, title) VALUES (?1, ?2)", {id_of(i), "A title"});
  }
  std::int64_t notes() { return number(database(), "SELECT count(*) FROM notes"); }

  Folder folder_;
  const std::string file_ = folder_.file("a.snapshot");
  DatabaseOptions options_ = fresh_plugin_database(Dialect::postgresql, "");
  std::unique_ptr<Database> database_;
};

TEST_F(PostgresqlSnapshotTest, RestoresEveryObjectOfMigrations) {
  apply(database(), declare("1.0.0", snapshot_tables, {migration(1, every_object)}));
  insert(1, 4);
  database().exec("INSERT INTO tags (id, label) VALUES (?1, 'x')", {id_of(1)});
  database().exec("INSERT INTO notes__tags (record, target, position) VALUES (?1, ?2, 0)",
                  {id_of(2), id_of(1)});
  const Lines before = dump();
  ASSERT_GT(before.size(), 500U);
  const auto bytes = snapshot(database(), file_);
  EXPECT_EQ(bytes, fs::file_size(file_));

  database().close();
  as_owner(
      "DROP TABLE animals, events, own CASCADE; CREATE TABLE fresh (a notes); INSERT INTO tags "
      "(id, "
      "label) VALUES ('01900000-0000-7000-8000-00000000000b', 'b'); DELETE FROM notes WHERE rowid "
      "= 1; ALTER TABLE notes DROP COLUMN "
      "share; DROP FUNCTION tenon_add, own_counted; CREATE VIEW later AS SELECT * FROM tags; ALTER "
      "SEQUENCE \"Odd name\" RESTART WITH 500; CREATE TABLE own (a text)");
  EXPECT_NE(difference(before, dump()), "");
  restore_snapshot(location(), file_);
  EXPECT_EQ(difference(before, dump()), "");
  // Once more over itself.
  restore_snapshot(location(), file_);
  EXPECT_EQ(difference(before, dump()), "");

  // All keeps working: numbers, triggers, the search, the rights of the plugin, the next migration.
  open();
  EXPECT_TRUE(
      plan(database(), declare("1.0.0", snapshot_tables, {migration(1, every_object)})).is_empty());
  insert(5, 5);
  EXPECT_EQ(number(database(), "SELECT rowid FROM notes WHERE id = ?1", {id_of(5)}), 5);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM tenon_notes_search"), 5);
  database().exec("INSERT INTO own (size, short) VALUES (1, 'y')");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM animals WHERE name = 'of y'"), 1);
  EXPECT_EQ(code_of([&] { database().exec("UPDATE notes SET stars = 9"); }), "data.check");
  EXPECT_EQ(code_of([&] { database().exec("DELETE FROM tenon_meta"); }), "data.denied");
  apply(database(), declare("1.1.0", snapshot_tables,
                            {migration(1, every_object), migration(2, "DROP VIEW grouped")}));
  EXPECT_EQ(applied_version(database()), "1.1.0");
}

TEST_F(PostgresqlSnapshotTest, ContainsCommitsBeforeItWhileOthersContinue) {
  apply(database(), declare("1.0.0", snapshot_tables));
  for (int i = 1; i <= 8; ++i) {
    database().exec("INSERT INTO notes (id, title, more) VALUES (?1, 'a', ?2)",
                    {id_of(i), "\"" + std::string(1024 * 1024, 'x') + "\""});
  }
  auto reader = database().begin(Mode::read);
  EXPECT_TRUE(reader.query("SELECT count(*) FROM notes").next());
  int pieces = 0;
  snapshot(database(), file_, [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_LE(done, total);
    if (++pieces == 1) insert(9, 10);
    return true;
  });
  EXPECT_GT(pieces, 4);
  EXPECT_EQ(notes(), 10);
  EXPECT_EQ(snapshot_facts(file_).tables.front().rows, 8);
  struct stat facts {};
  ASSERT_EQ(::stat(file_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  EXPECT_EQ(code_of([&] { snapshot(database(), file_); }), "data.snapshot_exists");
  reader.rollback();

  // An open database finds the restored tables, and a new change log.
  const auto log = [&] {
    auto row = database().query("SELECT value FROM tenon_meta WHERE name = 'log'");
    return row.next() ? std::string(row.text(0)) : std::string();
  };
  const std::string before = log();
  restore_snapshot(location(), file_);
  EXPECT_EQ(notes(), 8);
  EXPECT_NE(log(), before);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM tenon_changes"), 0);
  insert(20, 20);
  EXPECT_EQ(number(database(), "SELECT seq FROM tenon_changes"), 1);
}

TEST_F(PostgresqlSnapshotTest, LeavesNothingWhereItIsBrokenOff) {
  apply(database(), declare("1.0.0", snapshot_tables));
  for (int i = 1; i <= 4; ++i) {
    database().exec("INSERT INTO notes (id, title, more) VALUES (?1, 'a', ?2)",
                    {id_of(i), "\"" + std::string(1024 * 1024, 'x') + "\""});
  }
  const auto breaks = [](std::uint64_t done, std::uint64_t) { return done < 2'000'000; };
  EXPECT_EQ(code_of([&] { snapshot(database(), file_, breaks); }), "data.snapshot_cancelled");
  EXPECT_FALSE(fs::exists(file_) || fs::exists(file_ + ".part"));
  EXPECT_EQ(code_of([&] { snapshot(database(), folder_.file("no/a")); }), "data.io");
  snapshot(database(), file_);
  insert(5, 6);
  EXPECT_EQ(code_of([&] { restore_snapshot(location(), file_, breaks); }),
            "data.snapshot_cancelled");
  EXPECT_EQ(notes(), 6);
  database().close();
  EXPECT_EQ(code_of([&] { snapshot(database(), folder_.file("b")); }), "data.closed");
}

TEST_F(PostgresqlSnapshotTest, RefusesAnAlteredFile) {
  const std::string refused = "data.snapshot_refused";
  apply(database(), declare("1.0.0", snapshot_tables));
  insert(1, 3);
  snapshot(database(), file_);
  insert(4, 4);
  const auto damaged = [&](const char* name, std::uintmax_t at) {
    const std::string copy = folder_.file(name);
    fs::copy_file(file_, copy);
    std::fstream file(copy, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.put('\x7f');
    return copy;
  };
  const auto rows = postgresql::SnapshotReader(file_).schema().rows.front();
  EXPECT_EQ(code_of([&] { restore_snapshot(location(), folder_.file("none")); }), refused);
  EXPECT_EQ(code_of([&] { restore_snapshot(location(), damaged("head", 3)); }), refused);
  EXPECT_EQ(
      code_of([&] { restore_snapshot(location(), damaged("rows", rows.offset + rows.bytes / 2)); }),
      refused);
  const std::string index = damaged("index", fs::file_size(file_) - 200);
  EXPECT_EQ(code_of([&] { restore_snapshot(location(), index); }), refused);
  EXPECT_EQ(code_of([&] { snapshot_facts(index); }), refused);
  const std::string cut = folder_.file("cut");
  fs::copy_file(file_, cut);
  fs::resize_file(cut, fs::file_size(cut) - 1);
  EXPECT_EQ(code_of([&] { restore_snapshot(location(), cut); }), refused);
  EXPECT_EQ(notes(), 4);

  // Of another plugin, and of the other engine.
  const auto other = fresh_plugin_database(Dialect::postgresql, "");
  EXPECT_EQ(code_of([&] { restore_snapshot(*other.postgresql, file_); }), refused);
  EXPECT_EQ(code_of([&] { restore_snapshot(folder_.file("a.db"), file_); }), refused);
  const std::string of_sqlite = folder_.file("b.db");
  {
    Database file(plugin_file(folder_.file("a.db")));
    EXPECT_EQ(code_of([&] { diff_since(file, file_); }), refused);
    snapshot(file, of_sqlite);
  }
  EXPECT_EQ(code_of([&] { restore_snapshot(location(), of_sqlite); }), refused);
  EXPECT_EQ(code_of([&] { diff_since(database(), of_sqlite); }), refused);
}

TEST_F(PostgresqlSnapshotTest, RefusesUnknownObjectsAndOutsideDependents) {
  apply(database(), declare("1.0.0", snapshot_tables));
  snapshot(database(), file_);
  const auto message = [&] { return message_of([&] { snapshot(database(), folder_.file("b")); }); };
  const auto refuses = [&](const std::string& make, const std::string& named,
                           const std::string& remove) {
    const std::string url = PostgresqlCluster::shared().superuser_of("tenon");
    const std::string path = "SET search_path = \"" + location().schema + "\"; ";
    PostgresqlCluster::run(url, path + make);
    EXPECT_NE(message().find(named), std::string::npos) << message();
    PostgresqlCluster::run(url, path + remove);
  };
  refuses("CREATE TYPE mood AS ENUM ('a')", "mood", "DROP TYPE mood");
  refuses("CREATE TABLE foreign_one (a text)", "foreign_one of another role",
          "DROP TABLE foreign_one");
  refuses("CREATE POLICY mine ON notes USING (true)", "mine", "DROP POLICY mine ON notes");
  refuses("CREATE STATISTICS both_two ON title, stars FROM notes", "both_two",
          "DROP STATISTICS both_two");
  refuses("CREATE VIEW public.report AS SELECT * FROM notes", "report", "SELECT 1");
  // Nor is what others have lost without a word.
  EXPECT_EQ(code_of([&] { restore_snapshot(location(), file_); }), "data.snapshot_refused");
  PostgresqlCluster::run(PostgresqlCluster::shared().superuser_of("tenon"),
                         "DROP VIEW public.report");
  restore_snapshot(location(), file_);
  EXPECT_EQ(notes(), 0);
}

TEST_F(PostgresqlSnapshotTest, WaitsForTableLocksWithATimeout) {
  apply(database(), declare("1.0.0", snapshot_tables));
  insert(1, 1);
  snapshot(database(), file_);
  std::string of_snapshot;
  std::string of_restore;
  const std::chrono::milliseconds timeout(500);
  const std::string held = "LOCK TABLE notes; SELECT pg_sleep(300), '" + location().schema + "'";
  std::thread holder([&] {
    // Ended below.
    EXPECT_THROW(as_owner(held), std::runtime_error);
  });
  const auto is_held = [&] {
    try {
      as_owner("SET lock_timeout = 1; LOCK TABLE notes IN ACCESS SHARE MODE");
      return false;
    } catch (const std::runtime_error&) {
      return true;
    }
  };
  while (!is_held()) {
  }
  std::thread copy([&] {
    of_snapshot = code_of([&] { snapshot(database(), folder_.file("b"), {}, timeout); });
  });
  of_restore = code_of([&] { restore_snapshot(location(), file_, {}, timeout); });
  copy.join();
  EXPECT_EQ(of_snapshot + " " + of_restore, "data.busy data.busy");
  EXPECT_FALSE(fs::exists(folder_.file("b")));
  PostgresqlCluster::run(PostgresqlCluster::shared().superuser_of("tenon"),
                         "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
                         "pg_backend_pid() AND query LIKE '%pg_sleep(300), ''" +
                             location().schema + "''%'");
  holder.join();
  restore_snapshot(location(), file_);
  EXPECT_EQ(notes(), 1);
}

TEST_F(PostgresqlSnapshotTest, DiffFromNothingListsAllRecords) {
  apply(database(), declare("1.0.0", snapshot_tables));
  insert(1, 3);
  const auto changes = diff_since(location(), "");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes.front().table, "notes");
  EXPECT_EQ(changes.front().added, 3);
}

TEST_F(PostgresqlSnapshotTest, OfAnEmptySchemaEmptiesIt) {
  const Lines before = dump();
  snapshot(database(), file_);
  apply(database(), declare("1.0.0", snapshot_tables, {migration(1, every_object)}));
  EXPECT_NE(difference(before, dump()), "");
  restore_snapshot(location(), file_);
  EXPECT_EQ(difference(before, dump()), "");
  EXPECT_EQ(applied_version(database()), "");
}

TEST_F(PostgresqlSnapshotTest, IsAtomicIfTheHostIsKilled) {
  apply(database(), declare("1.0.0", snapshot_tables));
  insert(1, 3);
  snapshot(database(), file_);
  apply(database(),
        declare("2.0.0",
                R"({"tables": [{"name": "fresh", "fields": [{"name": "f", "type": "text"}]}]})",
                {migration(1, "DROP TABLE notes CASCADE; DROP TABLE tags CASCADE")}));
  database().close();
  const std::string new_copy = folder_.file("new");
  open();
  snapshot(database(), new_copy);
  database().close();
  const auto found = [&] {
    open();
    const std::string version = applied_version(database());
    const bool is_old = version == "1.0.0" && notes() == 3;
    const bool is_new = version == "2.0.0" && number(database(), "SELECT count(*) FROM fresh") == 0;
    database().close();
    return is_old ? "restored" : is_new ? "as it was" : "a mixture";
  };
  ASSERT_STREQ(found(), "as it was");
  SCOPED_TRACE(base::test::how_to_repeat());
  const base::test::SampledSteps steps(4);
  int restored = 0;
  int kept = 0;
  constexpr int step = 23;
  for (int when = step * steps.first();; when += step * steps.interval()) {
    ASSERT_LT(when, 20'000);
    const End end = run_until([&] { restore_snapshot(location(), file_); }, when);
    if (end == End::untraceable) GTEST_SKIP() << "this process may not trace another";
    if (end == End::finished) break;
    const std::string is = found();
    EXPECT_TRUE(is == "restored" || is == "as it was") << is << " at stop " << when;
    (is == "restored" ? restored : kept) += 1;
    if (is == "restored") restore_snapshot(location(), new_copy);
  }
  EXPECT_STREQ(found(), "restored");
  EXPECT_GT(kept * steps.interval(), 5);
  EXPECT_GT((kept + restored) * steps.interval(), 10);
}

}  // namespace
}  // namespace tenon::data::test
