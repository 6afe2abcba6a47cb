#include "records/transfer/export_query.hpp"

#include <limits>
#include <string>

#include "records/query/columns.hpp"
#include "records/query/query_text.hpp"

namespace tenon::records {

ExportQuery read_export_query(const TableContext& table_context, std::string_view text,
                              const expression::Context& context) {
  ExportQuery query;
  bool has_fields = false;
  for (const auto& [name, value] : parse_query(text)) {
    if (name == "format") {
      const auto format = format_named(value);
      if (!format) refuse_query(name, "csv, json or jsonl is expected");
      query.format = *format;
    } else if (name == "bom") {
      if (value != "true" && value != "false") refuse_query(name, "true or false is expected");
      query.has_bom = value == "true";
    } else if (name == "filter") {
      query.filter = read_filter(table_context, value, context);
    } else if (name == "sort") {
      query.sort = parse_sort(table_context.table, value, context);
    } else if (name == "fields") {
      query.fields = chosen_fields(table_context.table, value);
      has_fields = true;
    } else {
      refuse_query(name, "there is no such parameter");
    }
  }
  if (query.has_bom && query.format != TransferFormat::csv)
    refuse_query("bom", "only csv can have one");
  if (!has_fields) query.fields = shown_fields(table_context.table);
  return query;
}

Statement export_statement(const TableContext& table_context, const ExportQuery& query,
                           const expression::Context& context, Visibility seen) {
  Statement statement;
  statement.sql = "SELECT ";
  append_columns(statement.sql, query.fields, context);
  append_selection(statement, table_context, query.filter.get(), context, seen);
  append_order(statement.sql, query.sort);
  append_limit(statement, static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()));
  return statement;
}

}  // namespace tenon::records
