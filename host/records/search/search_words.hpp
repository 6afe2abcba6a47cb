#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::records {

/// One of the things that a search asks for.
struct SearchTerm {
  std::string text;           ///< a word, or several that stand behind each other; not empty
  bool is_excluded = false;   ///< no record with it
  bool is_beginning = false;  ///< the last word may go on

  bool operator==(const SearchTerm&) const = default;
};

/// Reads what a person typed: words, "words in this order", -without. What is no such thing is
/// text; nothing is an error but too much: throws 400 records.bad_query beyond max_search_bytes and
/// max_search_terms. The last word or open phrase is a beginning from its second letter on, until a
/// space or quote ends it. Control characters are spaces.
std::vector<SearchTerm> parse_search(std::string_view typed);

}  // namespace tenon::records
