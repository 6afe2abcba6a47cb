#include "data/postgresql/statement_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "data/sql_error.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr std::array<std::string_view, 7> allowed_statements = {
    "select", "insert", "update", "delete", "merge", "values", "with"};

// What rights cannot deny: PostgreSQL lets everybody call them, or they run a text as SQL.
constexpr std::array<std::string_view, 13> denied_starts = {
    "pg_",         "lo_",          "set_config",  "information_schema", "query_to_xml",
    "cursor_to_x", "table_to_xml", "schema_to_x", "database_to_xml",    "ts_stat",
    "ts_rewrite",  "dblink",       "tenon_lock"};

// In a migration besides, and what these may be of; words that may stand between the two.
constexpr std::array<std::string_view, 5> migration_statements = {"create", "alter", "drop",
                                                                  "comment", "truncate"};
constexpr std::array<std::string_view, 4> migration_objects = {"table", "index", "view",
                                                               "sequence"};
constexpr std::array<std::string_view, 5> between = {"unique", "or", "replace", "materialized",
                                                     "recursive"};

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& list, std::string_view word) noexcept {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_name(char c) noexcept {
  return is_name_start(c) || is_digit(c) || c == '$';
}

std::string lowered(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

SqlError denied(const std::string& detail) {
  return {500, "data.denied", "The statement does what this database's confinement denies.", 0,
          detail};
}

enum class Writer : std::uint8_t { host, plugin, migration };

class Translator {
 public:
  Translator(std::string_view sql, Writer writer)
      : sql_(sql), is_trusted_(writer == Writer::host), writer_(writer) {
    text_.sql.reserve(sql.size());
  }

  std::vector<std::string> split() {
    std::vector<std::string> statements;
    std::size_t begin = 0;
    const auto cut = [&](std::size_t end) {
      if (std::exchange(has_statement_, false))
        statements.emplace_back(sql_.substr(begin, end - begin));
      begin = end + 1;
    };
    while (at_ < sql_.size()) {
      if (peek() == ';') cut(at_);
      step();
    }
    cut(sql_.size());
    return statements;
  }

  StatementText run() {
    // The server would read up to it.
    if (sql_.find('\0') != std::string_view::npos) {
      throw SqlError(500, "data.sql", "The database refused a statement.", 0,
                     "the text holds a NUL");
    }
    while (at_ < sql_.size())
      step();
    if (!has_statement_) {
      throw SqlError(500, "data.sql", "The database refused a statement.", 0,
                     "the text holds no statement");
    }
    return std::move(text_);
  }

 private:
  char peek(std::size_t ahead = 0) const noexcept {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }

  void copy_to(std::size_t end) {
    end = std::min(end, sql_.size());
    text_.sql.append(sql_, at_, end - at_);
    at_ = end;
  }

  // Past the quote that closes the one at `from`; a doubled one does not.
  std::size_t behind_quoted(std::size_t from, char quote, bool has_escapes) const noexcept {
    for (std::size_t i = from + 1; i < sql_.size(); ++i) {
      if (has_escapes && sql_[i] == '\\') {
        ++i;
      } else if (sql_[i] == quote) {
        if (i + 1 < sql_.size() && sql_[i + 1] == quote) {
          ++i;
        } else {
          return i + 1;
        }
      }
    }
    return sql_.size();
  }

  // Past a text with escapes; it goes on in quotes behind a line's end.
  std::size_t behind_escaped(std::size_t from) const noexcept {
    for (;;) {
      const std::size_t end = behind_quoted(from, '\'', true);
      const std::size_t next = std::min(sql_.find_first_not_of(" \t\n\r\f", end), sql_.size());
      const bool has_line_end =
          sql_.substr(end, next - end).find_first_of("\n\r") != std::string_view::npos;
      if (!has_line_end || next == sql_.size() || sql_[next] != '\'') return end;
      from = next;
    }
  }

  std::size_t behind_comment() const noexcept {
    std::size_t depth = 0;
    for (std::size_t i = at_; i + 1 < sql_.size(); ++i) {
      if (sql_[i] == '/' && sql_[i + 1] == '*') {
        ++depth;
        ++i;
      } else if (sql_[i] == '*' && sql_[i + 1] == '/') {
        ++i;
        if (--depth == 0) return i + 1;
      }
    }
    return sql_.size();
  }

  // Where a dollar quote that begins here ends; 0 where none begins.
  std::size_t behind_dollar_quote() const noexcept {
    std::size_t end = at_ + 1;
    if (end < sql_.size() && is_digit(sql_[end])) return 0;
    while (end < sql_.size() && is_name(sql_[end]) && sql_[end] != '$')
      ++end;
    if (end >= sql_.size() || sql_[end] != '$') return 0;
    const std::string_view tag = sql_.substr(at_, end + 1 - at_);
    const auto close = sql_.find(tag, end + 1);
    return close == std::string_view::npos ? sql_.size() : close + tag.size();
  }

  void check_name(std::string_view name) const {
    if (is_trusted_) return;
    const std::string lower = lowered(name);
    for (const auto& start : denied_starts) {
      if (lower.starts_with(start)) throw denied("not authorized: " + lower);
    }
    if (writer_ == Writer::migration && lower.starts_with("tenon_"))
      throw denied("not authorized: " + lower);
  }

  void take_word() {
    std::size_t end = at_;
    while (end < sql_.size() && is_name(sql_[end]))
      ++end;
    const std::string_view word = sql_.substr(at_, end - at_);
    const char next = end < sql_.size() ? sql_[end] : '\0';
    const std::string_view prefix = word.size() == 1 ? word : std::string_view();
    if (!is_trusted_ && ((next == '\'' && (prefix == "e" || prefix == "E")) ||
                         (next == '&' && (prefix == "u" || prefix == "U"))))
      throw denied("not authorized: names and texts with escapes");
    if (next == '\'' && (prefix == "e" || prefix == "E")) {
      copy_to(behind_escaped(end));
      return;
    }
    if (!has_statement_) {
      has_statement_ = true;
      const std::string first = lowered(word);
      needs_object_ = writer_ == Writer::migration && first != "truncate" &&
                      is_among(migration_statements, first);
      const bool is_allowed =
          is_trusted_ || is_among(allowed_statements, first) ||
          (writer_ == Writer::migration && is_among(migration_statements, first));
      if (!is_allowed) throw denied("not authorized: " + first);
    } else if (needs_object_) {
      check_object(lowered(word));
    }
    check_name(word);
    copy_to(end);
  }

  // CREATE UNIQUE INDEX, COMMENT ON TABLE, …
  void check_object(const std::string& word) {
    if (word == "on" || word == "column" || is_among(between, word)) {
      needs_object_ = word != "column";
      return;
    }
    if (!is_among(migration_objects, word)) throw denied("not authorized: " + word);
    needs_object_ = false;
  }

  void take_placeholder() {
    std::size_t end = at_ + 1;
    while (end < sql_.size() && is_digit(sql_[end]))
      ++end;
    std::size_t number = text_.parameters + 1;
    if (end > at_ + 1) {
      number = 0;
      std::from_chars(sql_.data() + at_ + 1, sql_.data() + end, number);
    }
    note_parameter(number);
    // Behind a name it would be a part of it.
    if (!text_.sql.empty() && is_name(text_.sql.back())) text_.sql += ' ';
    text_.sql += '$';
    text_.sql += std::to_string(number);
    at_ = end;
  }

  void note_parameter(std::size_t number) {
    constexpr std::size_t most = 65'535;
    if (number == 0 || number > most) {
      throw SqlError(500, "data.sql", "The database refused a statement.", 0,
                     "the number of a parameter must be 1 to 65535");
    }
    text_.parameters = std::max(text_.parameters, number);
    text_.is_used.resize(text_.parameters);
    text_.is_used[number - 1] = true;
  }

  void step() {
    const char c = peek();
    if (c == '\'') return copy_to(behind_quoted(at_, '\'', false));
    if (c == '"') {
      const std::size_t end = behind_quoted(at_, '"', false);
      has_statement_ = true;
      check_name(sql_.substr(at_ + 1, end - at_ - 1));
      return copy_to(end);
    }
    if (c == '-' && peek(1) == '-') return copy_to(sql_.find_first_of("\n\r", at_));
    if (c == '/' && peek(1) == '*') return copy_to(behind_comment());
    if (is_name_start(c)) return take_word();
    if (c == '?') return take_placeholder();
    if (c == '$') {
      if (const std::size_t end = behind_dollar_quote(); end != 0) return copy_to(end);
      std::size_t number = 0;
      const auto end =
          std::from_chars(sql_.data() + at_ + 1, sql_.data() + sql_.size(), number).ptr;
      if (number != 0) note_parameter(number);
      return copy_to(std::max(at_ + 1, static_cast<std::size_t>(end - sql_.data())));
    }
    if (is_digit(c)) {
      std::size_t end = at_;
      while (end < sql_.size() && (is_digit(sql_[end]) || sql_[end] == '.'))
        ++end;
      return copy_to(end);
    }
    copy_to(at_ + 1);
  }

  std::string_view sql_;
  const bool is_trusted_;
  const Writer writer_;
  std::size_t at_ = 0;
  bool has_statement_ = false;
  bool needs_object_ = false;
  StatementText text_;
};

}  // namespace

StatementText translate(std::string_view sql, bool is_trusted) {
  return Translator(sql, is_trusted ? Writer::host : Writer::plugin).run();
}

std::vector<std::string> split_script(std::string_view script) {
  return Translator(script, Writer::host).split();
}

void check_migration(std::string_view statement) {
  Translator(statement, Writer::migration).run();
}

}  // namespace tenon::data::postgresql
