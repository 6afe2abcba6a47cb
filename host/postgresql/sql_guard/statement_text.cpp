#include "postgresql/sql_guard/statement_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "postgresql/sql_guard/confined_names.hpp"
#include "postgresql/sql_guard/lexer.hpp"
#include "postgresql/sql_guard/trigger_function.hpp"

namespace tenon::data::postgresql {

namespace {

// Names that rights cannot deny: PostgreSQL lets any role call them, or they run a text as SQL.
constexpr std::array<std::string_view, 13> denied_starts = {
    "pg_",         "lo_",          "set_config",  "information_schema", "query_to_xml",
    "cursor_to_x", "table_to_xml", "schema_to_x", "database_to_xml",    "ts_stat",
    "ts_rewrite",  "dblink",       "tenon_lock"};

// The one of these names that is harmless, and that a trigger needs that writes its own table.
constexpr std::string_view trigger_depth = "pg_trigger_depth";

// Additional statements of a migration, their objects, and the words allowed between the two.
constexpr std::array<std::string_view, 5> migration_statements = {"create", "alter", "drop",
                                                                  "comment", "truncate"};
constexpr std::array<std::string_view, 4> migration_objects = {"table", "index", "view",
                                                               "sequence"};
constexpr std::array<std::string_view, 5> between = {"unique", "or", "replace", "materialized",
                                                     "recursive"};

// Keywords before the qualified name of a table; the parenthesis after it begins a column list.
constexpr std::array<std::string_view, 5> before_columns = {"into", "references", "table", "exists",
                                                            "view"};

SqlError refused_text(const std::string& detail) {
  return {500, "data.sql", "The database refused a statement.", 0, detail};
}

enum class Writer : std::uint8_t { host, plugin, migration };

class Translator {
 public:
  Translator(std::string_view sql, Writer writer)
      : sql_(sql), lexer_(sql), is_trusted_(writer == Writer::host), writer_(writer) {
    text_.sql.reserve(sql.size());
  }

  std::vector<std::string> split() {
    std::vector<std::string> statements;
    std::size_t begin = 0;
    std::size_t at = 0;
    const auto cut = [&](std::size_t end) {
      if (std::exchange(has_statement_, false))
        statements.emplace_back(sql_.substr(begin, end - begin));
      begin = end + 1;
    };
    for (Token token = lexer_.next(); token.kind != TokenKind::end; token = lexer_.next()) {
      if (token.is_symbol(';')) cut(at);
      take(token);
      at += token.text.size();
    }
    cut(sql_.size());
    return statements;
  }

  StatementText run() {
    // The server would read up to it.
    if (sql_.find('\0') != std::string_view::npos) throw refused_text("the text holds a NUL");
    for (Token token = lexer_.next(); token.kind != TokenKind::end; token = lexer_.next())
      take(token);
    if (!has_statement_) throw refused_text("the text holds no statement");
    return std::move(text_);
  }

 private:
  void take(const Token& token) {
    if (!is_trusted_ && token.kind != TokenKind::space && token.kind != TokenKind::comment)
      check_call(token);
    switch (token.kind) {
      case TokenKind::word:
        take_word(token.text);
        break;
      case TokenKind::name:
        has_statement_ = true;
        check(token.text.substr(1));
        break;
      case TokenKind::escaped_text:
      case TokenKind::unicode_start:
        if (!is_trusted_) throw denied("not authorized: names and texts with escapes");
        break;
      case TokenKind::placeholder:
        return take_placeholder(token.text.substr(1));
      case TokenKind::parameter: {
        const std::size_t number = number_in(token.text.substr(1));
        if (number != 0) note_parameter(number);
        break;
      }
      default:
        break;
    }
    text_.sql.append(token.text);
  }

  // A function of another schema can run a text as SQL. In a default or a trigger it has the rights
  // of the role that writes the row.
  void check_call(const Token& token) {
    const bool is_call = token.is_symbol('(') && is_name(before_[2]) && before_[1].is_symbol('.') &&
                         is_name(before_[0]);
    if (is_call && !begins_columns(lowered(before_[3].text)))
      throw denied("not authorized: a call into another schema, '" + std::string(before_[2].text) +
                   "." + std::string(before_[0].text) + "'");
    // It runs a statement that the session has prepared.
    if (writer_ == Writer::migration && token.kind == TokenKind::word &&
        lowered(token.text) == "execute" && lowered(before_[0].text) == "as")
      throw denied("not authorized: execute");
    before_ = {token, before_[0], before_[1], before_[2]};
  }

  static bool is_name(const Token& token) noexcept {
    return token.kind == TokenKind::word || token.kind == TokenKind::name;
  }

  bool begins_columns(const std::string& word) const {
    return is_among(before_columns, word) || (word == "on" && is_index_);
  }

  void check(std::string_view name) const {
    if (!is_trusted_) check_name(name, writer_ == Writer::migration);
  }

  void take_word(std::string_view word) {
    if (!has_statement_) {
      has_statement_ = true;
      first_ = lowered(word);
      const bool changes_schema =
          writer_ == Writer::migration && is_among(migration_statements, first_);
      needs_object_ = changes_schema && first_ != "truncate";
      if (!is_trusted_ && !changes_schema && !is_among(allowed_statements, first_))
        throw denied("not authorized: " + first_);
    } else if (needs_object_) {
      check_object(lowered(word));
    }
    check(word);
  }

  // CREATE UNIQUE INDEX, COMMENT ON TABLE, …
  void check_object(const std::string& word) {
    if (word == "on" || word == "column" || is_among(between, word)) {
      needs_object_ = word != "column";
      return;
    }
    // Functions are made by a way of their own.
    const bool is_of_trigger = (word == "trigger" && (first_ == "create" || first_ == "drop")) ||
                               (word == "function" && first_ == "drop");
    if (!is_of_trigger && !is_among(migration_objects, word))
      throw denied("not authorized: " + word);
    needs_object_ = false;
    is_index_ = first_ == "create" && word == "index";
  }

  static std::size_t number_in(std::string_view digits) {
    std::size_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }

  void take_placeholder(std::string_view digits) {
    const std::size_t number = digits.empty() ? text_.parameters + 1 : number_in(digits);
    note_parameter(number);
    // Directly after a name it would become a part of it.
    if (!text_.sql.empty() && is_name_byte(text_.sql.back())) text_.sql += ' ';
    text_.sql += '$';
    text_.sql += std::to_string(number);
  }

  void note_parameter(std::size_t number) {
    constexpr std::size_t max_parameter = 65'535;
    if (number == 0 || number > max_parameter)
      throw refused_text("the number of a parameter must be 1 to 65535");
    text_.parameters = std::max(text_.parameters, number);
    text_.is_used.resize(text_.parameters);
    text_.is_used[number - 1] = true;
  }

  std::string_view sql_;
  Lexer lexer_;
  const bool is_trusted_;
  const Writer writer_;
  bool has_statement_ = false;
  bool needs_object_ = false;
  bool is_index_ = false;
  std::array<Token, 4> before_;  // the last one first
  std::string first_;
  StatementText text_;
};

}  // namespace

SqlError denied(const std::string& detail) {
  return {500, "data.denied", "The statement does what this database's confinement denies.", 0,
          detail};
}

void check_name(std::string_view name, bool is_migration) {
  const std::string lower = lowered(name);
  if (lower == trigger_depth) return;
  for (const auto& start : denied_starts) {
    if (lower.starts_with(start)) throw denied("not authorized: " + lower);
  }
  if (is_migration && lower.starts_with("tenon_")) throw denied("not authorized: " + lower);
}

StatementText translate(std::string_view sql, bool is_trusted) {
  return Translator(sql, is_trusted ? Writer::host : Writer::plugin).run();
}

std::vector<std::string> split_script(std::string_view script) {
  return Translator(script, Writer::host).split();
}

void check_migration(std::string_view statement) {
  if (makes_function(statement)) {
    check_trigger_function(statement);
    return;
  }
  Translator(statement, Writer::migration).run();
}

}  // namespace tenon::data::postgresql
