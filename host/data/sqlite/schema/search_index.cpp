#include "data/sqlite/schema/search_index.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "data/schema/ddl.hpp"
#include "data/sqlite/sql.hpp"

namespace tenon::data::schema {

namespace {

/// Of names, the SQL that made them.
using Parts = std::map<std::string, std::string>;

constexpr std::string_view table_prefix = "tenon_";
constexpr std::string_view table_suffix = "_search";

std::string columns_of(const std::vector<Field>& fields, std::string_view row = {}) {
  std::string columns;
  for (const Field& field : fields)
    columns.append(", ").append(row).append(quoted(field.name));
  return columns;
}

std::string add_entry(const std::string& index, const std::vector<Field>& fields) {
  return "INSERT INTO " + quoted(index) + " (\"rowid\"" + columns_of(fields) +
         ") VALUES (new.\"rowid\"" + columns_of(fields, "new.") + ");";
}

std::string drop_entry(const std::string& index, const std::vector<Field>& fields) {
  return "INSERT INTO " + quoted(index) + " (" + quoted(index) + ", \"rowid\"" +
         columns_of(fields) + ") VALUES ('delete', old.\"rowid\"" + columns_of(fields, "old.") +
         ");";
}

// One trigger for both halves of a change: the old entry goes first, and the order of triggers is
// not promised.
std::string update_trigger(const std::string& name, const std::string& index,
                           const std::string& table, const std::vector<Field>& fields) {
  std::string is_changed = "old.\"rowid\" <> new.\"rowid\"";
  for (const Field& field : fields)
    is_changed += " OR old." + quoted(field.name) + " IS NOT new." + quoted(field.name);
  return "CREATE TRIGGER " + quoted(name) + " AFTER UPDATE OF \"rowid\"" + columns_of(fields) +
         " ON " + quoted(table) + " WHEN " + is_changed + " BEGIN " + drop_entry(index, fields) +
         " " + add_entry(index, fields) + " END";
}

// What the index of a table is made of; the FTS5 table sorts before its triggers.
Parts planned_parts(const Table& table) {
  const std::vector<Field> fields = searchable_fields(table);
  if (fields.empty()) return {};
  const std::string index = search_table(table.name);
  const std::string on = " ON " + quoted(table.name) + " BEGIN ";
  return {{index, "CREATE VIRTUAL TABLE " + quoted(index) + " USING fts5(" +
                      columns_of(fields).substr(2) + ", content = " + literal(table.name) +
                      ", content_rowid = 'rowid', tokenize = 'unicode61 remove_diacritics 2', "
                      "prefix = '2 3')"},
          {index + "_delete", "CREATE TRIGGER " + quoted(index + "_delete") + " AFTER DELETE" + on +
                                  drop_entry(index, fields) + " END"},
          {index + "_insert", "CREATE TRIGGER " + quoted(index + "_insert") + " AFTER INSERT" + on +
                                  add_entry(index, fields) + " END"},
          {index + "_update", update_trigger(index + "_update", index, table.name, fields)}};
}

// The search indexes of the file by the name of their FTS5 table.
std::map<std::string, Parts> read_indexes(sqlite::Connection& connection) {
  std::map<std::string, Parts> indexes;
  sqlite::Sql row(connection,
                  "SELECT CASE type WHEN 'table' THEN name ELSE substr(name, 1, length(name) - 7) "
                  "END, name, sql FROM sqlite_schema WHERE (type = 'table' AND name GLOB "
                  "'tenon_*_search' AND sql LIKE 'CREATE VIRTUAL TABLE%') OR (type = 'trigger' AND "
                  "name GLOB 'tenon_*_search_*')");
  while (row.next())
    indexes[row.text(0)][row.text(1)] = row.text(2);
  return indexes;
}

bool is_as_declared(const std::string& index, const Parts& parts, const Tables& declared) {
  return std::any_of(declared.tables.begin(), declared.tables.end(), [&](const Table& table) {
    return search_table(table.name) == index && planned_parts(table) == parts;
  });
}

std::string table_of(std::string_view index) {
  index.remove_prefix(table_prefix.size());
  index.remove_suffix(table_suffix.size());
  return std::string(index);
}

std::string fields_text(const Table& table) {
  std::string text;
  for (const Field& field : searchable_fields(table))
    text.append(text.empty() ? "" : ", ").append(field.name);
  return text;
}

}  // namespace

void add_search_steps(sqlite::Connection& connection, const Tables& declared, SearchUpgrade upgrade,
                      Plan& plan) {
  const auto indexes = read_indexes(connection);
  for (const auto& [index, parts] : indexes) {
    if (is_as_declared(index, parts, declared)) continue;
    const std::string table = table_of(index);
    plan.steps.push_back({StepKind::drop_search_index, table, "", "drop search index of " + table});
  }
  for (const Table& table : declared.tables) {
    const Parts planned = planned_parts(table);
    if (planned.empty()) continue;
    const auto found = indexes.find(search_table(table.name));
    const bool is_there = found != indexes.end() && found->second == planned;
    if (is_there && upgrade == SearchUpgrade::where_changed) continue;
    const std::string fields = fields_text(table);
    plan.steps.push_back({is_there ? StepKind::rebuild_search_index : StepKind::add_search_index,
                          table.name, fields,
                          std::string(is_there ? "rebuild" : "add") + " search index of " +
                              table.name + " (" + fields + ")"});
  }
}

void drop_search_indexes(sqlite::Connection& connection, const Tables& declared,
                         SearchUpgrade upgrade) {
  for (const auto& [index, parts] : read_indexes(connection)) {
    if (upgrade == SearchUpgrade::where_changed && is_as_declared(index, parts, declared)) continue;
    for (const auto& [name, sql] : parts) {
      if (name != index) sqlite::Sql::run(connection, "DROP TRIGGER " + quoted(name));
    }
    if (parts.contains(index)) sqlite::Sql::run(connection, "DROP TABLE " + quoted(index));
  }
}

void make_search_indexes(sqlite::Connection& connection, const Tables& declared) {
  const auto indexes = read_indexes(connection);
  for (const Table& table : declared.tables) {
    const std::string index = search_table(table.name);
    if (indexes.contains(index)) continue;
    const Parts planned = planned_parts(table);
    if (planned.empty()) continue;
    for (const auto& [name, sql] : planned)
      sqlite::Sql::run(connection, sql);
    sqlite::Sql::run(
        connection, "INSERT INTO " + quoted(index) + " (" + quoted(index) + ") VALUES ('rebuild')");
  }
}

}  // namespace tenon::data::schema
