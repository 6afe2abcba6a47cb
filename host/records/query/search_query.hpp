#pragma once

#include "records/query/list_query.hpp"

namespace tenon::records {

// Lists of a search (`q`). The page is chosen first, by the search index, the rules and the filter;
// what is shown of a record is made for those of the page alone.

/// SQL of a record's rank in found_statement() of a ranked search; the smallest is the best.
inline constexpr std::string_view found_rank = "\"p\".\"rank\"";

/// The page, one record longer than the limit.
Statement found_statement(const TableContext& table_context, const ListQuery& query,
                          const expression::Context& context, Visibility seen);

/// Appends the condition that a record is found, to a statement that has the cells of
/// append_conditions() and no others.
void append_is_found(Statement& statement, bool has_some, const TableContext& table_context,
                     const Search& search);

}  // namespace tenon::records
