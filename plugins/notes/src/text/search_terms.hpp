#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace notes::text {

inline constexpr std::size_t max_search_characters = 200;
inline constexpr std::size_t max_search_words = 16;

/// What a person typed, as an FTS5 expression that is never a syntax error: all words, the last one
/// as a beginning while no space follows it; "in quotes" a phrase; -word without it. Empty when
/// nothing is left to look for. `column` narrows it to one column ("title").
std::string match_expression(std::string_view typed, std::string_view column = {});

struct Segment {
  std::string text;
  bool match = false;
};

/// The marks that FTS5's snippet() and highlight() are told to set around matches.
inline constexpr std::string_view match_begin = "\x02";
inline constexpr std::string_view match_end = "\x03";

/// Splits a marked text. Marks that are out of order, because the text itself has such characters,
/// are dropped.
std::vector<Segment> segments(std::string_view marked);

}  // namespace notes::text
