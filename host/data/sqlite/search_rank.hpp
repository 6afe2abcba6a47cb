#pragma once

#include <memory>

struct sqlite3;

namespace tenon::data::sqlite {

class SearchLengths;

/// Adds to a connection the function `tenon_rank(number, weight…)` of FTS5: BM25 as FTS5's own
/// bm25(weight…) counts it (https://sqlite.org/fts5.html#the_bm25_function), to the last digit, but
/// with the lengths of records from `lengths`. `number` is search_number() of the table; the
/// smallest rank is the best. Null lengths: the index is asked. Throws SqlError.
void add_search_rank(sqlite3* db, std::shared_ptr<SearchLengths> lengths);

}  // namespace tenon::data::sqlite
