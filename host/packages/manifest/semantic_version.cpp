#include "packages/manifest/semantic_version.hpp"

#include <algorithm>
#include <charconv>

namespace tenon::plugins {

namespace {

constexpr std::size_t max_version_bytes = 64;

bool is_decimal_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

bool is_number(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_decimal_digit);
}

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool read_number(std::string_view text, std::uint32_t& number) {
  if (!is_number(text) || (text.size() > 1 && text[0] == '0')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() &&
         number <= SemanticVersion::max_number;
}

// Dot-separated identifiers of [0-9A-Za-z-]; numeric ones without leading zeros where `strict`
// (prerelease).
bool are_identifiers(std::string_view text, bool strict) {
  if (text.empty() || text.ends_with('.')) return false;
  while (!text.empty()) {
    const std::string_view part = take_until(text, '.');
    const bool is_well_formed = !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
      return is_decimal_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
    if (!is_well_formed || (strict && is_number(part) && part.size() > 1 && part[0] == '0'))
      return false;
  }
  return true;
}

std::strong_ordering compare_identifiers(std::string_view left, std::string_view right) noexcept {
  const bool left_is_number = is_number(left);
  const bool right_is_number = is_number(right);
  if (left_is_number != right_is_number) {
    return left_is_number ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  // Without leading zeros the longer number is the larger one.
  if (left_is_number && left.size() != right.size()) return left.size() <=> right.size();
  return left.compare(right) <=> 0;
}

std::strong_ordering compare_prereleases(std::string_view left, std::string_view right) noexcept {
  if (left.empty() || right.empty()) return left.empty() <=> right.empty();
  while (!left.empty() && !right.empty()) {
    const auto order = compare_identifiers(take_until(left, '.'), take_until(right, '.'));
    if (std::is_neq(order)) return order;
  }
  return right.empty() <=> left.empty();
}

}  // namespace

std::optional<SemanticVersion> SemanticVersion::parse(std::string_view text) {
  if (text.size() > max_version_bytes) return std::nullopt;
  const std::size_t build = text.find('+');
  if (build != std::string_view::npos) {
    if (!are_identifiers(text.substr(build + 1), false)) return std::nullopt;
    text = text.substr(0, build);
  }
  SemanticVersion version;
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    if (!are_identifiers(text.substr(dash + 1), true)) return std::nullopt;
    version.prerelease = text.substr(dash + 1);
    text = text.substr(0, dash);
  }
  if (std::count(text.begin(), text.end(), '.') != 2) return std::nullopt;
  const std::string_view major = take_until(text, '.');
  const std::string_view minor = take_until(text, '.');
  if (!read_number(major, version.major) || !read_number(minor, version.minor) ||
      !read_number(text, version.patch)) {
    return std::nullopt;
  }
  return version;
}

std::strong_ordering operator<=>(const SemanticVersion& left,
                                 const SemanticVersion& right) noexcept {
  if (const auto order = left.major <=> right.major; std::is_neq(order)) return order;
  if (const auto order = left.minor <=> right.minor; std::is_neq(order)) return order;
  if (const auto order = left.patch <=> right.patch; std::is_neq(order)) return order;
  return compare_prereleases(left.prerelease, right.prerelease);
}

bool operator==(const SemanticVersion& left, const SemanticVersion& right) noexcept {
  return std::is_eq(left <=> right);
}

}  // namespace tenon::plugins
