#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packages/manifest/semantic_version.hpp"

namespace tenon::plugins {

/// A range of versions: comparators joined by spaces (and) and by "||" (or), as npm writes them.
/// "*", "1", "1.2", "1.2.x", "1.2.3", "^1.2", "~1.2.3", ">=1.2.3 <2.0.0", "^1.0 || ^2.0". A
/// prerelease only matches where a comparator names a prerelease of the same major.minor.patch.
class VersionRange {
 public:
  /// Returns nothing if `text` is no range; at most 256 bytes.
  static std::optional<VersionRange> parse(std::string_view text);

  bool matches(const SemanticVersion& version) const noexcept;
  const std::string& text() const noexcept { return text_; }

 private:
  enum class Operator : std::uint8_t { equal, less, less_or_equal, greater, greater_or_equal };
  struct Comparator {
    Operator op;
    SemanticVersion version;
    bool is_written = true;  // false for a bound that follows from what is written
    bool matches(const SemanticVersion& candidate) const noexcept;
  };
  using All = std::vector<Comparator>;
  static bool read(std::string_view term, All& all);

  std::string text_;
  std::vector<All> any_;
};

}  // namespace tenon::plugins
