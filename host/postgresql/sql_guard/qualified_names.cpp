#include "postgresql/sql_guard/qualified_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "postgresql/sql_guard/confined_names.hpp"

namespace tenon::data::postgresql {

namespace {

// Words that SQL reserves: none is the name of a table or its alias.
constexpr std::array<std::string_view, 16> clauses = {
    "where", "group", "having", "window",    "order",  "limit",     "offset", "fetch",
    "for",   "union", "except", "intersect", "select", "returning", "when",   "then"};
// Words that precede a table, a type or a collation.
constexpr std::array<std::string_view, 5> before_names = {"join", "update", "table", "as",
                                                          "collate"};
// Words that may come between.
constexpr std::array<std::string_view, 3> before_tables = {"only", "lateral", "setof"};
// They write what their text names.
constexpr std::array<std::string_view, 2> denied_names = {"nextval", "setval"};
// Tables made of a text, whose columns are given their types by a grammar of their own.
constexpr std::array<std::string_view, 2> typed_tables = {"xmltable", "json_table"};
// Words that follow a table of a list and are no alias of it.
constexpr std::array<std::string_view, 10> no_aliases = {"and",   "or",   "not",  "in",    "on",
                                                         "using", "join", "like", "ilike", "is"};

bool is_name(const Token& token) noexcept {
  return token.kind == TokenKind::word || token.kind == TokenKind::name;
}

// In parentheses, between CASE and END, or in neither.
struct Group {
  bool is_case = false;
  bool is_query = false;      // its FROM is followed by tables
  bool is_list = false;       // of tables, between FROM and the next clause
  bool is_columns = false;    // names after a table's alias; with types after a function
  bool is_with = false;       // between WITH and the statement that it is for
  bool is_window = false;     // between WINDOW and the next clause
  bool is_statement = false;  // its RETURNING is followed by columns, not by a type
};

class QualifiedBody {
 public:
  explicit QualifiedBody(std::span<const Token> tokens) : tokens_(tokens) {}

  void check() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      const Token& token = tokens_[at_];
      if (token.kind == TokenKind::symbol) {
        take_symbol(token.text[0]);
      } else if (is_name(token)) {
        check_call();
        if (expects_name_ && is_symbol(1, '.')) deny("another schema");
        const bool is_keyword = token.kind == TokenKind::word && !is_symbol(-1, '.');
        if (is_word(0, "into") || !is_keyword || !take_keyword(lowered(token.text))) take_name();
      } else {
        expects_name_ = false;
      }
    }
  }

 private:
  const Token& token(std::ptrdiff_t ahead) const noexcept {
    const std::size_t position = at_ + static_cast<std::size_t>(ahead);
    return position < tokens_.size() ? tokens_[position] : none_;
  }
  bool is_symbol(std::ptrdiff_t ahead, char symbol) const noexcept {
    return token(ahead).is_symbol(symbol);
  }
  bool is_word(std::ptrdiff_t ahead, std::string_view word) const noexcept {
    return token(ahead).kind == TokenKind::word && lowered(token(ahead).text) == word;
  }
  [[noreturn]] void deny(const std::string& what) const {
    constexpr std::size_t shown = 40;
    throw denied("not authorized in a trigger function: " + what + " at '" +
                 std::string(token(0).text.substr(0, shown)) + "'");
  }
  Group& group() noexcept { return groups_.back(); }

  void take_symbol(char symbol) {
    const bool did_expect = std::exchange(expects_name_, false);
    switch (symbol) {
      case '(':
      case '[': {
        const bool is_columns = symbol == '(' && begins_columns();
        const bool is_statement =
            group().is_with && (is_word(-1, "as") || is_word(-1, "materialized"));
        groups_.emplace_back();
        group().is_columns = is_columns;
        group().is_statement = is_statement;
        expects_name_ = did_expect;
        break;
      }
      case '.':
        // A name there has no dot; its type may have one.
        if (group().is_columns) deny("a type of another schema");
        break;
      case ')':
      case ']':
        while (groups_.size() > 1 && group().is_case)
          groups_.pop_back();
        if (groups_.size() > 1) groups_.pop_back();
        break;
      case ',':
        expects_name_ = group().is_list;
        break;
      case ':':
        expects_name_ = is_symbol(-1, ':');
        break;
      case ';':
        groups_ = {outermost};
        break;
      default:
        break;
    }
  }

  void check_call() const {
    const std::string name = lowered(token(0).text);
    if (is_among(denied_names, name) || name == "\"nextval\"" || name == "\"setval\"") deny(name);
    const bool is_typed_text =
        token(1).kind == TokenKind::text || token(1).kind == TokenKind::dollar_text;
    if (is_symbol(-1, '.') && is_name(token(-2)) && (is_symbol(1, '(') || is_typed_text))
      deny("a call into another schema");
    if (is_word(0, "operator") && is_symbol(1, '(')) deny("an operator of another schema");
    if (is_among(typed_tables, name) && is_symbol(1, '(')) deny(name);
  }

  // f() AS (a int), f() AS t(a int), f() t(a int); not WITH t AS (…), nor WINDOW w AS (…).
  bool begins_columns() noexcept {
    if (is_word(-1, "as")) return !group().is_with && !group().is_window;
    if (!is_name(token(-1))) return false;
    if (is_word(-2, "as")) return !(group().is_with && is_word(-1, "materialized"));
    const bool is_alias =
        token(-1).kind == TokenKind::name || !is_among(no_aliases, lowered(token(-1).text));
    return group().is_list && is_symbol(-2, ')') && is_alias;
  }

  // Not that of WITH TIME ZONE, nor of WITH ORDINALITY.
  bool begins_with() const noexcept {
    if (is_word(-1, "as")) return false;
    return is_word(1, "recursive") || (is_name(token(1)) && !is_word(1, "ordinality") &&
                                       (is_word(2, "as") || is_symbol(2, '(')));
  }

  void take_name() {
    if (is_word(0, "into")) return take_into();
    expects_name_ = false;
  }

  // False for a word that says nothing here.
  bool take_keyword(const std::string& word) {
    if (is_among(before_tables, word)) return true;
    const bool is_within_group = word == "group" && is_word(-1, "within");
    const bool ends_head =
        word == "loop" && std::all_of(groups_.begin() + 1, groups_.end(),
                                      [](const Group& one) { return one.is_case; });
    if (ends_head || (is_among(clauses, word) && !is_within_group)) {
      group().is_list = false;
      group().is_window = word == "window" && !is_word(-1, "as");
    }
    const bool begins_statement = word == "select" || word == "insert" || word == "update" ||
                                  word == "delete" || word == "merge";
    if (begins_statement || word == "from") group().is_with = group().is_window = false;
    if (word == "with" && begins_with()) group().is_with = true;
    if (word == "select" || word == "delete" || word == "update") group().is_query = true;
    if (word == "case")
      groups_.push_back(
          {.is_case = true, .is_query = group().is_query, .is_statement = group().is_statement});
    if (word == "end" && group().is_case) groups_.pop_back();
    const bool begins_list = word == "using" || (word == "from" && is_from_of_tables());
    if (begins_list) group().is_list = true;
    // json_object(… RETURNING type), of PostgreSQL 16 and later.
    const bool returns_type = word == "returning" && !group().is_statement;
    if (!begins_list && !returns_type && !is_among(before_names, word)) return false;
    expects_name_ = true;
    return true;
  }

  // Not that of EXTRACT(… FROM …), nor of IS [NOT] DISTINCT FROM.
  bool is_from_of_tables() const noexcept {
    if (!groups_.back().is_query) return false;
    if (!is_word(-1, "distinct")) return true;
    const std::ptrdiff_t is = is_word(-2, "not") ? -3 : -2;
    return !is_word(is, "is") || is_symbol(is - 1, '.');
  }

  void take_into() {
    const bool is_of_table = is_word(-1, "insert") || is_word(-1, "merge");
    if (std::exchange(expects_name_, is_of_table) || is_symbol(-1, '.') ||
        (is_of_table && is_symbol(-2, '.')))
      deny("INTO has no place here");
    if (is_of_table) return;
    const bool is_after_select = is_word(-1, "select") && !is_symbol(-2, '.');
    if (is_word(1, "strict")) ++at_;
    skip_variables();
    const bool is_before_clause =
        is_symbol(1, ';') || is_word(1, "from") ||
        (token(1).kind == TokenKind::word && is_among(clauses, lowered(token(1).text)));
    if (!is_after_select && !is_before_clause)
      deny("INTO must follow SELECT or precede FROM or the end");
  }

  void skip_variables() {
    bool has_more = true;
    while (has_more && is_name(token(1))) {
      ++at_;
      has_more = is_symbol(1, ',') || is_symbol(1, '.');
      if (has_more) ++at_;
    }
  }

  // PL/pgSQL makes a SELECT of an expression.
  static constexpr Group outermost{.is_query = true, .is_statement = true};

  std::span<const Token> tokens_;
  const Token none_;
  std::size_t at_ = 0;
  std::vector<Group> groups_{outermost};
  bool expects_name_ = false;  // a table, type or collation is expected here
};

}  // namespace

void check_qualified_names(std::span<const Token> body) {
  QualifiedBody(body).check();
}

}  // namespace tenon::data::postgresql
