#include "store/dialect.hpp"

namespace notes::store {
namespace {

constexpr Dialect sqlite = {
    .in_json = "IN (SELECT value FROM json_each(?))",
    .texts = "json_each(?)",
    .objects = "json_each(?)",
    .plus = "+",
    // CROSS: the search index first. A word of a title counts as eight of a text.
    .found =
        " FROM tenon_notes_search s CROSS JOIN notes n ON n.rowid = s.rowid WHERE "
        "s.tenon_notes_search MATCH ?1 AND s.rank MATCH 'bm25(8.0, 1.0)' ",
    .order = " ORDER BY s.rank",
    .title = "highlight(s.tenon_notes_search, 0, char(2), char(3))",
    .text = "snippet(s.tenon_notes_search, 1, char(2), char(3), '…', 24)",
};

constexpr Dialect postgresql = {
    .in_json = "IN (SELECT value FROM json_array_elements_text(CAST(? AS json)))",
    .texts = "json_array_elements_text(CAST(? AS json))",
    .objects = "json_array_elements(CAST(? AS json))",
    .plus = "",
    // OFFSET: made once, not for each note.
    .found =
        " FROM (SELECT tenon_search_query(?1) AS found, tenon_search_parts(?1) AS parts, "
        "tenon_search_weights(?1, '[8,1]') AS weights OFFSET 0) AS q CROSS JOIN tenon_notes_search "
        "AS s JOIN notes n ON n.rowid = s.rowid WHERE s.words @@ q.found ",
    // SQLite gives equal ranks in the order of rowids by itself.
    .order = " ORDER BY tenon_search_rank(s.words, q.parts, q.weights), n.rowid",
    .title =
        "coalesce((SELECT string_agg(CASE WHEN p ->> 'match' = 'true' THEN chr(2) || (p ->> "
        "'text') || chr(3) ELSE p ->> 'text' END, '' ORDER BY place) FROM "
        "json_array_elements(CAST(tenon_search_pieces(n.title, ?1, 200) AS json)) WITH ORDINALITY "
        "AS pieces (p, place)), n.title)",
    .text =
        "coalesce((SELECT string_agg(CASE WHEN p ->> 'match' = 'true' THEN chr(2) || (p ->> "
        "'text') || chr(3) ELSE p ->> 'text' END, '' ORDER BY place) FROM "
        "json_array_elements(CAST(tenon_search_pieces(n.text, ?1, 24) AS json)) WITH ORDINALITY "
        "AS pieces (p, place)), n.excerpt)",
};

}  // namespace

const Dialect& dialect_of(const tenon::Statements& db) noexcept {
  return db.engine() == tenon::Engine::postgresql ? postgresql : sqlite;
}

void append_equals(std::string& sql, tenon::Arguments& arguments, std::string_view column,
                   const std::optional<std::string>& value) {
  sql.append(column).append(value ? " = ?" : " IS NULL");
  if (value) arguments.add(*value);
}

}  // namespace notes::store
