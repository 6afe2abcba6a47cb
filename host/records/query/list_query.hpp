#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/cell.hpp"
#include "records/api/page.hpp"
#include "records/model/table_context.hpp"
#include "records/query/expand.hpp"
#include "records/search/search.hpp"

namespace tenon::records {

/// The number of records in all pages that a list returns.
enum class Count : std::uint8_t {
  none,
  bounded,  ///< exact up to max_counted
  exact
};

/// The query of a GET of a table, parsed and checked for its user.
struct ListQuery {
  std::vector<const FieldModel*> fields;
  std::size_t shown = 0;  ///< members of a record; what fields has beyond them is expanded only
  std::vector<Expand> expands;
  std::shared_ptr<const Rule> filter;    ///< null: none
  std::unique_ptr<const Search> search;  ///< null: none
  Sort sort;
  std::string mark;                        ///< see list_mark()
  std::vector<data::schema::Value> after;  ///< from the cursor; empty: from the beginning
  std::size_t limit = 0;
  Count count = Count::none;
};

/// Throws 400 records.bad_query, records.bad_cursor, records.field_not_allowed, 422
/// expression.invalid.
ListQuery read_list_query(const TableContext& table_context, std::string_view query,
                          const expression::Context& context);
/// The same of parameters that are read already.
ListQuery read_list_query(const TableContext& table_context,
                          const std::vector<std::pair<std::string, std::string>>& parameters,
                          const expression::Context& context);

/// A statement and what is bound to it. The cells borrow from the query, the table
/// context and the context.
struct Statement {
  std::string sql;
  std::vector<data::Cell> cells;
};

/// The value as it is bound; borrows it.
data::Cell cell_of(const data::schema::Value& value);

/// Appends the table's rule and the filter (null: none) as conditions, with AND if there are some
/// already. Returns whether the statement has conditions. Its cells are the statement's first.
bool append_conditions(Statement& statement, bool has_some, const TableContext& table_context,
                       const Rule* filter, const expression::Context& context, Visibility seen);
/// Appends FROM, and the table's rule and the filter (null: none) as conditions. Returns whether
/// the statement has conditions.
bool append_selection(Statement& statement, const TableContext& table_context, const Rule* filter,
                      const expression::Context& context, Visibility seen);
/// Appends LIMIT. Its parameter is the last one, so the number of parameters is that of the cells
/// for any text.
void append_limit(Statement& statement, std::size_t limit);

/// A compiled filter; null for an empty text. Throws as read_list_query().
std::shared_ptr<const Rule> read_filter(const TableContext& table_context, const std::string& text,
                                        const expression::Context& context);
/// A number from 1 to `max`. Throws 400 records.bad_query.
std::size_t read_limit(const std::string& text, std::size_t max);

/// The page, one record longer than the limit.
Statement page_statement(const TableContext& table_context, const ListQuery& query,
                         const expression::Context& context, Visibility seen);
/// How many records there are in all pages, at most max_counted + 1 if the count is bounded. A
/// second column is 1 if there may be more.
Statement count_statement(const TableContext& table_context, const ListQuery& query,
                          const expression::Context& context, Visibility seen);

}  // namespace tenon::records
