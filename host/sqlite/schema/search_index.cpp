#include "sqlite/schema/search_index.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/join.hpp"
#include "schema/ddl.hpp"
#include "sqlite/connection/sql.hpp"

namespace tenon::data::schema {

namespace {

/// Of names, the SQL that made them.
using Parts = std::map<std::string, std::string>;

constexpr std::string_view table_prefix = "tenon_";
constexpr std::string_view table_suffix = "_search";
// As long as those of the triggers.
constexpr std::string_view queue_suffix = "_queued";
constexpr std::string_view word_suffix = "_words";

std::string columns_of(const std::vector<Field>& fields, std::string_view row = {}) {
  std::string columns;
  for (const Field& field : fields)
    columns.append(", ").append(row).append(quoted(field.name));
  return columns;
}

// Returns the statement in a trigger that queues a record once per transaction, with its values
// before it: FTS5 needs them to remove the record. It causes no conflict, because an INSERT OR
// REPLACE that fires the trigger would apply to this statement, too.
std::string note(const std::string& queue, const std::string& columns, const std::string& values,
                 const std::string& rowid) {
  return "INSERT INTO " + quoted(queue) + " (\"rowid\", \":was\"" + columns + ") SELECT " + rowid +
         ", " + values + " WHERE NOT EXISTS (SELECT 1 FROM " + quoted(queue) +
         " WHERE \"rowid\" = " + rowid + ");";
}

std::string note_new(const std::string& queue) {
  return note(queue, "", "0", "new.\"rowid\"");
}

std::string note_old(const std::string& queue, const std::vector<Field>& fields) {
  return note(queue, columns_of(fields), "1" + columns_of(fields, "old."), "old.\"rowid\"");
}

std::string update_trigger(const std::string& name, const std::string& queue,
                           const std::string& table, const std::vector<Field>& fields) {
  std::string is_changed = "old.\"rowid\" <> new.\"rowid\"";
  for (const Field& field : fields)
    is_changed += " OR old." + quoted(field.name) + " IS NOT new." + quoted(field.name);
  return "CREATE TRIGGER " + quoted(name) + " AFTER UPDATE OF \"rowid\"" + columns_of(fields) +
         " ON " + quoted(table) + " WHEN " + is_changed + " BEGIN " + note_old(queue, fields) +
         " " + note_new(queue) + " END";
}

// Returns the parts of the index of a table; the FTS5 table comes first. The queue has no rows but
// in a transaction that is not committed (sqlite/pending_index.hpp).
Parts planned_parts(const Table& table) {
  const std::vector<Field> fields = searchable_fields(table);
  if (fields.empty()) return {};
  const std::string index = search_table(table.name);
  const std::string queue = index + std::string(queue_suffix);
  const std::string on = " ON " + quoted(table.name) + " BEGIN ";
  return {{index, "CREATE VIRTUAL TABLE " + quoted(index) + " USING fts5(" +
                      columns_of(fields).substr(2) + ", content = " + literal(table.name) +
                      ", content_rowid = 'rowid', tokenize = 'unicode61 remove_diacritics 2', "
                      "prefix = '2 3')"},
          {queue, "CREATE TABLE " + quoted(queue) + " (\"rowid\" INTEGER PRIMARY KEY, \":was\"" +
                      columns_of(fields) + ")"},
          {index + "_delete", "CREATE TRIGGER " + quoted(index + "_delete") + " AFTER DELETE" + on +
                                  note_old(queue, fields) + " END"},
          {index + "_insert", "CREATE TRIGGER " + quoted(index + "_insert") + " AFTER INSERT" + on +
                                  note_new(queue) + " END"},
          {index + "_update", update_trigger(index + "_update", queue, table.name, fields)}};
}

// The search indexes of the file by the name of their FTS5 table.
std::map<std::string, Parts> read_indexes(sqlite::Connection& connection) {
  std::map<std::string, Parts> indexes;
  sqlite::Sql row(connection,
                  "SELECT CASE WHEN name GLOB '*_search' THEN name ELSE substr(name, 1, "
                  "length(name) - 7) END, name, sql FROM sqlite_schema WHERE (type = 'table' AND "
                  "(name GLOB 'tenon_*_search' AND sql LIKE 'CREATE VIRTUAL TABLE%') OR name GLOB "
                  "'tenon_*_search_queued') OR (type = 'trigger' AND name GLOB "
                  "'tenon_*_search_*')");
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
  return base::join(searchable_fields(table), [](const Field& field) { return field.name; });
}

}  // namespace

std::string index_of_queue(std::string_view queue) {
  queue.remove_suffix(queue_suffix.size());
  return std::string(queue);
}

std::string table_of_queue(std::string_view queue) {
  return table_of(index_of_queue(queue));
}

std::string word_table(std::string_view table) {
  return search_table(table) + std::string(word_suffix);
}

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
    // Not one of the parts: an index without it is as declared, so that it is not rebuilt.
    sqlite::Sql::run(connection,
                     "DROP TABLE IF EXISTS " + quoted(index + std::string(word_suffix)));
    for (const auto& [name, sql] : parts) {
      const bool is_table = name == index || name.ends_with(queue_suffix);
      sqlite::Sql::run(connection, (is_table ? "DROP TABLE " : "DROP TRIGGER ") + quoted(name));
    }
  }
}

bool lacks_word_table(sqlite::Connection& connection, const Tables& declared) {
  return std::any_of(declared.tables.begin(), declared.tables.end(), [&](const Table& table) {
    return !searchable_fields(table).empty() &&
           sqlite::Sql::number(connection,
                               "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name "
                               "= ?1",
                               {word_table(table.name)}) == 0;
  });
}

void make_search_indexes(sqlite::Connection& connection, const Tables& declared) {
  const auto indexes = read_indexes(connection);
  for (const Table& table : declared.tables) {
    const std::string index = search_table(table.name);
    const Parts planned = planned_parts(table);
    if (planned.empty()) continue;
    if (!indexes.contains(index)) {
      for (const auto& [name, sql] : planned)
        sqlite::Sql::run(connection, sql);
      sqlite::Sql::run(connection, "INSERT INTO " + quoted(index) + " (" + quoted(index) +
                                       ") VALUES ('rebuild')");
    }
    sqlite::Sql::run(connection, "CREATE VIRTUAL TABLE IF NOT EXISTS " +
                                     quoted(word_table(table.name)) + " USING fts5vocab(" +
                                     quoted(index) + ", instance)");
  }
}

}  // namespace tenon::data::schema
