#pragma once

#include <memory>

struct sqlite3;

namespace tenon::data::sqlite {

class SearchLengths;

/// Adds to a connection two functions of FTS5 that rank the record where a search of a table's
/// index stands: `tenon_rank(index, table, weights)` as bm25(weights…) does, to the last digit
/// (search_rank.hpp), and `tenon_order(index, table, weights)`, which has the same order within one
/// search, and does not ask how rare a phrase is that is looked for alone. `index` is the index's
/// own column, `weights` a JSON array of numbers. Null lengths: the index is asked. Throws
/// SqlError.
void add_search_order(sqlite3* db, const std::shared_ptr<SearchLengths>& lengths);

}  // namespace tenon::data::sqlite
