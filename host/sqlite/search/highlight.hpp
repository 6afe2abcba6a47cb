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

/// Adds two SQL functions to a connection. Both mark the words of a search in texts:
/// - `tenon_search_pieces(text, request, max)` returns the JSON array [{"text":"The
///   ","match":false},{"text":"sea","match":true}] of at most `max` words around the place with the
///   most matches, or NULL if there is no match. PostgreSQL has a function with this name
///   (postgresql/schema/functions.cpp).
/// - `tenon_highlight(request, max, name, text, …)` returns an object of such arrays with a member
///   for each text with a match.
/// `request` is described in search_text.hpp. The functions read the words from the texts, with the
/// tokenizer of the index: FTS5's snippet() searches the index again for each record, which takes
/// ten times as long. Throws SqlError.
void add_highlight_functions(sqlite3* db);

}  // namespace tenon::data::sqlite
