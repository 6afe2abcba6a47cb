// An expression: what is taken prints and reads back equal; what fits the tables makes SQL that
// SQLite prepares under the limits of a plugin's connection, and PostgreSQL's text, too. The first
// line says what it is for: rule, filter or value.

#include <memory>

#include <sqlite3.h>

#include "base/error.hpp"
#include "data/limits.hpp"
#include "expression/parse.hpp"
#include "expression/sql.hpp"
#include "property.hpp"

namespace {

using namespace tenon::expression;
using namespace tenon::data::schema;

constexpr std::string_view declared = R"({"tables": [
  {"name": "cards", "timestamps": true, "authorship": true, "version": true, "fields": [
    {"name": "title", "type": "text"}, {"name": "count", "type": "integer"},
    {"name": "price", "type": "number"}, {"name": "done", "type": "boolean"},
    {"name": "due", "type": "date"}, {"name": "seen", "type": "datetime"},
    {"name": "meta", "type": "json"}, {"name": "secret", "type": "text", "hidden": true},
    {"name": "stage", "type": "choice", "choices": ["todo", "done"]},
    {"name": "board", "type": "reference", "table": "boards"},
    {"name": "parent", "type": "reference", "table": "cards"},
    {"name": "owner", "type": "user"}]},
  {"name": "boards", "fields": [
    {"name": "name", "type": "text", "required": true}, {"name": "lead", "type": "user"},
    {"name": "top", "type": "reference", "table": "cards"}]}]})";

Field many(std::string name, FieldType type, std::string table = {}) {
  Field field;
  field.name = std::move(name);
  field.type = type;
  field.table = std::move(table);
  field.many = true;
  if (type == FieldType::choice) field.choices = {"red", "green"};
  return field;
}

const Tables& tables() {
  static const Tables all = [] {
    Tables parsed = parse_tables(declared);
    auto& cards = parsed.tables[0].fields;
    cards.push_back(many("tags", FieldType::choice));
    cards.push_back(many("files", FieldType::blob));
    cards.push_back(many("assignees", FieldType::user));
    cards.push_back(many("related", FieldType::reference, "cards"));
    cards.push_back(many("teams", FieldType::reference, "core:groups"));
    return parsed;
  }();
  return all;
}

class Memory {
 public:
  Memory() {
    TENON_HOLDS(sqlite3_open(":memory:", &database_) == SQLITE_OK);
    for (const char* const sql :
         {"CREATE TABLE cards (id TEXT, title TEXT, count INTEGER, price REAL, done INTEGER, due "
          "TEXT, seen TEXT, meta TEXT, secret TEXT, stage TEXT, board TEXT, parent TEXT, owner "
          "TEXT, tags TEXT, files TEXT, created TEXT, updated TEXT, created_by TEXT, updated_by "
          "TEXT, version INTEGER) STRICT",
          "CREATE TABLE boards (id TEXT, name TEXT, lead TEXT, top TEXT) STRICT",
          "CREATE TABLE cards__assignees (record TEXT, target TEXT, position INTEGER) STRICT",
          "CREATE TABLE cards__related (record TEXT, target TEXT, position INTEGER) STRICT",
          "CREATE TABLE cards__teams (record TEXT, target TEXT, position INTEGER) STRICT"})
      TENON_HOLDS(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    const tenon::data::StatementLimits limits;
    sqlite3_limit(database_, SQLITE_LIMIT_SQL_LENGTH, limits.sql_bytes);
    sqlite3_limit(database_, SQLITE_LIMIT_EXPR_DEPTH, limits.expression_depth);
    sqlite3_limit(database_, SQLITE_LIMIT_FUNCTION_ARG, limits.function_arguments);
    sqlite3_limit(database_, SQLITE_LIMIT_VARIABLE_NUMBER, limits.parameters);
    sqlite3_limit(database_, SQLITE_LIMIT_VDBE_OP, limits.program_operations);
  }
  ~Memory() { sqlite3_close(database_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void prepare(const std::string& sql, std::size_t parameters) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr);
    if (code != SQLITE_OK) std::fprintf(stderr, "%s\n%s\n", sqlite3_errmsg(database_), sql.c_str());
    TENON_HOLDS(code == SQLITE_OK);
    TENON_HOLDS(sqlite3_bind_parameter_count(statement) == static_cast<int>(parameters));
    sqlite3_finalize(statement);
  }

 private:
  sqlite3* database_ = nullptr;
};

void write(const Ast& ast, Purpose purpose) {
  static Memory memory;
  const Checked checked = check(ast, tables(), tables().tables[0], purpose);
  if (purpose == Purpose::filter) {
    for (const NamedField& named : checked.fields())
      TENON_HOLDS(named.field != "secret");
  }
  SqlOptions options;
  options.alias = "t";
  const bool is_value = purpose == Purpose::value;
  const Sql sql = is_value ? to_sql_value(checked, options) : to_sql_condition(checked, options);
  memory.prepare(is_value ? "SELECT " + sql.text + " FROM cards AS t"
                          : "SELECT id FROM cards AS t WHERE " + sql.text,
                 sql.slots.size());
  const Context anonymous(std::nullopt, {}, 0, nullptr);
  std::vector<tenon::data::Cell> cells;
  append_cells(sql, anonymous, cells);
  TENON_HOLDS(cells.size() == sql.slots.size());
  options.dialect = Dialect::postgresql;
  TENON_HOLDS(!(is_value ? to_sql_value(checked, options) : to_sql_condition(checked, options))
                   .text.empty());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzz::text_of(data, size);
  const std::string_view kind = tenon::fuzz::take_line(text);
  const tenon::fuzz::Piece piece(text);
  try {
    const Ast ast = parse(piece.get());
    const std::string printed = print(ast.root);
    if (printed.size() <= max_bytes) {
      const Ast again = parse(printed);
      TENON_HOLDS(again.root == ast.root && print(again.root) == printed);
    }
    write(ast, kind == "value"    ? Purpose::value
               : kind == "filter" ? Purpose::filter
                                  : Purpose::rule);
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.status() == 422 && error.code() == "expression.invalid");
  }
  return 0;
}
