#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "routing/route.hpp"

namespace tenon::routing {

struct Section;

/// The paths of all routes without parameters, of all owners: one look instead of one for the
/// section and one within it. Filled once, then only read. The literals and sections in it must
/// outlive it.
class LiteralIndex {
 public:
  struct Entry {
    std::uint64_t hash = 0;
    RouteSet::Literal literal;
    const Section* section = nullptr;  ///< null: the place is free
  };

  /// Reserves slots for `count` entries and forgets all entries.
  void reset(std::size_t count);
  /// Adds a path. Each path once, and at most as many as reset() reserved.
  void add(const RouteSet::Literal& literal, const Section& section) noexcept;
  /// Null where the path is none of them.
  const Entry* find(std::string_view path) const noexcept;

 private:
  std::vector<Entry> entries_;  // a power of two of them, at most half of which are taken
};

}  // namespace tenon::routing
