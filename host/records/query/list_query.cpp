#include "records/query/list_query.hpp"

#include <charconv>
#include <variant>

#include "records/model/access.hpp"
#include "records/model/limits.hpp"
#include "records/query/columns.hpp"
#include "records/query/dialect.hpp"
#include "records/query/query_text.hpp"
#include "records/query/search_query.hpp"

namespace tenon::records {

namespace {

Count read_count(const std::string& text) {
  if (text == "true") return Count::bounded;
  if (text == "exact") return Count::exact;
  if (text != "false") refuse_query("count", "true, false or exact is expected");
  return Count::none;
}

void append_condition(std::string& sql, bool& has_some, std::string_view condition) {
  sql.append(has_some ? " AND " : " WHERE ").append(condition);
  has_some = true;
}

// The search, and what it shows of a record.
void add_search(ListQuery& query, const TableModel& table, const std::string& typed,
                const expression::Context& context) {
  auto search = std::make_unique<Search>(
      read_search(table, typed, context, search_parameter(table, query.filter.get())));
  search->is_ranked = query.sort.keys.empty();
  if (search->is_ranked) query.sort = rank_sort(table.engine);
  query.fields.push_back(&search->highlight);
  query.search = std::move(search);
}

}  // namespace

bool append_conditions(Statement& statement, bool has_some, const TableContext& table_context,
                       const Rule* filter, const expression::Context& context, Visibility seen) {
  if (seen == Visibility::some)
    append_condition(statement.sql, has_some, table_context.table.read->sql.text);
  if (seen == Visibility::none) append_condition(statement.sql, has_some, dialect::never);
  expression::append_cells(table_context.table.read_slots, context, statement.cells);
  if (filter) {
    append_condition(statement.sql, has_some, filter->sql.text);
    expression::append_cells(filter->sql, context, statement.cells);
  }
  return has_some;
}

bool append_selection(Statement& statement, const TableContext& table_context, const Rule* filter,
                      const expression::Context& context, Visibility seen) {
  append_from(statement.sql, table_context.table);
  return append_conditions(statement, false, table_context, filter, context, seen);
}

void append_limit(Statement& statement, std::size_t limit) {
  statement.cells.emplace_back(limit);
  statement.sql.append(" LIMIT ").append(dialect::parameter(statement.cells.size()));
}

std::shared_ptr<const Rule> read_filter(const TableContext& table_context, const std::string& text,
                                        const expression::Context& context) {
  if (text.empty()) return nullptr;
  auto filter = table_context.filters.get(*table_context.model, table_context.table, text);
  require_visible(*filter, *table_context.model, table_context.table, context);
  return filter;
}

std::size_t read_limit(const std::string& text, std::size_t max) {
  std::size_t limit = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (failure != std::errc{} || end != text.data() + text.size() || limit == 0 || limit > max)
    refuse_query("limit", "a number from 1 to " + std::to_string(max) + " is expected");
  return limit;
}

data::Cell cell_of(const data::schema::Value& value) {
  return std::visit(
      [](const auto& held) -> data::Cell {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
          return {};
        else
          return held;
      },
      value);
}

ListQuery read_list_query(const TableContext& table_context, std::string_view text,
                          const expression::Context& context) {
  return read_list_query(table_context, parse_query(text), context);
}

ListQuery read_list_query(const TableContext& table_context,
                          const std::vector<std::pair<std::string, std::string>>& parameters,
                          const expression::Context& context) {
  ListQuery query;
  query.limit = default_page;
  std::string filter;
  std::string sort;
  std::string cursor;
  std::string typed;
  bool has_fields = false;
  for (const auto& [name, value] : parameters) {
    if (name == "filter") {
      filter = value;
    } else if (name == "sort") {
      sort = value;
    } else if (name == "q") {
      typed = value;
    } else if (name == "cursor") {
      cursor = value;
    } else if (name == "limit") {
      query.limit = read_limit(value, max_page);
    } else if (name == "count") {
      query.count = read_count(value);
    } else if (name == "fields") {
      query.fields = chosen_fields(table_context.table, value);
      has_fields = true;
    } else if (name == "expand") {
      query.expands = parse_expand(*table_context.model, table_context.table, value);
    } else {
      refuse_query(name, "there is no such parameter");
    }
  }
  if (!has_fields) query.fields = shown_fields(table_context.table);
  query.filter = read_filter(table_context, filter, context);
  query.sort = parse_sort(table_context.table, sort, context);
  if (!typed.empty()) add_search(query, table_context.table, typed, context);
  query.shown = add_expanded_fields(query.fields, query.expands);
  query.mark = list_mark(table_context.path, query.sort, filter, typed);
  if (!cursor.empty()) query.after = read_cursor(cursor, query.mark, query.sort);
  return query;
}

Statement page_statement(const TableContext& table_context, const ListQuery& query,
                         const expression::Context& context, Visibility seen) {
  if (query.search) return found_statement(table_context, query, context, seen);
  Statement statement;
  statement.sql = "SELECT ";
  append_columns(statement.sql, query.fields, context);
  append_key_columns(statement.sql, query.sort);
  bool has_some = append_selection(statement, table_context, query.filter.get(), context, seen);
  if (!query.after.empty()) {
    std::string condition;
    append_after(condition, query.sort, query.after, statement.cells.size() + 1);
    append_condition(statement.sql, has_some, condition);
    for (const data::schema::Value& value : query.after)
      statement.cells.push_back(cell_of(value));
  }
  append_order(statement.sql, query.sort);
  append_limit(statement, query.limit + 1);
  return statement;
}

Statement count_statement(const TableContext& table_context, const ListQuery& query,
                          const expression::Context& context, Visibility seen) {
  if (query.search) return count_found_statement(table_context, query, context, seen);
  Statement statement;
  statement.sql = "SELECT count(*), 0 FROM (SELECT 1";
  append_selection(statement, table_context, query.filter.get(), context, seen);
  if (query.count == Count::bounded) append_limit(statement, max_counted + 1);
  statement.sql += ") AS \"c\"";
  if (query.count == Count::exact) append_limit(statement, 1);
  return statement;
}

}  // namespace tenon::records
