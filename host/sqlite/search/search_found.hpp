#pragma once

#include <cstddef>
#include <memory>

struct sqlite3;

namespace tenon::data::sqlite {

class SearchLengths;

/// Places of one search that are kept in memory at once, the best; 256 to 512 KiB. Whoever reads
/// beyond them has the index searched once more for each so many.
inline constexpr std::size_t max_places = std::size_t{1} << 14;

/// Adds to a connection the table-valued function `tenon_found(table, expression, weights)`: the
/// records of a table that its search index finds, as `rowid` and `rank`, the best first, and those
/// of the same rank by their rowids. `expression` is FTS5's, `weights` a JSON array of numbers, how
/// much a word in each of the columns counts. Rank is bm25(weights…), to the last digit
/// (search_rank.hpp). The index is read to its end, in one go and without a row of SQLite's for
/// each record; only what is asked for is then put in order. Null lengths: none are kept. Throws
/// SqlError.
void add_search_found(sqlite3* db, std::shared_ptr<SearchLengths> lengths);

}  // namespace tenon::data::sqlite
