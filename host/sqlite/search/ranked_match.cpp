#include "sqlite/search/ranked_match.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "base/error.hpp"
#include "schema/ddl.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/schema/search_index.hpp"
#include "sqlite/search/search_text.hpp"

namespace tenon::data::sqlite {

namespace {

constexpr std::string_view last_character = "\xF4\x8F\xBF\xBF";
// Occurrences of a word that are read one by one; then the index is searched for the next word.
constexpr int max_occurrences_read = 64;

class Statement {
 public:
  // Empty if SQLite refuses the text.
  Statement(sqlite3* db, const std::string& sql) {
    sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  explicit operator bool() const noexcept { return statement_ != nullptr; }
  void bind(int number, const std::string& text) {
    sqlite3_reset(statement_);
    sqlite3_bind_text(statement_, number, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
  }
  bool step() noexcept { return sqlite3_step(statement_) == SQLITE_ROW; }
  std::int64_t integer() const noexcept { return sqlite3_column_int64(statement_, 0); }
  std::string_view text() const noexcept {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, 0));
    return text == nullptr
               ? std::string_view()
               : std::string_view(text,
                                  static_cast<std::size_t>(sqlite3_column_bytes(statement_, 0)));
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

std::size_t characters_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }));
}

bool is_large(sqlite3* db, const std::string& table) {
  Statement last(db, "SELECT max(rowid) FROM " + schema::quoted(table));
  return last && last.step() && last.integer() > max_prefix_scan;
}

// The words of the index with a prefix, at most max_prefix_words + 1, in order. Empty: the file
// has no table of words yet.
std::optional<std::vector<std::string>> words_with(sqlite3* db, const std::string& table,
                                                   const std::string& prefix) {
  Statement word(db, "SELECT term FROM " + schema::quoted(schema::word_table(table)) +
                         " WHERE term >= ?1 AND term < ?2");
  if (!word) return std::nullopt;
  std::vector<std::string> words;
  word.bind(2, prefix + std::string(last_character));
  word.bind(1, prefix);
  int read = 0;
  while (words.size() <= max_prefix_words && word.step()) {
    const std::string_view found = word.text();
    if (words.empty() || words.back() != found) {
      words.emplace_back(found);
      read = 0;
    } else if (++read == max_occurrences_read) {
      word.bind(1, words.back() + '\x01');
      read = 0;
    }
  }
  return words;
}

std::string phrase(const std::string& text, bool is_beginning = false) {
  return schema::quoted(text) + (is_beginning ? " *" : "");
}

// Appends the prefix term; false if words are left out.
bool append_prefix(std::string& expression, sqlite3* db, const std::string& table,
                   const SearchTerm& term, bool is_complete) {
  const std::size_t last = term.words.size() - 1;
  const std::string prefix(term.words.folded(last));
  const std::size_t characters = characters_of(prefix);
  std::optional<std::vector<std::string>> words;
  if (!is_complete && characters != 2 && characters != 3 && is_large(db, table))
    words = words_with(db, table, prefix);
  if (!words || words->empty()) {
    expression += phrase(term.text, true);
    return true;
  }
  const bool has_all = words->size() <= max_prefix_words;
  if (!has_all) words->pop_back();
  std::string start;
  for (std::size_t i = 0; i < last; ++i)
    start.append(term.words.folded(i)).append(" ");
  // FTS5 has an implicit AND between phrases only.
  std::string_view separator = expression.ends_with('(') ? "(" : "AND (";
  for (const std::string& word : *words) {
    expression.append(separator).append(phrase(start + word));
    separator = " OR ";
  }
  expression += ")";
  return has_all;
}

// Terms without words, such as "&", are left out: they ask for nothing.
std::string expression_of(sqlite3* db, const std::string& table, const SearchRequest& request,
                          bool is_complete) {
  std::string expression;
  if (!request.columns.empty()) expression = "{" + request.columns + "} : ";
  expression += "((";
  const std::size_t start = expression.size();
  bool has_all = true;
  for (const SearchTerm& term : request.terms) {
    if (term.is_excluded || term.words.size() == 0) continue;
    if (expression.size() != start) expression += " ";
    if (term.is_beginning) {
      has_all = append_prefix(expression, db, table, term, is_complete) && has_all;
    } else {
      expression += phrase(term.text);
    }
  }
  if (expression.size() == start) expression += phrase({});  // finds nothing
  expression += ")";
  for (const SearchTerm& term : request.terms) {
    if (term.is_excluded && term.words.size() > 0)
      expression.append(" NOT ").append(phrase(term.text));
  }
  return expression.append(has_all ? ")" : ") ");
}

void match(sqlite3_context* context, int /*count*/, sqlite3_value** values) noexcept {
  auto& tokenizer = *static_cast<SearchTokenizer*>(sqlite3_user_data(context));
  try {
    const SearchRequest request = read_request(tokenizer, function_text(values[1]));
    const std::string expression =
        expression_of(sqlite3_context_db_handle(context), std::string(function_text(values[0])),
                      request, sqlite3_value_int(values[2]) != 0);
    sqlite3_result_text64(context, expression.data(), expression.size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8);
  } catch (const base::Error& error) {
    sqlite3_result_error(context, error.what(), -1);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

void add_match_function(sqlite3* db) {
  // SQLite deletes the tokenizer, also if it refuses the function.
  const int code = sqlite3_create_function_v2(
      db, "tenon_match", 3, SQLITE_UTF8 | SQLITE_DIRECTONLY, new SearchTokenizer(db), &match,
      nullptr, nullptr, [](void* old) { delete static_cast<SearchTokenizer*>(old); });
  if (code != SQLITE_OK) throw sqlite_error(db, code);
}

}  // namespace tenon::data::sqlite
