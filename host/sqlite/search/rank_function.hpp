#pragma once

#include <cstdint>

struct sqlite3;

namespace tenon::data::sqlite {

/// Matches whose length the rank function reads, the first ones of a statement. Others count as
/// long as the mean. FTS5 stores lengths in a table of its own; reading one takes 1 µs.
inline constexpr std::int64_t max_length_reads = 4'096;

/// Adds the FTS5 function `tenon_rank_order(index, weights, request)` to a connection. It returns
/// the rank of the current match; the smallest is the best. The rank is BM25 with the parameters of
/// FTS5's bm25(). `index` is the index's own column; `weights` is a JSON array of the columns'
/// weights ("[8,1]"). The match expression is that of tenon_match() for the same `request`
/// (search_text.hpp). All words of a prefix together count as one phrase. Throws SqlError.
///
/// Unlike bm25(), a phrase in more than max_ranked_matches() records counts as in that many, and
/// only max_length_reads lengths are read. Both keep the cost of a search independent of the table.
void add_rank_function(sqlite3* db);

}  // namespace tenon::data::sqlite
