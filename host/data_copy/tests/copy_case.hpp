#pragma once

#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "data_copy/copy.hpp"
#include "engines/tests/each_engine.hpp"
#include "engines/tests/schema/declarations.hpp"

namespace tenon::data::test {

inline constexpr const char* copied_tables = R"({"tables":[
  {"name":"shelves","publish":true,"fields":[{"name":"title","type":"text","searchable":true,"required":true},
    {"name":"above","type":"reference","table":"shelves"},{"name":"best","type":"reference","table":"books"}]},
  {"name":"books","publish":true,"fields":[{"name":"shelf","type":"reference","table":"shelves","required":true},
    {"name":"pages","type":"integer"},{"name":"price","type":"number"},{"name":"loaned","type":"boolean"},
    {"name":"bought","type":"date"},{"name":"read","type":"datetime"},{"name":"extra","type":"json"},
    {"name":"kind","type":"choice","choices":["a","b"]},
    {"name":"like","type":"reference","table":"books","many":true}]}]})";

inline constexpr const char* counted_sqlite =
    "CREATE TABLE totals (name TEXT PRIMARY KEY, n INTEGER NOT NULL, raw BLOB) STRICT;"
    "INSERT INTO totals VALUES ('books', 0, x'00ff'), ('seed', 7, NULL);"
    "CREATE TABLE tokens (what TEXT NOT NULL) STRICT";
inline constexpr const char* counted_postgresql =
    "CREATE TABLE totals (name text COLLATE \"C\" PRIMARY KEY, n bigint NOT NULL, raw bytea);"
    "INSERT INTO totals VALUES ('books', 0, '\\x00ff'), ('seed', 7, NULL);"
    "CREATE TABLE tokens (what text COLLATE \"C\" NOT NULL)";

inline Declaration copied_plugin() {
  return declare("1.0.0", copied_tables, {migration(1, counted_sqlite, counted_postgresql)});
}

/// A plugin's database of one engine.
struct TestDatabase {
  TestDatabase(const Folder& folder, Dialect engine, const std::string& name)
      : dialect(engine), options(fresh_plugin_database(engine, folder.file(name + ".db"))) {}

  std::unique_ptr<copying::CopySource> side() const {
    return options.postgresql ? copying::read_schema(*options.postgresql)
                              : copying::read_file(options.path);
  }
  std::unique_ptr<copying::CopyTarget> target() const {
    return options.postgresql ? copying::write_schema(*options.postgresql)
                              : copying::write_file(options.path);
  }
  // Runs SQL as the owner of the tables.
  void run(const std::string& sql) const {
    if (options.postgresql) {
      PostgresqlCluster::run(PostgresqlCluster::shared().url(),
                             "SET ROLE \"" + options.postgresql->owner +
                                 "\"; SET search_path = \"" + options.postgresql->schema + "\"; " +
                                 sql);
    } else {
      target()->make({sql});
    }
  }
  // Counts books as they come.
  void add_trigger() const {
    run(options.postgresql
            ? "CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE totals "
              "SET n = n + 1 WHERE name = ''books''; RETURN NEW; END'; CREATE TRIGGER counted "
              "AFTER INSERT ON books FOR EACH ROW EXECUTE FUNCTION counted()"
            : "CREATE TRIGGER counted AFTER INSERT ON books BEGIN UPDATE totals SET n = n + 1 "
              "WHERE name = 'books'; END");
  }

  Dialect dialect;
  DatabaseOptions options;
};

inline void add_book(Database& database, int number, const std::vector<Cell>& rest = {}) {
  std::vector<Cell> cells = rest;
  cells.resize(7);
  const std::string id = id_of(1000 + number);
  const std::string shelf = id_of(1);
  database.exec(
      "INSERT INTO books (id, shelf, pages, price, loaned, bought, read, extra, kind) VALUES (?1, "
      "?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
      std::vector<Cell>{id, shelf, cells[0], cells[1], cells[2], cells[3], cells[4], cells[5],
                        cells[6]});
}

/// A source and a target, of each pair of engines.
class CopyingCase : public testing::TestWithParam<std::tuple<Dialect, Dialect>> {
 protected:
  CopyingCase()
      : from_(folder_, std::get<0>(GetParam()), "from"),
        to_(folder_, std::get<1>(GetParam()), "to") {}

  // An installation of the sample plugin with some of everything.
  void fill() {
    Database database(from_.options);
    apply(database, copied_plugin());
    from_.add_trigger();
    database.exec("INSERT INTO shelves (id, title) VALUES (?1, 'Über \"all\"; it''s')", {id_of(1)});
    database.exec("INSERT INTO shelves (id, title, above) VALUES (?1, '', ?2)",
                  {id_of(2), id_of(1)});
    database.exec("UPDATE shelves SET above = ?2 WHERE id = ?1", {id_of(1), id_of(2)});
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    constexpr double smallest = std::numeric_limits<double>::denorm_min();
    add_book(database, 0,
             {largest, 1.0 / 3, true, "2026-11-22", "2026-11-22T10:00:00.123Z",
              R"({"a":[1,null,"x"]})", "a"});
    add_book(database, 1, {-largest - 1, smallest, false});
    add_book(database, 2, {0, -2.5e-308});
    add_book(database, 3, {1, 5.0});
    add_book(database, 4, {2, std::numeric_limits<double>::infinity()});
    add_book(database, 5);
    database.exec("UPDATE shelves SET best = ?1 WHERE id = ?2", {id_of(1004), id_of(1)});
    for (int position = 0; position < 3; ++position) {
      database.exec("INSERT INTO books__like (record, target, position) VALUES (?1, ?2, ?3)",
                    {id_of(1000), id_of(1003 - position), position});
    }
    database.exec("UPDATE totals SET n = n + 100 WHERE name = 'books'");
    database.exec("DELETE FROM totals WHERE name = 'seed'");
    for (int i = 0; i < 3; ++i)
      database.exec("INSERT INTO tokens (what) VALUES ('the same')");
  }

  void make_target() const {
    to_.target()->create_copy_state();
    if (!copying::is_prepared(*to_.side())) {
      Database database(to_.options);
      apply(database, copied_plugin());
    }
    if (to_.target()->copy_state("has trigger").empty()) {
      to_.add_trigger();
      to_.target()->set_copy_state("has trigger", "yes");
    }
  }

  void copy(const copying::Watch& watch = [](const copying::Progress&) {}) const {
    const auto source = from_.side();
    const auto target = to_.target();
    copying::copy_rows(*source, *target, watch);
  }

  std::vector<copying::Compared> compare() const {
    return copying::compare_rows(*from_.side(), *to_.side(), [](const copying::Progress&) {});
  }

  void expect_equal() const {
    const auto compared = compare();
    ASSERT_FALSE(compared.empty());
    for (const copying::Compared& one : compared)
      EXPECT_TRUE(one.is_equal) << one.table << " " << one.rows << " " << one.other_rows;
  }

  Folder folder_;
  TestDatabase from_;
  TestDatabase to_;
};

/// From which engine to which.
inline std::string pair_name(const testing::TestParamInfo<std::tuple<Dialect, Dialect>>& info) {
  const auto name = [](Dialect one) { return one == Dialect::sqlite ? "Sqlite" : "Postgresql"; };
  return std::string(name(std::get<0>(info.param))) + "To" + name(std::get<1>(info.param));
}

}  // namespace tenon::data::test
