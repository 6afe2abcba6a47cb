// Text that a user types into the search of notes: it becomes an expression that SQLite's FTS5
// always accepts. The first line may name a column; the rest is also read as a marked snippet.

#include <sqlite3.h>

#include "property.hpp"
#include "text/search_terms.hpp"

namespace {

class Notes {
 public:
  Notes() {
    TENON_HOLDS(sqlite3_open(":memory:", &database_) == SQLITE_OK);
    TENON_HOLDS(sqlite3_exec(database_,
                             "CREATE VIRTUAL TABLE notes USING fts5(title, body);"
                             "INSERT INTO notes VALUES ('A title', 'some words of a body')",
                             nullptr, nullptr, nullptr) == SQLITE_OK);
    TENON_HOLDS(sqlite3_prepare_v2(database_, "SELECT count(*) FROM notes WHERE notes MATCH ?1", -1,
                                   &search_, nullptr) == SQLITE_OK);
  }
  ~Notes() {
    sqlite3_finalize(search_);
    sqlite3_close(database_);
  }
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;

  void search(const std::string& expression) {
    sqlite3_bind_text(search_, 1, expression.data(), static_cast<int>(expression.size()),
                      SQLITE_TRANSIENT);
    const int result = sqlite3_step(search_);
    if (result != SQLITE_ROW) {
      std::fprintf(stderr, "%s: %s\n", sqlite3_errmsg(database_), expression.c_str());
    }
    TENON_HOLDS(result == SQLITE_ROW);
    sqlite3_reset(search_);
  }

 private:
  sqlite3* database_ = nullptr;
  sqlite3_stmt* search_ = nullptr;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace notes::text;
  static Notes all;
  std::string_view typed = tenon::fuzz::text_of(data, size);
  const std::string_view column = tenon::fuzz::take_line(typed);
  if (const std::vector<Term> terms = search_terms(typed); !terms.empty()) {
    all.search(match_expression(terms));
    all.search(match_expression(terms, column == "title" ? "title" : "body"));
  }
  std::size_t shown = 0;
  for (const Segment& segment : segments(typed)) {
    TENON_HOLDS(!segment.text.empty());
    shown += segment.text.size();
  }
  TENON_HOLDS(shown <= typed.size());
  return 0;
}
