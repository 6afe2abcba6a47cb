#include "sqlite/schema/rebuild.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "base/error.hpp"
#include "data/sql_error.hpp"
#include "schema/ddl.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/schema/catalog.hpp"
#include "sqlite/schema/conversion.hpp"
#include "sqlite/schema/switch_scope.hpp"

namespace tenon::data::schema {

namespace {

constexpr std::string_view rebuilt_name = "tenon_rebuilt";

struct RetainedObject {
  std::string name;
  std::string sql;
};

// Returns the objects that SQLite drops with a table and that the declaration does not recreate.
std::vector<RetainedObject> read_retained(sqlite::Connection& connection, std::string_view table) {
  std::vector<RetainedObject> retained;
  sqlite::Sql row(
      connection,
      "SELECT name, sql FROM sqlite_schema WHERE tbl_name = ?1 AND sql IS NOT NULL AND type IN "
      "('index', 'trigger') ORDER BY type, name",
      {table});
  while (row.next()) {
    auto name = row.text(0);
    if (!name.starts_with(index_prefix) && !name.starts_with(unique_prefix))
      retained.push_back({std::move(name), row.text(1)});
  }
  return retained;
}

class Rebuild {
 public:
  Rebuild(sqlite::Connection& connection, const Table& stored, const Table& declared)
      : connection_(connection),
        name_(declared.name),
        stored_(stored.all_fields()),
        declared_(declared.all_fields()) {}

  void run() {
    const auto actual = read_table(connection_, name_);
    if (!actual || !actual->has_our_shape) return;
    for (const auto& column : actual->columns)
      add(column);
    if (!is_due_) return;
    const ConversionFunctions functions(connection_);
    fill_links();
    replace();
  }

 private:
  static const Field* find(const std::vector<Field>& fields, std::string_view name) {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const Field& field) { return field.name == name; });
    return found == fields.end() ? nullptr : &*found;
  }

  void add(const ActualColumn& column) {
    const std::string name = quoted(column.name);
    if (column.name == "rowid" || column.name == "id") return take(name, name);
    const Field* old = find(stored_, column.name);
    const Field* now = find(declared_, column.name);
    const bool is_converted =
        old && now && old->has_column() && conversion_of(*old, *now) == Conversion::rebuild;
    if (is_converted) {
      is_due_ = true;
      if (now->is_link()) {
        links_.push_back(now);
        return;
      }
      definitions_ += ",\n  " + name + " " + std::string(storage_of(now->type));
      return take(name, converted_sql(*old, *now, name));
    }
    // A column that only a migration knew, or does not know any more, keeps its own definition.
    definitions_ += ",\n  ";
    if (old && old->has_column() && column.storage == storage_of(old->type)) {
      definitions_ += column_sql(*old);
    } else {
      definitions_ += name + " " + column.storage;
      if (!column.default_value.empty()) definitions_ += " DEFAULT (" + column.default_value + ")";
    }
    take(name, name);
  }

  void take(const std::string& column, const std::string& value) {
    columns_ += (columns_.empty() ? "" : ", ") + column;
    values_ += (values_.empty() ? "" : ", ") + value;
  }

  void fill_links() {
    for (const Field* field : links_) {
      const auto link = link_table(name_, field->name);
      const auto column = quoted(field->name);
      sqlite::Sql::run(connection_, create_link_sql(name_, *field));
      sqlite::Sql::run(connection_, "INSERT INTO " + quoted(link) +
                                        " (\"record\", \"target\", \"position\") SELECT \"id\", " +
                                        column + ", 0 FROM " + quoted(name_) + " WHERE " + column +
                                        " IS NOT NULL ORDER BY \"rowid\"");
    }
  }

  void replace() {
    const auto retained = read_retained(connection_, name_);
    std::string sql = create_sql(rebuilt_name, {});
    sql.insert(sql.rfind("\n) STRICT"), definitions_);
    sqlite::Sql::run(connection_, sql);
    sqlite::Sql::run(connection_, "INSERT INTO " + quoted(rebuilt_name) + " (" + columns_ +
                                      ") SELECT " + values_ + " FROM " + quoted(name_) +
                                      " ORDER BY \"rowid\"");
    sqlite::Sql::run(connection_, "DROP TABLE " + quoted(name_));
    {
      // References to the table by its name stay.
      const SwitchScope legacy(connection_, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, 1);
      sqlite::Sql::run(connection_,
                       "ALTER TABLE " + quoted(rebuilt_name) + " RENAME TO " + quoted(name_));
    }
    for (const auto& one : retained) {
      try {
        sqlite::Sql::run(connection_, one.sql);
      } catch (const SqlError& error) {
        if (error.code() != "data.sql") throw;
        throw base::Error(409, "data.migration_refused",
                          name_ + ": its values cannot be converted because of " + one.name + ": " +
                              error.detail() +
                              "; drop it in a numbered migration of a version before this one.");
      }
    }
  }

  sqlite::Connection& connection_;
  const std::string name_;
  const std::vector<Field> stored_;
  const std::vector<Field> declared_;
  std::string definitions_;
  std::string columns_;
  std::string values_;
  std::vector<const Field*> links_;
  bool is_due_ = false;
};

}  // namespace

void rebuild_table(sqlite::Connection& connection, const Table& stored, const Table& declared) {
  Rebuild(connection, stored, declared).run();
}

}  // namespace tenon::data::schema
