#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>

#include "store/access.hpp"
#include "store/notes.hpp"
#include "text/search_terms.hpp"

namespace notes::store {

/// A note that was found. Title and snippet carry the marks of text/search_terms.hpp.
struct SearchHit {
  std::string id;
  std::string title;
  std::string snippet;
};

/// Hits that may be read, best first, of at least one term. `tag` is a tag's id.
std::vector<SearchHit> search(Scope& scope, const std::vector<text::Term>& terms,
                              const std::optional<std::string>& tag, std::int64_t limit,
                              std::int64_t offset);

/// Rows of notes, in no order; `ids` is a JSON array.
std::vector<NoteRow> notes_by_id(tenon::Statements& db, const std::string& ids);

struct Suggestion {
  std::string id;
  std::string title;
  Location notebook;
};

/// Notes that may be read whose titles begin with what was typed, then those with a word that does;
/// the last changed for an empty text. `except` is left out.
std::vector<Suggestion> suggest(Scope& scope, std::string_view typed, std::string_view except,
                                std::int64_t limit);

}  // namespace notes::store
