#include "sqlite/schema/catalog.hpp"

#include "schema/ddl.hpp"
#include "schema/renames.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/schema/conversion.hpp"
#include "sqlite/schema/renames.hpp"
#include "sqlite/schema/search_index.hpp"

namespace tenon::data::schema {

std::optional<ActualTable> read_table(sqlite::Connection& connection, std::string_view name) {
  ActualTable table;
  {
    sqlite::Sql row(connection, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1",
                    {name});
    if (!row.next()) return std::nullopt;
    table.sql = row.text(0);
  }
  bool has_rowid = false;
  sqlite::Sql column(connection,
                     "SELECT name, type, dflt_value, pk FROM pragma_table_xinfo(?1) ORDER BY cid",
                     {name});
  while (column.next()) {
    table.columns.push_back({column.text(0), column.text(1), column.text(2)});
    if (column.integer(3) != 0)
      has_rowid = column.text(0) == "rowid" && column.text(1) == "INTEGER";
  }
  const auto is_strict =
      sqlite::Sql::number(connection,
                          "SELECT strict = 1 AND wr = 0 AND type = 'table' FROM "
                          "pragma_table_list WHERE schema = 'main' AND name = ?1",
                          {name});
  // Keys that the table's own text makes: exactly the one of id.
  sqlite::Sql keys(connection,
                   "SELECT count(*), total((SELECT count(*) = 1 AND min(name) = 'id' FROM "
                   "pragma_index_info(list.name)))"
                   "  FROM pragma_index_list(?1) AS list WHERE list.origin <> 'c'",
                   {name});
  const bool has_one_key = keys.next() && keys.integer(0) == 1 && keys.integer(1) == 1;
  table.has_our_shape = has_rowid && is_strict == 1 && has_one_key && table.columns.size() >= 2 &&
                        table.columns[0].name == "rowid" && table.columns[1].name == "id";
  return table;
}

bool is_link_table(sqlite::Connection& connection, std::string_view name) {
  return sqlite::Sql::number(
             connection,
             "SELECT group_concat(name || ' ' || type || ' ' || \"notnull\" || ' ' || pk, "
             "', ') = 'rowid INTEGER 0 1, record TEXT 1 0, target TEXT 1 0, position "
             "INTEGER 1 0' FROM (SELECT * FROM pragma_table_xinfo(?1) ORDER BY cid)",
             {name}) == 1;
}

std::vector<std::string> read_planned_indexes(sqlite::Connection& connection,
                                              std::string_view table) {
  std::vector<std::string> names;
  sqlite::Sql row(
      connection,
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 ORDER BY name",
      {table});
  while (row.next()) {
    auto name = row.text(0);
    if (name.starts_with(index_prefix) || name.starts_with(unique_prefix))
      names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> read_index_fields(sqlite::Connection& connection, std::string_view index) {
  std::vector<std::string> fields;
  sqlite::Sql row(connection, "SELECT name FROM pragma_index_info(?1) ORDER BY seqno", {index});
  while (row.next())
    fields.push_back(row.text(0));
  return fields;
}

std::int64_t SqliteCatalog::number(const std::string& sql) {
  return sqlite::Sql::number(connection_, sql);
}
std::string_view SqliteCatalog::storage_of(FieldType type) const noexcept {
  return schema::storage_of(type);
}
std::string SqliteCatalog::check_sql(const Field& field) const {
  return schema::check_sql(field);
}
std::string SqliteCatalog::column_sql(const Field& field) const {
  return schema::column_sql(field);
}
std::string SqliteCatalog::create_link_sql(std::string_view table, const Field& field) const {
  return schema::create_link_sql(table, field);
}
std::string SqliteCatalog::has_other_choice_sql(const Field& field,
                                                const std::string& column) const {
  return "EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(" + column + ") THEN " + column +
         " END) AS one WHERE one.value NOT IN (" + list_sql(field.choices) + "))";
}
std::string SqliteCatalog::converted_sql(const Field& old, const Field& now,
                                         const std::string& column) const {
  return schema::converted_sql(old, now, column);
}
std::string SqliteCatalog::loss_sql(const Field& old, const Field& now,
                                    const std::string& column) const {
  return schema::loss_sql(old, now, column);
}
void SqliteCatalog::add_search_steps(const Tables& declared, SearchUpgrade upgrade, Plan& plan) {
  schema::add_search_steps(connection_, declared, upgrade, plan);
}
void SqliteCatalog::refuse_stale_search(const Renames& renames, std::vector<Refusal>& refusals) {
  schema::refuse_stale_search(connection_, renames, refusals);
}

}  // namespace tenon::data::schema
