#pragma once

#include <cstddef>

struct sqlite3;

namespace tenon::data::sqlite {

/// Characters of a text that are looked through for found words, as on PostgreSQL; the rest is not
/// shown.
inline constexpr std::size_t max_pieced_characters = 150'000;

/// SQLite's subtype of a text that a function of the host has made as JSON: it need not be checked.
/// No SQL makes a value of it, and one that was stored or changed has it no more.
inline constexpr unsigned host_json = 'T';

/// Adds to a connection two SQL functions that say where in texts what was asked for stands.
/// `tenon_search_pieces(text, asked, most)`, as PostgreSQL has it
/// (postgresql/schema/functions.cpp): the JSON array [{"text":"The
/// ","match":false},{"text":"sea","match":true}] of at most `most` words around the place with the
/// most matches; NULL where there are none. `tenon_search_highlight(asked, most, name, text…)`: an
/// object of these arrays, with a member for each text that has any. `asked` is
/// {"terms":[{"text":"a","beginning":false,"excluded":false}]}. Words are those of the search index
/// (search_text.hpp), read from the text itself: to ask the index about each record again, as
/// snippet() must, takes ten times as long. Throws SqlError.
void add_search_pieces(sqlite3* db);

}  // namespace tenon::data::sqlite
