#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::records {

/// One of the things that a search asks for.
struct SearchTerm {
  std::string text;           ///< a word, or several consecutive ones; not empty
  bool is_excluded = false;   ///< no record with it
  bool is_beginning = false;  ///< the last word may continue

  bool operator==(const SearchTerm&) const = default;
};

/// Parses a typed search: words, "words in this order", -without. Everything else is text. The only
/// error is a search that is too long: throws 400 records.bad_query beyond max_search_bytes and
/// max_search_terms. The last word or open phrase is a beginning from its second letter on, until a
/// space or quote ends it. Control characters are spaces.
std::vector<SearchTerm> parse_search(std::string_view typed);

}  // namespace tenon::records
