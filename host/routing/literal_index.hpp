#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "routing/route.hpp"

namespace tenon::routing {

struct Section;

/// The paths of all routes without parameters, whoever owns them: one look instead of one for the
/// section and one within it. Filled once, then only read. Whatever it was filled with outlives it.
class LiteralIndex {
 public:
  struct Entry {
    std::uint64_t hash = 0;
    RouteSet::Literal literal;
    const Section* section = nullptr;  ///< null: the place is free
  };

  /// Makes room for `count` entries and forgets all that were there.
  void reset(std::size_t count);
  /// Each path once, and not more of them than there is room for.
  void add(const RouteSet::Literal& literal, const Section& section) noexcept;
  /// Null where the path is none of them.
  const Entry* find(std::string_view path) const noexcept;

 private:
  std::vector<Entry> entries_;  // a power of two of them, at most half of which are taken
};

}  // namespace tenon::routing
