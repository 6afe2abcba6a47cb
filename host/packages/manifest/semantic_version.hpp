#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::plugins {

/// A version as Semantic Versioning 2.0.0 defines it. Build metadata is ignored: it has no part in
/// precedence.
struct SemanticVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;
  std::string prerelease;  ///< "beta.2", empty for a release

  /// The most that each of the three numbers may be; the next one still fits.
  static constexpr std::uint32_t max_number = 999'999'999;

  /// Returns nothing if `text` is no version; whole, at most 64 bytes, no leading "v".
  static std::optional<SemanticVersion> parse(std::string_view text);
};

/// Precedence (section 11).
std::strong_ordering operator<=>(const SemanticVersion& left,
                                 const SemanticVersion& right) noexcept;
bool operator==(const SemanticVersion& left, const SemanticVersion& right) noexcept;

}  // namespace tenon::plugins
