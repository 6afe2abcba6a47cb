#include "records/query/search_query.hpp"

#include <string>

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

// The found records: the SQL after FROM, and the expressions of their order.
struct Source {
  std::string sql;  // conditions are appended after an AND
  std::string rank;
  std::string rowid;
  bool is_best_first = false;
};

// Builds the source with the rules and the filter. Without them records are read only after they
// are ranked. With them records are read first, in the order of the file.
Source ranked_source(Statement& statement, const TableContext& table_context,
                     const ListQuery& query, const expression::Context& context, Visibility seen) {
  const data::Dialect engine = table_context.table.engine;
  const std::string& table = table_context.table.table.name;
  const Search& search = *query.search;
  Statement conditions;
  append_conditions(conditions, true, table_context, query.filter.get(), context, seen);
  statement.cells = std::move(conditions.cells);
  statement.cells.emplace_back(search.expression);
  statement.cells.emplace_back(search.asked);
  statement.cells.emplace_back(search.ranking);
  const std::size_t ranking = statement.cells.size();
  if (conditions.sql.empty() && engine == data::Dialect::sqlite)
    return {dialect::from_best(table, search.parameter, ranking), std::string(found_rank),
            R"("p"."rowid")", true};
  return {dialect::from_found(engine, table, search.parameter, ranking) + conditions.sql,
          dialect::rank(engine, table, ranking, search.is_compared), R"("t"."rowid")"};
}

// Appends `page`, the beginning of a SELECT, with the source, the order and the limit. The page
// starts after the last record of the previous page, by the rank that this record has now: every
// change of the table changes ranks. If that record is deleted or no longer visible to the reader,
// the page skips as many records as came before.
void append_ranked_page(Statement& statement, const ListQuery& query, const std::string& page,
                        const Source& source) {
  const std::string order = " ORDER BY " + source.rank + ", " + source.rowid;
  if (query.after.empty()) {
    statement.sql.append(page).append(source.sql).append(order);
    append_limit(statement, query.limit + 1);
    return;
  }
  const std::string last = "(SELECT \"rank\" FROM \"last\")";
  const std::string place = next_parameter(statement, cell_of(query.after.back()));
  const std::string before = next_parameter(statement, cell_of(query.after.front()));
  statement.sql += "WITH \"last\"(\"rank\") AS MATERIALIZED (SELECT " + source.rank + source.sql +
                   " AND " + source.rowid + " = " + place + ") " + page + source.sql + " AND (" +
                   last + " IS NULL OR " + source.rank + " > " + last + " OR (" + source.rank +
                   " = " + last + " AND " + source.rowid + " > " + place + "))" + order;
  append_limit(statement, query.limit + 1);
  statement.sql += " OFFSET CASE WHEN " + last + " IS NULL THEN " + before + " ELSE 0 END";
}

void append_sorted_page(Statement& statement, const TableContext& table_context,
                        const ListQuery& query, const expression::Context& context,
                        Visibility seen) {
  statement.sql += "SELECT \"t\".\"id\"";
  append_key_columns(statement.sql, query.sort);
  const bool has_some =
      append_selection(statement, table_context, query.filter.get(), context, seen);
  append_is_found(statement, has_some, table_context, *query.search);
  statement.cells.emplace_back(query.search->asked);
  if (!query.after.empty()) {
    statement.sql += " AND ";
    append_after(statement.sql, query.sort, query.after, statement.cells.size() + 1);
    for (const data::schema::Value& value : query.after)
      statement.cells.push_back(cell_of(value));
  }
  append_order(statement.sql, query.sort);
  append_limit(statement, query.limit + 1);
}

// How many records a page and those before it have.
std::int64_t seen_after(const ListQuery& query) {
  const auto page = static_cast<std::int64_t>(query.limit);
  return query.after.empty() ? page : std::get<std::int64_t>(query.after.front()) + page;
}

// Returns the key of a cursor that replaces the rank.
std::string shown_key(Statement& statement, const ListQuery& query) {
  return "CAST(" + next_parameter(statement, seen_after(query)) + " AS BIGINT)";
}

// The page in one SELECT, for what comes the best first.
Statement best_statement(Statement statement, const Source& source, const ListQuery& query,
                         const expression::Context& context) {
  std::string page = "SELECT ";
  append_columns(page, query.fields, context);
  page.append(", ").append(shown_key(statement, query)).append(" AS ").append(key_name(0));
  page.append(", \"t\".\"rowid\" AS \"rowid:key\"");
  append_ranked_page(statement, query, page, source);
  return statement;
}

}  // namespace

void append_is_found(Statement& statement, bool has_some, const TableContext& table_context,
                     const Search& search) {
  statement.cells.emplace_back(search.expression);
  statement.sql += has_some ? " AND " : " WHERE ";
  statement.sql += dialect::is_found(table_context.table.engine, table_context.table.table.name,
                                     search.parameter);
}

Statement found_statement(const TableContext& table_context, const ListQuery& query,
                          const expression::Context& context, Visibility seen) {
  Statement page;
  if (query.search->is_ranked) {
    const Source source = ranked_source(page, table_context, query, context, seen);
    if (source.is_best_first) return best_statement(std::move(page), source, query, context);
    const std::string columns =
        "SELECT " + source.rank + " AS \"rank\", " + source.rowid + " AS \"rowid:key\"";
    append_ranked_page(page, query, columns, source);
  } else {
    append_sorted_page(page, table_context, query, context, seen);
  }
  Statement statement;
  statement.cells = std::move(page.cells);
  statement.sql = "SELECT ";
  append_columns(statement.sql, query.fields, context);
  std::string order;
  for (std::size_t i = 0; i < query.sort.keys.size(); ++i) {
    const std::string key =
        query.search->is_ranked ? std::string(found_rank) : "\"p\"." + key_name(i);
    const std::string shown = query.search->is_ranked ? shown_key(statement, query) : key;
    statement.sql.append(", ").append(shown).append(" AS ").append(key_name(i));
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

}  // namespace tenon::records
