#include "records/found_query.hpp"

#include <string>

#include "data/schema/ddl.hpp"
#include "records/columns.hpp"
#include "records/dialect.hpp"

namespace tenon::records {

namespace {

std::string key_name(std::size_t key) {
  return "\"" + std::to_string(key) + ":key\"";
}

std::string next_parameter(Statement& statement, const data::Cell& cell) {
  statement.cells.push_back(cell);
  return dialect::parameter(statement.cells.size());
}

// The records that are found, `t`, with their entries `s`, and the rules and the filter.
std::string ranked_source(Statement& statement, const Desk& desk, const ListQuery& query,
                          const expression::Context& context, Seen seen) {
  Statement conditions;
  append_conditions(conditions, true, desk, query.filter.get(), context, seen);
  statement.cells = std::move(conditions.cells);
  statement.cells.emplace_back(query.search->expression);
  statement.cells.emplace_back(query.search->asked);
  statement.cells.emplace_back(query.search->ranking);
  return dialect::from_found(desk.table.engine, desk.table.table.name, query.search->parameter,
                             statement.cells.size()) +
         conditions.sql;
}

// The place where the page before ended is that of its last record, by the rank that it has now:
// ranks move with every change of the table. Where it is gone, or its reader may not see it any
// more, as many records are left out as came before.
void append_ranked_page(Statement& statement, const ListQuery& query, const std::string& source) {
  const std::string rank = query.sort.keys.front().column;
  const std::string page =
      "SELECT " + rank + " AS \"0:key\", \"t\".\"rowid\" AS \"rowid:key\"" + source;
  if (query.behind.empty()) {
    statement.sql += page;
    append_order(statement.sql, query.sort);
    append_limit(statement, query.limit + 1);
    return;
  }
  const std::string last = "(SELECT \"rank\" FROM \"last\")";
  const std::string place = next_parameter(statement, cell_of(query.behind.back()));
  const std::string before = next_parameter(statement, cell_of(query.behind.front()));
  statement.sql += "WITH \"last\"(\"rank\") AS MATERIALIZED (SELECT " + rank + source +
                   " AND \"t\".\"rowid\" = " + place + ") " + page + " AND (" + last +
                   " IS NULL OR " + rank + " > " + last + " OR (" + rank + " = " + last +
                   " AND \"t\".\"rowid\" > " + place + "))";
  append_order(statement.sql, query.sort);
  append_limit(statement, query.limit + 1);
  statement.sql += " OFFSET CASE WHEN " + last + " IS NULL THEN " + before + " ELSE 0 END";
}

void append_sorted_page(Statement& statement, const Desk& desk, const ListQuery& query,
                        const expression::Context& context, Seen seen) {
  statement.sql += "SELECT \"t\".\"id\"";
  append_key_columns(statement.sql, query.sort);
  const bool has_some = append_selection(statement, desk, query.filter.get(), context, seen);
  append_is_found(statement, has_some, desk, *query.search);
  statement.cells.emplace_back(query.search->asked);
  if (!query.behind.empty()) {
    statement.sql += " AND ";
    append_behind(statement.sql, query.sort, query.behind, statement.cells.size() + 1);
    for (const data::schema::Value& value : query.behind)
      statement.cells.push_back(cell_of(value));
  }
  append_order(statement.sql, query.sort);
  append_limit(statement, query.limit + 1);
}

// How many records a page and those before it have.
std::int64_t seen_after(const ListQuery& query) {
  const auto page = static_cast<std::int64_t>(query.limit);
  return query.behind.empty() ? page : std::get<std::int64_t>(query.behind.front()) + page;
}

}  // namespace

void append_is_found(Statement& statement, bool has_some, const Desk& desk, const Search& search) {
  statement.cells.emplace_back(search.expression);
  statement.sql += has_some ? " AND " : " WHERE ";
  statement.sql += dialect::is_found(desk.table.engine, desk.table.table.name, search.parameter);
}

Statement found_statement(const Desk& desk, const ListQuery& query,
                          const expression::Context& context, Seen seen) {
  Statement page;
  if (query.search->is_ranked) {
    const std::string source = ranked_source(page, desk, query, context, seen);
    append_ranked_page(page, query, source);
  } else {
    append_sorted_page(page, desk, query, context, seen);
  }
  Statement statement;
  statement.cells = std::move(page.cells);
  statement.sql = "SELECT ";
  append_columns(statement.sql, query.fields, context);
  std::string order;
  for (std::size_t i = 0; i < query.sort.keys.size(); ++i) {
    const std::string key = "\"p\"." + key_name(i);
    const std::string shown =
        query.search->is_ranked
            ? "CAST(" + next_parameter(statement, seen_after(query)) + " AS BIGINT)"
            : key;
    statement.sql.append(", ").append(shown).append(" AS ").append(key_name(i));
    order.append(key).append(dialect::order(desk.table.engine, query.sort.keys[i].is_descending));
    order += ", ";
  }
  statement.sql.append(", \"p\".\"rowid:key\" AS \"rowid:key\" FROM (").append(page.sql);
  statement.sql.append(") AS \"p\"")
      .append(dialect::join_in_order(desk.table.engine))
      .append(data::schema::quoted(desk.table.table.name));
  statement.sql.append(" AS \"t\" ON \"t\".\"rowid\" = \"p\".\"rowid:key\" ORDER BY ")
      .append(order);
  statement.sql.append("\"p\".\"rowid:key\"").append(query.sort.is_descending() ? " DESC" : "");
  return statement;
}

}  // namespace tenon::records
