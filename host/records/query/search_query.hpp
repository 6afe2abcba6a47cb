#pragma once

#include "records/query/list_query.hpp"

namespace tenon::records {

// Lists of a search (`q`). The statement chooses the page first, by the search index, the rules and
// the filter. The members of a record are made for the records of the page only.

/// SQL of a record's rank in found_statement() of a ranked search; the smallest is the best.
inline constexpr std::string_view found_rank = "\"p\".\"rank\"";

/// The page, one record longer than the limit. The last column of a ranked search is
/// "recent:flag": only the most recent matches were ranked.
Statement found_statement(const TableContext& table_context, const ListQuery& query,
                          const expression::Context& context, Visibility seen);

/// How many matches there are. If not exact, at most max_counted + 1, and a second column is 1 if
/// there may be more.
Statement count_found_statement(const TableContext& table_context, const ListQuery& query,
                                const expression::Context& context, Visibility seen);

/// Appends the condition that a record matches, to a statement that has the cells of
/// append_conditions() and no others.
void append_is_found(Statement& statement, bool has_some, const TableContext& table_context,
                     const Search& search);

}  // namespace tenon::records
