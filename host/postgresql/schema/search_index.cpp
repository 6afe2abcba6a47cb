#include "postgresql/schema/search_index.hpp"

#include <algorithm>
#include <map>

#include "base/ids.hpp"
#include "base/join.hpp"
#include "postgresql/schema/ddl.hpp"

namespace tenon::data::postgresql {

using schema::Field;
using schema::quoted;
using schema::StepKind;
using schema::Table;

namespace {

constexpr std::string_view table_prefix = "tenon_";
constexpr std::string_view table_suffix = "_search";
constexpr std::string_view trigger_name = "tenon_search";  // of what comes and goes
constexpr std::string_view update_trigger_name = "tenon_search_update";

std::string function_of(const std::string& index) {
  return short_name(index + "_write");
}

// The words of a row as SQL; `row` is NEW. or the like.
std::string words_of(const std::string& in, const std::vector<Field>& fields,
                     const std::string& row) {
  const auto share = std::to_string(searched_characters / fields.size());
  std::string words;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    words += (i == 0 ? "" : " || ") + in + "tenon_search_words(" + std::to_string(i) + ", left(" +
             row + quoted(fields[i].name) + ", " + share + "))";
  }
  return words;
}

// Whether an update changes what the index has. The columns that the statement names would not do:
// a trigger of the plugin may change others.
std::string changes_words(const std::vector<Field>& fields) {
  std::string before = "OLD.\"rowid\"";
  std::string after = "NEW.\"rowid\"";
  for (const Field& field : fields) {
    before += ", OLD." + quoted(field.name);
    after += ", NEW." + quoted(field.name);
  }
  return "(" + before + ") IS DISTINCT FROM (" + after + ")";
}

std::string mark_of(const Table& table) {
  const auto fields = schema::searchable_fields(table);
  return "tenon " + base::sha256_hex(words_of("", fields, "") + changes_words(fields));
}

// The marks of the schema's search indexes by the names of their tables; empty where a trigger that
// keeps one is gone or switched off.
std::map<std::string, std::string> read_indexes(Sql& sql) {
  std::map<std::string, std::string> indexes;
  Rows row = sql.rows(
      "SELECT c.relname, CASE WHEN (SELECT count(*) FROM pg_trigger g JOIN pg_class t ON t.oid = "
      "g.tgrelid WHERE t.relnamespace = c.relnamespace AND c.relname = 'tenon_' || t.relname || "
      "'_search' AND g.tgname IN (?1, ?2) AND g.tgenabled <> 'D') = 2 THEN "
      "coalesce(obj_description(c.oid, 'pg_class'), '') ELSE '' END FROM pg_class c WHERE "
      "c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind = 'r' AND "
      "c.relname LIKE 'tenon\\_%\\_search'",
      {trigger_name, update_trigger_name});
  while (row.next())
    indexes.emplace(row.text(0), row.text(1));
  return indexes;
}

bool is_as_declared(const std::string& index, const std::string& mark,
                    const schema::Tables& declared) {
  return std::any_of(declared.tables.begin(), declared.tables.end(), [&](const Table& table) {
    return schema::search_table(table.name) == index && !schema::searchable_fields(table).empty() &&
           mark_of(table) == mark;
  });
}

std::string table_of(std::string_view index) {
  index.remove_prefix(table_prefix.size());
  index.remove_suffix(table_suffix.size());
  return std::string(index);
}

std::string fields_text(const Table& table) {
  return base::join(schema::searchable_fields(table),
                    [](const Field& field) { return field.name; });
}

}  // namespace

void add_search_steps(Sql& sql, const schema::Tables& declared, schema::SearchUpgrade upgrade,
                      schema::Plan& plan) {
  const auto indexes = read_indexes(sql);
  for (const auto& [index, mark] : indexes) {
    if (is_as_declared(index, mark, declared)) continue;
    const std::string table = table_of(index);
    plan.steps.push_back({StepKind::drop_search_index, table, "", "drop search index of " + table});
  }
  for (const Table& table : declared.tables) {
    const std::string fields = fields_text(table);
    if (fields.empty()) continue;
    const auto found = indexes.find(schema::search_table(table.name));
    const bool is_there = found != indexes.end() && found->second == mark_of(table);
    if (is_there && upgrade == schema::SearchUpgrade::where_changed) continue;
    plan.steps.push_back({is_there ? StepKind::rebuild_search_index : StepKind::add_search_index,
                          table.name, fields,
                          std::string(is_there ? "rebuild" : "add") + " search index of " +
                              table.name + " (" + fields + ")"});
  }
}

void drop_search_indexes(Sql& sql, const schema::Tables& declared, schema::SearchUpgrade upgrade) {
  for (const auto& [index, mark] : read_indexes(sql)) {
    if (upgrade == schema::SearchUpgrade::where_changed && is_as_declared(index, mark, declared))
      continue;
    sql.run("DROP TABLE " + quoted(index));
    // The trigger goes with it.
    sql.run("DROP FUNCTION IF EXISTS " + quoted(function_of(index)) + "() CASCADE");
  }
}

void make_search_indexes(Sql& sql, const std::string& schema, const schema::Tables& declared) {
  const std::string in = quoted(schema) + ".";
  const auto indexes = read_indexes(sql);
  for (const Table& table : declared.tables) {
    const auto fields = schema::searchable_fields(table);
    const std::string name = schema::search_table(table.name);
    if (fields.empty() || indexes.contains(name)) continue;
    const std::string index = in + quoted(name);
    const std::string function = in + quoted(function_of(name)) + "()";
    sql.run("CREATE TABLE " + index +
            " (\"rowid\" bigint PRIMARY KEY, \"words\" tsvector NOT NULL)");
    sql.run("INSERT INTO " + index + " SELECT \"rowid\", " + words_of(in, fields, "") + " FROM " +
            in + quoted(table.name));
    sql.run("CREATE INDEX ON " + index + " USING gin (\"words\")");
    const std::string body =
        "BEGIN\nIF TG_OP <> 'INSERT' THEN DELETE FROM " + index +
        " WHERE \"rowid\" = OLD.\"rowid\"; END IF;\nIF TG_OP <> 'DELETE' THEN INSERT INTO " +
        index + " VALUES (NEW.\"rowid\", " + words_of(in, fields, "NEW.") +
        "); END IF;\nRETURN NULL;\nEND";
    // SECURITY DEFINER: only the owner needs the right to write the index. The functions that it
    // calls call others of this schema.
    sql.run("CREATE OR REPLACE FUNCTION " + function +
            " RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = " +
            quoted(schema) + ", pg_temp AS " + schema::literal(body));
    const std::string runs = " EXECUTE FUNCTION " + function;
    const std::string on = " ON " + in + quoted(table.name) + " FOR EACH ROW";
    sql.run("CREATE TRIGGER " + quoted(trigger_name) + " AFTER INSERT OR DELETE" + on + runs);
    sql.run("CREATE TRIGGER " + quoted(update_trigger_name) + " AFTER UPDATE" + on + " WHEN (" +
            changes_words(fields) + ")" + runs);
    sql.run("COMMENT ON TABLE " + index + " IS " + schema::literal(mark_of(table)));
  }
}

}  // namespace tenon::data::postgresql
