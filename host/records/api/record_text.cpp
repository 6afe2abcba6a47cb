#include "records/api/record_text.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json_slice.hpp"
#include "http/response/conditional.hpp"
#include "records/query/columns.hpp"
#include "records/query/dialect.hpp"

namespace tenon::records {

namespace {

// `"3-…"` of `"3-6f…"`; everything where there is no version.
std::string_view version_of(std::string_view etag) {
  return etag.substr(0, etag.find('-'));
}

// Ends where a condition is to be added.
Statement visible_records(const TableModel& table, const std::vector<const FieldModel*>& fields,
                          const expression::Context& context, Visibility seen) {
  Statement statement;
  statement.sql = "SELECT ";
  append_columns(statement.sql, fields, context);
  append_from(statement.sql, table);
  expression::append_cells(table.read_slots, context, statement.cells);
  statement.sql += " WHERE ";
  if (seen == Visibility::some) statement.sql.append(table.read->sql.text).append(" AND ");
  if (seen == Visibility::none) statement.sql.append(dialect::never).append(" AND ");
  return statement;
}

}  // namespace

Statement record_statement(const TableModel& table, const std::vector<const FieldModel*>& fields,
                           const expression::Context& context, Visibility seen,
                           std::string_view id) {
  Statement statement = visible_records(table, fields, context, seen);
  statement.cells.emplace_back(id);
  statement.sql.append("\"t\".\"id\" = ").append(dialect::parameter(statement.cells.size()));
  return statement;
}

Statement members_statement(const TableModel& table, const std::vector<const FieldModel*>& fields,
                            const expression::Context& context, Visibility seen,
                            std::string_view ids) {
  Statement statement = visible_records(table, fields, context, seen);
  statement.cells.emplace_back(ids);
  statement.sql += dialect::is_member(table.engine, "\"t\".\"id\"", statement.cells.size());
  return statement;
}

std::string etag_of(const TableModel& table, std::string_view json) {
  std::string etag = "\"";
  if (table.table.version) {
    base::JsonSlice(json).each_member([&](const std::string& name, const base::JsonSlice& value) {
      if (name == "version") etag.append(value.text()).append("-");
    });
  }
  return etag.append(base::short_hash(json)).append("\"");
}

bool fits_etag(const TableModel& table, std::string_view list, std::string_view etag) {
  if (!table.table.version) return http::matches_etag(list, etag, false);
  // Other visible values may change without the version: referenced records, computed fields.
  while (!list.empty()) {
    std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), one.size() + 1));
    while (one.starts_with(' '))
      one.remove_prefix(1);
    while (one.ends_with(' '))
      one.remove_suffix(1);
    const bool has_version = one.find('-') != std::string_view::npos;
    if (one == "*" || (has_version && version_of(one) == version_of(etag))) return true;
  }
  return false;
}

base::Error not_found() {
  return {404, "records.not_found", "There is no such record, or it is not yours to see."};
}

}  // namespace tenon::records
