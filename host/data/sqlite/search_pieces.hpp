#pragma once

#include <cstddef>

struct sqlite3;

namespace tenon::data::sqlite {

/// Characters of a text that are looked through for found words, as on PostgreSQL; the rest is not
/// shown.
inline constexpr std::size_t max_pieced_characters = 150'000;

/// Adds to a connection the SQL function `tenon_search_pieces(text, asked, most)`, as PostgreSQL
/// has it (postgresql/schema/functions.cpp): where in a text what was asked for stands, as the JSON
/// array [{"text":"The ","match":false},{"text":"sea","match":true}] of at most `most` words around
/// the place with the most matches; NULL where there are none. `asked` is
/// {"terms":[{"text":"a","beginning":false,"excluded":false}]}. Words are those of the search index
/// (FTS5's unicode61 without diacritics), read from the text itself: to ask the index about each
/// record again, as snippet() must, takes ten times as long. Throws SqlError.
void add_search_pieces(sqlite3* db);

}  // namespace tenon::data::sqlite
