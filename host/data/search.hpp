#pragma once

#include <cstdint>

#include "data/dialect.hpp"

namespace tenon::data {

/// Returns how many matches a search ranks, the most recent ones. A search for a word of every
/// record therefore takes about 40 ms however large the table is: tenon_rank_order() takes about
/// 1 µs for a match, PostgreSQL's ts_rank() 2 to 3 µs.
constexpr std::int64_t max_ranked_matches(Dialect engine) noexcept {
  return engine == Dialect::postgresql ? 8'192 : 32'768;
}

}  // namespace tenon::data
