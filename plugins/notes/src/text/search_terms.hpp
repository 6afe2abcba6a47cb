#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace notes::text {

inline constexpr std::size_t max_search_characters = 200;
inline constexpr std::size_t max_search_words = 16;

struct Term {
  std::string words;  ///< a phrase, separated by single spaces, without what FTS5 takes for syntax
  bool excluded = false;
  bool unfinished = false;  ///< the last word may continue
};

/// Parses what a person typed: all words, the last one as a beginning while no space follows it;
/// "in quotes" a phrase; -word without it. Empty when nothing is left to look for.
std::vector<Term> search_terms(std::string_view typed);

/// The terms, of which there is one, as an FTS5 expression that is never a syntax error, of one
/// column ("title") or of all.
std::string match_expression(const std::vector<Term>& terms, std::string_view column = {});

struct Segment {
  std::string text;
  bool match = false;
};

/// The marks that the engine sets around matches.
inline constexpr std::string_view match_begin = "\x02";
inline constexpr std::string_view match_end = "\x03";

/// Splits a marked text. Marks that are out of order, because the text itself has such characters,
/// are dropped.
std::vector<Segment> segments(std::string_view marked);

}  // namespace notes::text
