#include "postgresql/schema/change_log_triggers.hpp"

#include "base/ids.hpp"
#include "postgresql/engine/metadata_store.hpp"
#include "postgresql/schema/ddl.hpp"

namespace tenon::data::postgresql {

using schema::Field;
using schema::FieldType;
using schema::literal;
using schema::quoted;
using schema::Table;

namespace {

// Triggers run in the order of their names: the log has a change before the changes that the
// plugin's own triggers make for it, as on SQLite.
const std::string before_all = "!";

// `row` is OLD or an alias.
std::string value_of(const std::string& in, const Table& table, const Field& field,
                     const std::string& row) {
  const std::string limit = std::to_string(schema::retained_characters);
  if (field.is_link()) {
    return "(SELECT coalesce(json_agg(l.\"target\" ORDER BY l.\"position\"), '[]'::json) FROM " +
           in + quoted(schema::link_table(table.name, field.name)) +
           " AS l WHERE l.\"record\" = " + row + ".\"id\")";
  }
  const std::string column = row + "." + quoted(field.name);
  if (field.many)
    return "CASE WHEN length(" + column + ") > " + limit + " THEN '0'::json ELSE " + column +
           "::json END";
  switch (field.type) {
    case FieldType::number:
      return column + "::text";
    case FieldType::boolean:
      return column + "::integer";
    case FieldType::json:
    case FieldType::blob:
      return "CASE WHEN " + column + " IS NOT NULL THEN 1 END";
    case FieldType::text:
      return "CASE WHEN length(" + column + ") > " + limit + " THEN '0'::json ELSE to_json(" +
             column + ") END";
    default:
      return column;
  }
}

std::string before_of(const std::string& in, const Table& table, const std::string& row) {
  std::string sql = "json_build_array(json_build_object(";
  std::size_t pairs = 0;
  for (const Field& field : table.all_fields()) {
    if (field.type == FieldType::computed) continue;
    if (pairs == schema::pairs_of_object) {
      sql += "), json_build_object(";
      pairs = 0;
    }
    if (pairs++ > 0) sql += ", ";
    sql += literal(field.name) + ", " + value_of(in, table, field, row);
  }
  return sql + "))::text";
}

std::string logging(const std::string& in, const Table& table, const std::string& kind,
                    const std::string& row, const std::string& from) {
  // Consecutive numbers without gaps, which a sequence would leave where a change is rolled back.
  return "INSERT INTO " + in +
         "tenon_changes (seq, tbl, record, kind, before) SELECT (SELECT "
         "coalesce(max(c.seq), 0) FROM " +
         in + "tenon_changes c) + row_number() OVER (), " + literal(table.name) + ", " + row +
         ".\"id\", '" + kind + "', " + (kind == "create" ? "NULL" : before_of(in, table, row)) +
         from + ";\n";
}

// A function and the triggers that call it. Names within are those of the schema, whatever the
// search path of who writes is.
void add(std::vector<std::string>& statements, const std::string& in, const std::string& table,
         const std::string& body, const std::string& after, const std::string& before) {
  const std::string function = in + quoted(short_name(schema::change_log_prefix + table)) + "()";
  statements.push_back(
      "CREATE OR REPLACE FUNCTION " + function +
      " RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS " +
      literal("BEGIN\n" + body + "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;\nRETURN NEW;\nEND"));
  const auto trigger = [&](const std::string& name, const std::string& when) {
    statements.push_back("CREATE TRIGGER " + quoted(before_all + schema::change_log_prefix + name) +
                         " " + when + " ON " + in + quoted(table) +
                         " FOR EACH ROW EXECUTE FUNCTION " + function);
  };
  if (!after.empty()) trigger("after", "AFTER " + after);
  trigger("before", "BEFORE " + before);
}

void add_table(std::vector<std::string>& statements, const std::string& in, const Table& table) {
  const std::string body = "IF TG_OP = 'INSERT' THEN\n" + logging(in, table, "create", "NEW", "") +
                           "ELSIF TG_OP = 'UPDATE' THEN\nIF NEW.\"id\" <> OLD.\"id\" THEN\n" +
                           logging(in, table, "create", "NEW", "") + "END IF;\n" +
                           logging(in, table, "update", "OLD", "") + "ELSE\n" +
                           logging(in, table, "delete", "OLD", "") + "END IF;\n";
  // Before a delete: the values of many references are there still.
  add(statements, in, table.name, body, "INSERT OR UPDATE", "DELETE");
}

void add_link(std::vector<std::string>& statements, const std::string& in, const Table& table,
              const Field& field) {
  const auto log = [&](const std::string& condition) {
    return logging(in, table, "links", "t",
                   " FROM " + in + quoted(table.name) + " AS t WHERE t.\"id\" " + condition);
  };
  const std::string body =
      "IF TG_OP = 'INSERT' THEN\n" + log("= NEW.\"record\"") + "ELSIF TG_OP = 'UPDATE' THEN\n" +
      log("IN (OLD.\"record\", NEW.\"record\")") + "ELSE\n" + log("= OLD.\"record\"") + "END IF;\n";
  add(statements, in, schema::link_table(table.name, field.name), body, "",
      "INSERT OR UPDATE OR DELETE");
}

// The rows come in the order of their time: the first one that is recent enough ends the scan.
void add_trim(std::vector<std::string>& statements, const std::string& in) {
  const std::string function = in + quoted(std::string(schema::change_log_prefix) + "_trim") + "()";
  statements.push_back(
      "CREATE OR REPLACE FUNCTION " + function +
      " RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS " +
      literal("BEGIN\nDELETE FROM " + in + "tenon_changes WHERE seq <= NEW.seq - " +
              std::to_string(schema::retained_changes) + " OR seq < (SELECT c.seq FROM " + in +
              "tenon_changes c WHERE c.at >= extract(epoch FROM now())::bigint - " +
              std::to_string(schema::retained_seconds) +
              " ORDER BY c.seq LIMIT 1);\nRETURN NULL;\nEND"));
  statements.push_back("CREATE TRIGGER " + quoted(std::string(schema::change_log_prefix) + "trim") +
                       " AFTER INSERT ON " + in + "tenon_changes FOR EACH ROW WHEN (NEW.seq % " +
                       std::to_string(schema::trimmed_every) + " = 0) EXECUTE FUNCTION " +
                       function);
}

}  // namespace

std::vector<std::string> change_log_statements(const std::string& schema,
                                               const schema::Tables& tables) {
  const std::string in = quoted(schema) + ".";
  std::vector<std::string> statements;
  for (const Table* table : schema::logged_tables(tables)) {
    add_table(statements, in, *table);
    for (const Field& field : table->fields) {
      if (field.is_link()) add_link(statements, in, *table, field);
    }
  }
  if (!statements.empty()) add_trim(statements, in);
  return statements;
}

bool is_change_log_stale(Sql& sql, const std::string& schema, const schema::Tables& tables) {
  return MetadataStore(sql).get("outbox") !=
         schema::change_log_fingerprint(change_log_statements(schema, tables));
}

void drop_change_log(Sql& sql) {
  std::vector<std::string> drops;
  {
    // Their triggers go with them.
    Rows row = sql.rows(
        "SELECT 'DROP FUNCTION ' || p.oid::regprocedure || ' CASCADE' FROM pg_proc p WHERE "
        "p.pronamespace = quote_ident(current_schema())::regnamespace AND starts_with(p.proname, "
        "?1)",
        {schema::change_log_prefix});
    while (row.next())
      drops.emplace_back(row.text(0));
  }
  for (const std::string& drop : drops)
    sql.run(drop);
}

void create_change_log(Sql& sql, const std::string& schema, const schema::Tables& tables) {
  drop_change_log(sql);
  sql.run("DROP TABLE IF EXISTS tenon_changes");
  const auto statements = change_log_statements(schema, tables);
  if (!statements.empty()) {
    sql.run(
        "CREATE TABLE tenon_changes (seq bigint PRIMARY KEY, at bigint "
        "NOT NULL DEFAULT extract(epoch FROM clock_timestamp())::bigint, tbl text COLLATE \"C\" "
        "NOT "
        "NULL, record text COLLATE \"C\" NOT NULL, kind text COLLATE \"C\" NOT NULL, before text)");
  }
  for (const std::string& statement : statements)
    sql.run(statement);
  MetadataStore metadata(sql);
  metadata.set("log", base::new_id());
  metadata.set("outbox", schema::change_log_fingerprint(statements));
}

}  // namespace tenon::data::postgresql
