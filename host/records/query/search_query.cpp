#include "records/query/search_query.hpp"

#include <string>

#include "data/search.hpp"
#include "records/model/limits.hpp"
#include "records/query/columns.hpp"
#include "records/query/dialect.hpp"
#include "schema/ddl.hpp"

namespace tenon::records {

namespace {

std::string key_name(std::size_t key) {
  return "\"" + std::to_string(key) + ":key\"";
}

std::string next_parameter(Statement& statement, const data::Cell& cell) {
  statement.cells.push_back(cell);
  return dialect::parameter(statement.cells.size());
}

// The rule and the filter, each after AND; their cells and that of the search come first.
std::string read_conditions(Statement& statement, const TableContext& table_context,
                            const ListQuery& query, const expression::Context& context,
                            Visibility seen) {
  Statement conditions;
  append_conditions(conditions, true, table_context, query.filter.get(), context, seen);
  statement.cells = std::move(conditions.cells);
  statement.cells.emplace_back(query.search->request);
  return conditions.sql;
}

// How many records a page and those before it have.
std::int64_t seen_after(const ListQuery& query) {
  const auto page = static_cast<std::int64_t>(query.limit);
  return query.after.empty() ? page : std::get<std::int64_t>(query.after.front()) + page;
}

// Appends the page `p` of the matches `m`. It begins after the last record of the page before, by
// the rank that this record has now: ranks change with every change of the table. If the record is
// gone, or the caller may not see it any more, as many records are skipped as came before.
void append_ranked_page(Statement& statement, const ListQuery& query) {
  const std::string order = " ORDER BY \"rank\", \"row\"";
  const std::string page = "\"p\" AS (SELECT \"row\", \"rank\" FROM \"m\"";
  if (query.after.empty()) {
    statement.sql.append(", ").append(page).append(order);
    append_limit(statement, query.limit + 1);
    statement.sql += ")";
    return;
  }
  const std::string last = "(SELECT \"rank\" FROM \"last\")";
  const std::string row = next_parameter(statement, cell_of(query.after.back()));
  const std::string skipped = next_parameter(statement, cell_of(query.after.front()));
  statement.sql += ", \"last\" AS MATERIALIZED (SELECT \"rank\" FROM \"m\" WHERE \"row\" = " + row +
                   "), " + page + " WHERE " + last + " IS NULL OR \"rank\" > " + last +
                   " OR (\"rank\" = " + last + " AND \"row\" > " + row + ")" + order;
  append_limit(statement, query.limit + 1);
  statement.sql += " OFFSET CASE WHEN " + last + " IS NULL THEN " + skipped + " ELSE 0 END)";
}

Statement ranked_statement(const TableContext& table_context, const ListQuery& query,
                           const expression::Context& context, Visibility seen) {
  const data::Dialect engine = table_context.table.engine;
  const std::string& table = table_context.table.table.name;
  const std::size_t request = query.search->parameter;
  Statement statement;
  const std::string conditions = read_conditions(statement, table_context, query, context, seen);
  statement.cells.emplace_back(query.search->weights);
  const std::size_t weights = statement.cells.size();
  statement.sql =
      dialect::with_query(engine, table, request, false) +
      dialect::ranked_matches(engine, table, conditions, request, weights, query.search->fields);
  append_ranked_page(statement, query);
  statement.sql += " SELECT ";
  append_columns(statement.sql, query.fields, context);
  // The cursor has the number of records so far instead of a rank.
  const std::string count = next_parameter(statement, seen_after(query));
  statement.sql.append(", CAST(").append(count).append(" AS BIGINT) AS ").append(key_name(0));
  statement.sql.append(", \"p\".\"row\" AS \"rowid:key\", CASE WHEN EXISTS (SELECT 1 FROM \"m\" ")
      .append("LIMIT 1 OFFSET ")
      .append(std::to_string(data::max_ranked_matches(engine) - 1))
      .append(") THEN 1 ELSE ")
      .append(dialect::is_partial(engine))
      .append(" END AS \"recent:flag\" FROM \"p\"")
      .append(dialect::join_in_order(engine))
      .append(data::schema::quoted(table))
      .append(
          " AS \"t\" ON \"t\".\"rowid\" = \"p\".\"row\" ORDER BY \"p\".\"rank\", \"p\".\"row\"");
  return statement;
}

void append_sorted_page(Statement& statement, const TableContext& table_context,
                        const ListQuery& query, const expression::Context& context,
                        Visibility seen) {
  statement.sql += "SELECT \"t\".\"id\"";
  append_key_columns(statement.sql, query.sort);
  const bool has_some =
      append_selection(statement, table_context, query.filter.get(), context, seen);
  append_is_found(statement, has_some, table_context, *query.search);
  if (!query.after.empty()) {
    statement.sql += " AND ";
    append_after(statement.sql, query.sort, query.after, statement.cells.size() + 1);
    for (const data::schema::Value& value : query.after)
      statement.cells.push_back(cell_of(value));
  }
  append_order(statement.sql, query.sort);
  append_limit(statement, query.limit + 1);
}

}  // namespace

void append_is_found(Statement& statement, bool has_some, const TableContext& table_context,
                     const Search& search) {
  statement.cells.emplace_back(search.request);
  statement.sql += has_some ? " AND " : " WHERE ";
  statement.sql += dialect::is_match(table_context.table.engine, table_context.table.table.name,
                                     search.parameter);
}

Statement found_statement(const TableContext& table_context, const ListQuery& query,
                          const expression::Context& context, Visibility seen) {
  if (query.search->is_ranked) return ranked_statement(table_context, query, context, seen);
  Statement page;
  append_sorted_page(page, table_context, query, context, seen);
  Statement statement;
  statement.cells = std::move(page.cells);
  statement.sql = "SELECT ";
  append_columns(statement.sql, query.fields, context);
  std::string order;
  for (std::size_t i = 0; i < query.sort.keys.size(); ++i) {
    const std::string key = "\"p\"." + key_name(i);
    statement.sql.append(", ").append(key).append(" AS ").append(key_name(i));
    order.append(key).append(
        dialect::order(table_context.table.engine, query.sort.keys[i].is_descending));
    order += ", ";
  }
  statement.sql.append(", \"p\".\"rowid:key\" AS \"rowid:key\" FROM (").append(page.sql);
  statement.sql.append(") AS \"p\"")
      .append(dialect::join_in_order(table_context.table.engine))
      .append(data::schema::quoted(table_context.table.table.name));
  statement.sql.append(" AS \"t\" ON \"t\".\"rowid\" = \"p\".\"rowid:key\" ORDER BY ")
      .append(order);
  statement.sql.append("\"p\".\"rowid:key\"").append(query.sort.is_descending() ? " DESC" : "");
  return statement;
}

Statement count_found_statement(const TableContext& table_context, const ListQuery& query,
                                const expression::Context& context, Visibility seen) {
  const data::Dialect engine = table_context.table.engine;
  const std::string& table = table_context.table.table.name;
  const bool is_exact = query.count == Count::exact;
  Statement statement;
  const std::string conditions = read_conditions(statement, table_context, query, context, seen);
  statement.sql = dialect::with_query(engine, table, query.search->parameter, is_exact);
  statement.sql.append(" SELECT count(*), ").append(dialect::is_partial(engine));
  statement.sql.append(" FROM (SELECT 1")
      .append(dialect::from_matches(engine, table, query.search->parameter));
  statement.sql += conditions;
  if (!is_exact) append_limit(statement, max_counted + 1);
  statement.sql += ") AS \"c\"";
  return statement;
}

}  // namespace tenon::records
