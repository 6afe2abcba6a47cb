#include "postgresql/schema/catalog.hpp"

#include "postgresql/schema/ddl.hpp"
#include "postgresql/schema/search_index.hpp"
#include "schema/plan.hpp"
#include "schema/renames.hpp"

namespace tenon::data::postgresql {

using schema::Field;
using schema::FieldType;

namespace {

constexpr std::string_view columns_query =
    "SELECT a.attname, format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attcollation IN (0, "
    "(SELECT oid FROM pg_collation WHERE collname = 'C' AND collnamespace = "
    "'pg_catalog'::regnamespace)) THEN '' ELSE ' in another order' END FROM pg_attribute a JOIN "
    "pg_class c ON c.oid = a.attrelid WHERE c.relname = ?1 AND c.relnamespace = "
    "quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p', 'f') AND "
    "a.attnum > 0 AND "
    "NOT a.attisdropped ORDER BY a.attnum";

// An ordinary table whose keys are exactly those of rowid and id.
constexpr std::string_view shape_query =
    "SELECT c.relkind = 'r' AND c.relpersistence = 'p' AND coalesce((SELECT "
    "string_agg(k.contype::text || "
    "' ' || (SELECT string_agg(a.attname::text, ' ') FROM pg_attribute a WHERE a.attrelid = c.oid "
    "AND "
    "a.attnum = ANY (k.conkey)), ', ' ORDER BY k.contype) FROM pg_constraint k WHERE k.conrelid = "
    "c.oid AND k.contype IN ('p', 'u', 'x')), '') = 'p rowid, u id' FROM pg_class c WHERE "
    "c.relname "
    "= ?1 AND c.relnamespace = quote_ident(current_schema())::regnamespace";

}  // namespace

std::optional<schema::ActualTable> Catalog::read_table(std::string_view name) {
  schema::ActualTable table;
  {
    Rows column = sql_.rows(columns_query, {name});
    while (column.next())
      table.columns.push_back({std::string(column.text(0)), std::string(column.text(1)), {}});
  }
  if (table.columns.empty()) return std::nullopt;
  const schema::ActualColumn* rowid = table.find("rowid");
  const schema::ActualColumn* id = table.find("id");
  table.has_our_shape = rowid && rowid->storage == "bigint" && id && id->storage == "text" &&
                        sql_.number(shape_query, {name}) != 0;
  return table;
}

bool Catalog::is_link_table(std::string_view name) {
  const auto table = read_table(name);
  if (!table) return false;
  std::string columns;
  for (const auto& column : table->columns)
    columns += column.name + " " + column.storage + ", ";
  return columns == "rowid bigint, record text, target text, position bigint, ";
}

std::vector<std::string> Catalog::read_planned_indexes(std::string_view table) {
  std::vector<std::string> names;
  Rows row = sql_.rows(
      "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = ?1 "
      "ORDER BY indexname COLLATE \"C\"",
      {table});
  while (row.next()) {
    const std::string_view name = row.text(0);
    if (name.starts_with(schema::index_prefix) || name.starts_with(schema::unique_prefix))
      names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> Catalog::read_index_fields(std::string_view index) {
  std::vector<std::string> fields;
  Rows row = sql_.rows(
      "SELECT a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relname "
      "= "
      "?1 AND c.relkind = 'i' AND c.relnamespace = quote_ident(current_schema())::regnamespace "
      "ORDER BY "
      "a.attnum",
      {index});
  while (row.next())
    fields.emplace_back(row.text(0));
  return fields;
}

std::string_view Catalog::storage_of(FieldType type) const noexcept {
  return postgresql::storage_of(type);
}
std::string Catalog::check_sql(const Field& field) const {
  return postgresql::check_sql(field);
}
std::string Catalog::column_sql(const Field& field) const {
  return postgresql::column_sql(field);
}
std::string Catalog::create_link_sql(std::string_view table, const Field& field) const {
  return postgresql::create_link_sql(table, field) + link_reference_sql(field);
}
std::size_t Catalog::max_name() const noexcept {
  return postgresql::max_name;
}

std::string Catalog::has_other_choice_sql(const Field& field, const std::string& column) const {
  return "EXISTS (SELECT 1 FROM json_array_elements_text(CASE WHEN tenon_json_kind(" + column +
         ") = 'array' THEN " + column +
         "::json ELSE '[]'::json END) AS one(value) WHERE one.value NOT IN (" +
         schema::list_sql(field.choices) + "))";
}

std::string Catalog::converted_sql(const Field& old, const Field& now,
                                   const std::string& column) const {
  if (now.is_link()) return column;
  if (now.many) {
    const std::string value = now.type == FieldType::blob ? column : "to_json(" + column + ")";
    return "('[' || " + value + " || ']')";
  }
  switch (old.type) {
    case FieldType::date:
      return "(" + column + " || 'T00:00:00.000Z')";
    case FieldType::boolean:
      return "CASE WHEN " + column + " THEN 'true' WHEN NOT " + column + " THEN 'false' END";
    default:
      return column + (now.type == FieldType::number ? "::double precision" : "::text");
  }
}

std::string Catalog::loss_sql(const Field& old, const Field& now, const std::string& column) const {
  if (old.type != FieldType::integer || now.type != FieldType::number) return {};
  // Beyond the greatest double that is an integer of 64 bits the cast back is an error.
  return "(CASE WHEN " + column + " > 9223372036854774784 THEN true ELSE " + column +
         "::double precision::bigint <> " + column + " END)";
}

void Catalog::add_search_steps(const schema::Tables& declared, schema::SearchUpgrade upgrade,
                               schema::Plan& plan) {
  postgresql::add_search_steps(sql_, declared, upgrade, plan);
}

}  // namespace tenon::data::postgresql
