#pragma once

#include <cstdint>

namespace tenon::data {

/// Matches that a search ranks, the most recent ones. Ranking a match takes about 1 µs, so a
/// search for a word of every record takes about 40 ms however large the table is.
inline constexpr std::int64_t max_ranked_matches = 32'768;

}  // namespace tenon::data
