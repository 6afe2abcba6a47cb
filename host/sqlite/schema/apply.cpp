#include "sqlite/schema/apply.hpp"

#include <algorithm>
#include <vector>

#include <sqlite3.h>

#include "schema/ddl.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/schema/catalog.hpp"
#include "sqlite/schema/rebuild.hpp"
#include "sqlite/schema/switch_scope.hpp"

namespace tenon::data::schema {

namespace {

// Rewrites every row. A row keeps only the columns that its table had when it was written;
// SQLite reads those added since from the schema's DEFAULT, which must not change under such rows.
void rewrite_rows(sqlite::Connection& connection, const std::string& table,
                  const std::string& assignments) {
  const SwitchScope no_triggers(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0);
  sqlite::Sql::run(connection, "UPDATE " + quoted(table) + " SET " + assignments);
}

void add_fields(sqlite::Connection& connection, const Table& table, const ActualTable& actual) {
  std::string defaults;
  for (const Field& field : table.column_fields()) {
    if (actual.find(field.name)) continue;
    sqlite::Sql::run(connection, "ALTER TABLE " + quoted(table.name) + " ADD COLUMN " +
                                     quoted(field.name) + " " +
                                     std::string(storage_of(field.type)));
    if (const auto value = default_sql(field); !value.empty()) {
      defaults.append(defaults.empty() ? "" : ", ")
          .append(quoted(field.name))
          .append(" = ")
          .append(value);
    }
  }
  if (!defaults.empty()) rewrite_rows(connection, table.name, defaults);
}

// The declared fields in the order of the file's columns.
std::vector<Field> in_order_of(const ActualTable& actual, const Table& table) {
  const auto declared = table.all_fields();
  std::vector<Field> fields;
  for (const auto& column : actual.columns) {
    const auto found = std::find_if(declared.begin(), declared.end(),
                                    [&](const Field& field) { return field.name == column.name; });
    if (found != declared.end()) fields.push_back(*found);
  }
  return fields;
}

// SQLite reports a default without the parentheses of an expression.
bool has_default(const ActualColumn& column, const Field& field) {
  const auto wanted = default_sql(field);
  return column.default_value == wanted || "(" + column.default_value + ")" == wanted;
}

void drop_undeclared_indexes(sqlite::Connection& connection, const std::string& table,
                             const std::vector<PlannedIndex>& planned) {
  for (const auto& name : read_planned_indexes(connection, table)) {
    const bool stays = std::any_of(planned.begin(), planned.end(),
                                   [&](const auto& one) { return one.name == name; });
    if (!stays) sqlite::Sql::run(connection, "DROP INDEX " + quoted(name));
  }
}

void make_missing_indexes(sqlite::Connection& connection, const std::string& table,
                          const std::vector<PlannedIndex>& planned) {
  const auto existing = read_planned_indexes(connection, table);
  for (const auto& index : planned) {
    if (std::find(existing.begin(), existing.end(), index.name) == existing.end())
      sqlite::Sql::run(connection, index.sql);
  }
}

std::vector<Field> links_of(const Table& table) {
  auto fields = table.all_fields();
  std::erase_if(fields, [](const Field& field) { return !field.is_link(); });
  return fields;
}

// The way SQLite's manual gives for constraints and defaults (lang_altertable.html, section 7):
// they are only in the schema. The table need not be copied, and its triggers, views and
// references stay as they are.
void write_schema(sqlite::Connection& connection, const std::string& table,
                  const std::string& sql) {
  const SwitchScope not_defensive(connection, SQLITE_DBCONFIG_DEFENSIVE, 0);
  const SwitchScope writable(connection, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1);
  sqlite::Sql::run(connection,
                   "UPDATE sqlite_schema SET sql = ?1 WHERE type = 'table' AND name = ?2",
                   {sql, table});
}

bool constrain_table(sqlite::Connection& connection, const Table& table,
                     const ActualTable& actual) {
  const auto fields = in_order_of(actual, table);
  const auto sql = create_sql(table.name, fields);
  if (actual.sql == sql) return false;
  const bool keeps_defaults = std::all_of(fields.begin(), fields.end(), [&](const Field& field) {
    return has_default(*actual.find(field.name), field);
  });
  if (!keeps_defaults) rewrite_rows(connection, table.name, "\"id\" = \"id\"");
  write_schema(connection, table.name, sql);
  return true;
}

bool constrain_link(sqlite::Connection& connection, const std::string& link,
                    const std::string& sql) {
  const auto actual = read_table(connection, link);
  if (!actual || actual->sql == sql) return false;
  write_schema(connection, link, sql);
  return true;
}

}  // namespace

void add_tables_and_fields(sqlite::Connection& connection, const Tables& stored,
                           const Tables& declared) {
  for (const Table& table : declared.tables) {
    const Table* old = stored.find(table.name);
    if (old) rebuild_table(connection, *old, table);
    const auto planned = planned_indexes(table);
    if (const auto actual = read_table(connection, table.name)) {
      drop_undeclared_indexes(connection, table.name, planned);
      add_fields(connection, table, *actual);
    } else {
      sqlite::Sql::run(connection, create_sql(table.name, table.all_fields()));
      make_missing_indexes(connection, table.name, planned);
    }
    for (const Field& field : links_of(table)) {
      const auto link = link_table(table.name, field.name);
      const auto indexes = link_indexes(table.name, field.name);
      if (is_link_table(connection, link)) {
        drop_undeclared_indexes(connection, link, indexes);
      } else {
        sqlite::Sql::run(connection, create_link_sql(table.name, field));
      }
      make_missing_indexes(connection, link, indexes);
    }
  }
}

void drop_orphaned_link_tables(sqlite::Connection& connection, const Tables& stored,
                               const Tables& declared) {
  for (const Table& table : stored.tables) {
    if (declared.find(table.name) || read_table(connection, table.name)) continue;
    for (const Field& field : links_of(table)) {
      const auto link = link_table(table.name, field.name);
      if (is_link_table(connection, link))
        sqlite::Sql::run(connection, "DROP TABLE " + quoted(link));
    }
  }
}

void apply_constraints(sqlite::Connection& connection, const Tables& declared) {
  bool is_rewritten = false;
  for (const Table& table : declared.tables) {
    if (const auto actual = read_table(connection, table.name))
      is_rewritten |= constrain_table(connection, table, *actual);
    for (const Field& field : links_of(table)) {
      is_rewritten |= constrain_link(connection, link_table(table.name, field.name),
                                     create_link_sql(table.name, field));
    }
  }
  if (is_rewritten) {
    // Makes every connection, this one too, read the schema again.
    const auto version = sqlite::Sql::number(connection, "PRAGMA schema_version");
    const SwitchScope not_defensive(connection, SQLITE_DBCONFIG_DEFENSIVE, 0);
    sqlite::Sql::run(connection, "PRAGMA schema_version = " + std::to_string(version + 1));
  }
  for (const Table& table : declared.tables) {
    make_missing_indexes(connection, table.name, planned_indexes(table));
    // Parses the text that was written.
    sqlite::Sql::run(connection, "SELECT * FROM " + quoted(table.name) + " LIMIT 0");
    for (const Field& field : links_of(table)) {
      const auto link = link_table(table.name, field.name);
      make_missing_indexes(connection, link, link_indexes(table.name, field.name));
      sqlite::Sql::run(connection, "SELECT * FROM " + quoted(link) + " LIMIT 0");
    }
  }
}

}  // namespace tenon::data::schema
