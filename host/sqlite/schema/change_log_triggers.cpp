#include "sqlite/schema/change_log_triggers.hpp"

#include <set>

#include "base/ids.hpp"
#include "base/join.hpp"
#include "schema/ddl.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/engine/metadata_store.hpp"

namespace tenon::data::schema {

namespace {

// `row` is OLD or an alias, unquoted.
std::string value_of(const Table& table, const Field& field, const std::string& row) {
  const std::string max_characters = std::to_string(retained_characters);
  if (field.is_link()) {
    return "json((SELECT json_group_array(\"target\") FROM (SELECT \"target\" FROM " +
           quoted(link_table(table.name, field.name)) + " WHERE \"record\" = " + row +
           ".\"id\" ORDER BY \"position\")))";
  }
  const std::string column = row + "." + quoted(field.name);
  if (field.many)
    return "json(iif(length(" + column + ") > " + max_characters + ", '0', " + column + "))";
  switch (field.type) {
    case FieldType::number:
      return "iif(" + column + " IS NULL, NULL, format('%!.17g', " + column + "))";
    case FieldType::json:
    case FieldType::blob:
      return "nullif(" + column + " IS NOT NULL, 0)";
    case FieldType::text:
      return "iif(length(" + column + ") > " + max_characters + ", 0, " + column + ")";
    default:
      return column;
  }
}

std::string before_of(const Table& table, const std::string& row) {
  std::string sql = "json_array(json_object(";
  std::size_t pairs = 0;
  for (const Field& field : table.all_fields()) {
    if (field.type == FieldType::computed) continue;
    if (pairs == pairs_of_object) {
      sql += "), json_object(";
      pairs = 0;
    }
    if (pairs++ > 0) sql += ", ";
    sql += literal(field.name) + ", " + value_of(table, field, row);
  }
  return sql + "))";
}

std::string logging(const Table& table, const std::string& kind, const std::string& row,
                    const std::string& from) {
  const bool is_new = kind == "create";
  return "INSERT INTO tenon_changes (tbl, record, kind, before) SELECT " + literal(table.name) +
         ", " + row + ".\"id\", '" + kind + "', " + (is_new ? "NULL" : before_of(table, row)) +
         from + ";";
}

std::string trigger(const std::string& table, const std::string& name, const std::string& when,
                    const std::string& body) {
  return "CREATE TRIGGER " + quoted(change_log_prefix + table + "_" + name) + " " + when +
         " BEGIN " + body + " END";
}

// Returns the columns of each key other than the rowid.
std::vector<std::vector<std::string>> keys_of(const Table& table) {
  std::vector<std::vector<std::string>> keys{{"id"}};
  for (const PlannedIndex& index : planned_indexes(table)) {
    if (index.unique) keys.push_back(index.fields);
  }
  return keys;
}

// The rows that an OR REPLACE takes away, for which SQLite runs no trigger of deleting.
std::string replaced(const Table& table) {
  std::string condition = "t.\"rowid\" = NEW.\"rowid\"";
  for (const auto& key : keys_of(table)) {
    std::string same;
    for (const std::string& column : key)
      same += (same.empty() ? "t." : " AND t.") + quoted(column) + " = NEW." + quoted(column);
    condition += " OR (" + same + ")";
  }
  return " FROM " + quoted(table.name) + " AS t WHERE (" + condition + ")";
}

std::string key_columns(const Table& table) {
  std::set<std::string> columns{"rowid"};
  for (const auto& key : keys_of(table))
    columns.insert(key.begin(), key.end());
  return base::join(columns, [](const std::string& column) { return quoted(column); });
}

void add_table(std::vector<std::string>& triggers, const Table& table) {
  const std::string on = " ON " + quoted(table.name);
  const auto add = [&](const char* name, const std::string& when, const std::string& body) {
    triggers.push_back(trigger(table.name, name, when, body));
  };
  add("replace", "BEFORE INSERT" + on, logging(table, "delete", "t", replaced(table)));
  add("insert", "AFTER INSERT" + on, logging(table, "create", "NEW", ""));
  add("oust", "BEFORE UPDATE OF " + key_columns(table) + on,
      logging(table, "delete", "t", replaced(table) + " AND t.\"rowid\" IS NOT OLD.\"rowid\""));
  add("update", "AFTER UPDATE" + on, logging(table, "update", "OLD", ""));
  add("move", "AFTER UPDATE OF \"id\"" + on + " WHEN NEW.\"id\" IS NOT OLD.\"id\"",
      logging(table, "create", "NEW", ""));
  // Before: the values of many references are there still.
  add("delete", "BEFORE DELETE" + on, logging(table, "delete", "OLD", ""));
}

void add_link(std::vector<std::string>& triggers, const Table& table, const Field& field) {
  const std::string link = link_table(table.name, field.name);
  const std::string on = " ON " + quoted(link);
  const auto body = [&](const std::string& condition) {
    return logging(table, "links", "t",
                   " FROM " + quoted(table.name) + " AS t WHERE t.\"id\" " + condition);
  };
  triggers.push_back(trigger(link, "insert", "BEFORE INSERT" + on, body("= NEW.\"record\"")));
  triggers.push_back(
      trigger(link, "update", "BEFORE UPDATE" + on, body("IN (OLD.\"record\", NEW.\"record\")")));
  triggers.push_back(trigger(link, "delete", "BEFORE DELETE" + on, body("= OLD.\"record\"")));
}

}  // namespace

std::vector<std::string> change_log_triggers(const Tables& tables) {
  std::vector<std::string> triggers;
  for (const Table* table : logged_tables(tables)) {
    add_table(triggers, *table);
    for (const Field& field : table->fields) {
      if (field.is_link()) add_link(triggers, *table, field);
    }
  }
  if (triggers.empty()) return triggers;
  // The rows come in the order of their time: the first one that is recent enough ends the search.
  triggers.push_back("CREATE TRIGGER " + quoted(std::string(change_log_prefix) + "trim") +
                     " AFTER INSERT ON tenon_changes WHEN NEW.seq % " +
                     std::to_string(trimmed_every) +
                     " = 0 BEGIN DELETE FROM tenon_changes WHERE seq <= NEW.seq - " +
                     std::to_string(retained_changes) +
                     " OR seq < (SELECT seq FROM tenon_changes WHERE at >= unixepoch() - " +
                     std::to_string(retained_seconds) + " ORDER BY seq LIMIT 1); END");
  return triggers;
}

bool is_change_log_stale(sqlite::Connection& connection, const Tables& tables) {
  return sqlite::MetadataStore(connection).get("outbox") !=
         change_log_fingerprint(change_log_triggers(tables));
}

void drop_change_log(sqlite::Connection& connection) {
  std::vector<std::string> names;
  {
    sqlite::Sql row(connection, "SELECT name FROM sqlite_schema WHERE type = 'trigger'");
    while (row.next()) {
      if (row.text(0).starts_with(change_log_prefix)) names.push_back(row.text(0));
    }
  }
  for (const std::string& name : names)
    sqlite::Sql::run(connection, "DROP TRIGGER " + quoted(name));
}

void create_change_log(sqlite::Connection& connection, const Tables& tables) {
  drop_change_log(connection);
  const std::vector<std::string> triggers = change_log_triggers(tables);
  if (triggers.empty()) {
    sqlite::Sql::run(connection, "DROP TABLE IF EXISTS tenon_changes");
  } else {
    sqlite::Sql::run(
        connection,
        "CREATE TABLE IF NOT EXISTS tenon_changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, "
        "at INTEGER NOT NULL DEFAULT (unixepoch()), tbl TEXT NOT NULL, record TEXT NOT NULL, "
        "kind TEXT NOT NULL, before TEXT) STRICT");
    sqlite::Sql::run(connection, "DELETE FROM tenon_changes");
  }
  for (const std::string& sql : triggers)
    sqlite::Sql::run(connection, sql);
  sqlite::MetadataStore metadata(connection);
  metadata.ensure();
  metadata.set("log", base::new_id());
  metadata.set("outbox", change_log_fingerprint(triggers));
}

}  // namespace tenon::data::schema
