#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "base/ids.hpp"
#include "engines/tests/each_engine.hpp"
#include "engines/tests/schema/declarations.hpp"

namespace tenon::data::test {

inline constexpr const char* plain_cards =
    R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text"},{"name":"body","type":"text"}]}]})";
inline constexpr const char* cards_by_title =
    R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text","searchable":true},{"name":"body","type":"text"}]}]})";
inline constexpr const char* cards_by_both =
    R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text","searchable":{"weight":5}},{"name":"body","type":"text","searchable":true}]}]})";

/// A plugin's tables with a search index, asked as docs/tables.md has it for each engine.
class SearchCase : public EachEngine {
 protected:
  void SetUp() override { open(); }
  void open() {
    database_.reset();
    database_ = std::make_unique<Database>(options_);
  }
  static bool is_sqlite() { return GetParam() == Dialect::sqlite; }
  Database& database() { return *database_; }
  std::string apply_to(const Declaration& declaration) {
    return apply(database(), declaration).to_text();
  }
  void add(std::int64_t rowid, const std::string& title, const std::string& body) {
    database().exec("INSERT INTO cards (rowid, id, title, body) VALUES (?1, ?2, ?3, ?4)",
                    {rowid, base::new_id(), title, body});
  }
  std::string exec(std::string_view sql) {
    return code_of([&] { database().exec(sql); });
  }

  /// Makes a search request for records with all of the words, separated by spaces. A star after a
  /// word makes it a prefix. `fields`: the numbers of the searched fields.
  static std::string asked(const std::string& words, const std::string& fields = "0,1") {
    std::string text;
    for (std::size_t begin = 0; begin < words.size();) {
      const std::size_t end = std::min(words.find(' ', begin), words.size());
      std::string word = words.substr(begin, end - begin);
      begin = end + 1;
      const bool is_beginning = word.back() == '*';
      if (is_beginning) word.pop_back();
      if (is_sqlite()) {
        text.append(text.empty() ? "\"" : " \"").append(word).append(is_beginning ? "\"*" : "\"");
      } else {
        text.append(text.empty() ? "" : ",").append(R"({"text":")").append(word);
        text.append(R"(","excluded":false,"beginning":)").append(is_beginning ? "true}" : "false}");
      }
    }
    return is_sqlite() ? text : R"({"fields":[)" + fields + R"(],"terms":[)" + text + "]}";
  }
  /// "… FROM the index WHERE it has what ?1 asks for".
  static std::string from_found(const std::string& table = "cards") {
    const std::string index = "tenon_" + table + "_search";
    return " FROM " + index + " WHERE " +
           (is_sqlite() ? index + " MATCH ?1" : "words @@ tenon_search_query(?1)");
  }
  /// The rowids of what is found, in their own order.
  std::string found(const std::string& words, const std::string& table = "cards",
                    const std::string& fields = "0,1") {
    auto rows = database().query("SELECT rowid" + from_found(table) + " ORDER BY rowid",
                                 {asked(words, fields)});
    std::string all;
    while (rows.next())
      all.append(all.empty() ? "" : " ").append(std::to_string(rows.integer(0)));
    return all;
  }
  bool has_index(const std::string& table = "cards") {
    return code_of([&] { database().query("SELECT 1 FROM tenon_" + table + "_search"); }) == "none";
  }

  /// SQL that no plugin may say, by another program. Whether it succeeded.
  bool run_outside(const std::string& sql) {
    if (!is_sqlite()) {
      const auto& cluster = PostgresqlCluster::shared();
      try {
        PostgresqlCluster::run(cluster.superuser_of("tenon"),
                               "SET search_path = \"" + schema() + "\"; " + sql);
      } catch (const std::runtime_error& error) {
        last_detail() = error.what();
        return false;
      }
      return true;
    }
    database_.reset();
    sqlite3* file = nullptr;
    EXPECT_EQ(sqlite3_open(options_.path.c_str(), &file), SQLITE_OK);
    const int code = sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr);
    last_detail() = sqlite3_errmsg(file);
    sqlite3_close(file);
    open();
    return code == SQLITE_OK;
  }
  std::string schema() const { return options_.postgresql->schema; }

  /// Whether the index has exactly the words of the records.
  bool is_whole(const std::string& table = "cards",
                const std::vector<std::string>& fields = {"title", "body"}) {
    const std::string index = "tenon_" + table + "_search";
    if (is_sqlite()) {
      return run_outside("INSERT INTO " + index + " (" + index +
                         ", rank) VALUES ('integrity-check', 1)");
    }
    std::string words;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      words += (i == 0 ? "" : " || ") + std::string("tenon_search_words(") + std::to_string(i) +
               ", left(t." + fields[i] + ", " + std::to_string(150'000 / fields.size()) + "))";
    }
    return number(database(), "SELECT count(*) FROM " + table + " AS t FULL JOIN " + index +
                                  " AS s ON s.rowid = t.rowid WHERE t.rowid IS NULL OR s.rowid IS "
                                  "NULL OR s.words IS DISTINCT FROM " +
                                  words) == 0;
  }

  Folder folder_;
  DatabaseOptions options_ = fresh_plugin_database(folder_.file("plugin.db"));
  std::unique_ptr<Database> database_;
};

}  // namespace tenon::data::test
