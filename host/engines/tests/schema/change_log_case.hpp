#pragma once

#include <map>
#include <optional>
#include <sstream>
#include <string>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>
#include <Poco/JSON/Parser.h>
#include <sqlite3.h>

#include "engines/tests/each_engine.hpp"
#include "engines/tests/schema/declarations.hpp"

namespace tenon::data::test {

inline constexpr const char* published_tables = R"json({"tables":[
  {"name":"cards","publish":true,"version":true,"fields":[
    {"name":"title","type":"text","unique":true},{"name":"price","type":"number"},
    {"name":"done","type":"boolean"},{"name":"more","type":"json"},
    {"name":"tags","type":"choice","many":true,"choices":["red","blue"]},
    {"name":"board","type":"reference","table":"boards","on_delete":"clear"},
    {"name":"labels","type":"reference","table":"labels","many":true},
    {"name":"loud","type":"computed","expression":"upper(title)"}]},
  {"name":"boards","fields":[{"name":"name","type":"text"}]},
  {"name":"labels","fields":[{"name":"name","type":"text"}]},
  {"name":"drafts","fields":[{"name":"name","type":"text"}]}
]})json";

/// The same, published no more.
inline std::string closed_tables() {
  std::string tables = published_tables;
  const std::string mark = "\"publish\":true,";
  return tables.erase(tables.find(mark), mark.size());
}

/// A plugin's published tables and their change log.
class ChangeLogCase : public EachEngine {
 protected:
  ChangeLogCase() { migrate_to("1.0.0", published_tables); }

  void migrate_to(const std::string& version, const std::string& text) {
    apply(database(), declare(version, text));
  }
  Database& database() {
    if (!database_) database_.emplace(options_);
    return *database_;
  }
  static bool is_sqlite() { return GetParam() == Dialect::sqlite; }

  void run(const std::string& sql) { database().exec(sql); }
  void add(const std::string& table, int number, const std::string& names = "",
           const std::string& values = "") {
    run("INSERT INTO " + table + " (id" + (names.empty() ? "" : ", ") + names + ") VALUES ('" +
        id_of(number) + "'" + (values.empty() ? "" : ", ") + values + ")");
  }
  std::string text(const std::string& sql) {
    Rows rows = database().query(sql);
    return rows.next() ? std::string(rows.text(0)) : "nothing";
  }
  std::int64_t count(const std::string& sql) { return number(database(), sql); }
  std::int64_t logged() { return count("SELECT count(*) FROM tenon_changes"); }
  std::string change_log_id() { return text("SELECT value FROM tenon_meta WHERE name = 'log'"); }

  /// "cards 1 create; …" of the changes since the last call, in the order of the log.
  std::string changes() {
    std::string all;
    Rows rows = database().query(
        "SELECT tbl || ' ' || substr(record, 36, 1) || ' ' || kind FROM tenon_changes WHERE seq > "
        "?1 ORDER BY seq",
        {seen_});
    while (rows.next())
      all.append(all.empty() ? "" : "; ").append(rows.text(0));
    seen_ = count("SELECT coalesce(max(seq), 0) FROM tenon_changes");
    return all;
  }
  /// The members of the row before the newest change: texts, numbers and "null"; arrays as JSON.
  std::map<std::string, std::string> before() {
    const std::string json = text("SELECT before FROM tenon_changes ORDER BY seq DESC LIMIT 1");
    std::map<std::string, std::string> members;
    const auto list = Poco::JSON::Parser().parse(json).extract<Poco::JSON::Array::Ptr>();
    for (std::size_t i = 0; i < list->size(); ++i) {
      for (const auto& [name, value] : *list->getObject(static_cast<unsigned>(i)))
        members[name] = text_of(value);
    }
    return members;
  }

  static std::string text_of(const Poco::Dynamic::Var& value) {
    if (value.isEmpty()) return "null";
    if (value.type() != typeid(Poco::JSON::Array::Ptr)) return value.toString();
    std::ostringstream json;
    value.extract<Poco::JSON::Array::Ptr>()->stringify(json);
    return json.str();
  }

  /// Runs statements of a client that opens the data without the host.
  void run_outside(const std::string& sql) {
    if (!is_sqlite()) {
      PostgresqlCluster::run(PostgresqlCluster::shared().superuser_of("tenon"),
                             "SET search_path = \"" + options_.postgresql->schema + "\"; " + sql);
      return;
    }
    database_.reset();
    sqlite3* file = nullptr;
    EXPECT_EQ(sqlite3_open(options_.path.c_str(), &file), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(file);
    sqlite3_close(file);
  }
  void reopen() { database_.reset(); }

  Folder folder_;
  DatabaseOptions options_ = fresh_plugin_database(folder_.file("planner.db"));

 private:
  std::optional<Database> database_;
  std::int64_t seen_ = 0;
};

}  // namespace tenon::data::test
