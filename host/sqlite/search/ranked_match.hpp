#pragma once

#include <cstddef>
#include <cstdint>

struct sqlite3;

namespace tenon::data::sqlite {

/// Rowids up to which FTS5 itself searches for a prefix: FTS5 reads every record with a word that
/// begins with the prefix before it returns the first one, 0.1 to 0.4 µs for each.
inline constexpr std::int64_t max_prefix_scan = 131'072;
/// Largest number of words that a prefix matches in a larger table.
inline constexpr std::size_t max_prefix_words = 128;

/// Adds the SQL function `tenon_match(table, request, is_complete)` to a connection. It returns the
/// FTS5 expression of a request (search_text.hpp) for the search index of the table. In a table
/// with rowids above max_prefix_scan, a prefix becomes its first max_prefix_words words in
/// alphabetical order, because FTS5 reads matches of words in the order that the statement asks
/// for, and stops early. If there are more words, the expression ends with a space. Prefixes of two
/// and three characters have an index of their own (schema/search_index.cpp) and stay as they are,
/// as do all prefixes if `is_complete` is not 0. Throws SqlError.
void add_match_function(sqlite3* db);

}  // namespace tenon::data::sqlite
