// Text that is typed into the search of a list of records. SQLite's FTS5 accepts every expression
// made of it, finds only records with the words, and shows them as JSON.

#include <sqlite3.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "property.hpp"
#include "records/model/limits.hpp"
#include "records/query/dialect.hpp"
#include "sqlite/search/highlight.hpp"
#include "sqlite/search/ranked_match.hpp"

namespace {

namespace dialect = tenon::records::dialect;

constexpr auto engine = tenon::data::Dialect::sqlite;

const std::vector<dialect::SearchField> fields = {{"title", 0}, {"body", 1}};

class Cards {
 public:
  Cards() {
    TENON_HOLDS(sqlite3_open(":memory:", &database_) == SQLITE_OK);
    TENON_HOLDS(
        sqlite3_exec(database_,
                     "CREATE TABLE cards (rowid INTEGER PRIMARY KEY, title TEXT, body TEXT);"
                     "CREATE VIRTUAL TABLE tenon_cards_search USING fts5(title, body, content = "
                     "'cards', content_rowid = 'rowid', tokenize = 'unicode61 remove_diacritics "
                     "2', prefix = '2 3');",
                     nullptr, nullptr, nullptr) == SQLITE_OK);
    tenon::data::sqlite::add_highlight_functions(database_);
    tenon::data::sqlite::add_match_function(database_);
    write_ = prepare("INSERT INTO cards VALUES (1, 'A title', ?1)");
    index_ = prepare("INSERT INTO tenon_cards_search (tenon_cards_search) VALUES ('rebuild')");
    clear_ = prepare("DELETE FROM cards");
    const std::string highlight = dialect::highlight(engine, fields, 1);
    search_ = prepare("SELECT " + highlight + " FROM cards AS t WHERE " +
                      dialect::is_match(engine, "cards", 1));
  }
  ~Cards() {
    for (sqlite3_stmt* statement : {write_, index_, clear_, search_})
      sqlite3_finalize(statement);
    sqlite3_close(database_);
  }
  Cards(const Cards&) = delete;
  Cards& operator=(const Cards&) = delete;

  void search(std::string_view body, const std::string& request) {
    run(clear_, {});
    run(write_, body);
    run(index_, {});
    sqlite3_bind_text(search_, 1, request.data(), static_cast<int>(request.size()),
                      SQLITE_TRANSIENT);
    const int result = sqlite3_step(search_);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
      std::fprintf(stderr, "%s: %s\n", sqlite3_errmsg(database_), request.c_str());
    TENON_HOLDS(result == SQLITE_ROW || result == SQLITE_DONE);
    if (result == SQLITE_ROW) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(search_, 0));
      TENON_HOLDS(text != nullptr);
      tenon::base::check_json(text);
      // Every match is also shown.
      TENON_HOLDS(std::string_view(text).find("\"match\":true") != std::string_view::npos);
    }
    sqlite3_reset(search_);
  }

 private:
  sqlite3_stmt* prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    const int result = sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr);
    if (result != SQLITE_OK) std::fprintf(stderr, "%s\n", sqlite3_errmsg(database_));
    TENON_HOLDS(result == SQLITE_OK);
    return statement;
  }
  static void run(sqlite3_stmt* statement, std::string_view text) {
    if (sqlite3_bind_parameter_count(statement) == 1)
      sqlite3_bind_text(statement, 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    TENON_HOLDS(sqlite3_step(statement) == SQLITE_DONE);
    sqlite3_reset(statement);
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* write_ = nullptr;
  sqlite3_stmt* index_ = nullptr;
  sqlite3_stmt* clear_ = nullptr;
  sqlite3_stmt* search_ = nullptr;
};

}  // namespace

// The first line is a text that is searched, the rest is typed.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Cards cards;
  std::string_view typed = tenon::fuzz::text_of(data, size);
  const std::string_view body = tenon::fuzz::take_line(typed);
  // A query is decoded to UTF-8 or refused before, and so is a record.
  if (!tenon::base::is_valid_utf8(body) || !tenon::base::is_valid_utf8(typed)) return 0;
  if (body.find('\0') != std::string_view::npos) return 0;
  try {
    const auto terms = tenon::records::parse_search(typed);
    TENON_HOLDS(terms.size() <= tenon::records::max_search_terms);
    std::size_t length = 0;
    for (const auto& term : terms) {
      TENON_HOLDS(!term.text.empty() && !(term.is_excluded && term.is_beginning));
      length += term.text.size();
    }
    TENON_HOLDS(length <= typed.size() && typed.size() <= tenon::records::max_search_bytes);
    cards.search(body, dialect::search_request(terms, fields, fields.size()));
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.status() == 400 && error.code() == "records.bad_query");
  }
  return 0;
}
