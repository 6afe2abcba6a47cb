// Versions, their order, and ranges of them. Lines: two versions and a range.

#include "packages/manifest/semantic_version.hpp"
#include "packages/manifest/version_range.hpp"
#include "property.hpp"
#include "schema/version.hpp"

namespace {

using tenon::plugins::SemanticVersion;
using tenon::plugins::VersionRange;

int sign(std::strong_ordering order) {
  return std::is_lt(order) ? -1 : std::is_gt(order) ? 1 : 0;
}

int sign(int order) {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

std::string text_of(const SemanticVersion& version) {
  std::string text = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                     std::to_string(version.patch);
  return version.prerelease.empty() ? text : text + "-" + version.prerelease;
}

bool is_in(const std::string& range, const SemanticVersion& version) {
  const auto parsed = VersionRange::parse(range);
  TENON_HOLDS(parsed && parsed->text() == range);
  return parsed->matches(version);
}

void check_one(const SemanticVersion& version) {
  const std::string text = text_of(version);
  const auto again = SemanticVersion::parse(text);
  TENON_HOLDS(again && *again == version && text_of(*again) == text);
  for (const char* sign : {"", "=", "^", "~", ">=", "<="})
    TENON_HOLDS(is_in(sign + text, version));
  for (const char* sign : {"<", ">"})
    TENON_HOLDS(!is_in(sign + text, version));
  const bool is_release = version.prerelease.empty();
  for (const std::string& open :
       {std::string("*"), std::to_string(version.major), "^" + std::to_string(version.major),
        "~" + std::to_string(version.major) + "." + std::to_string(version.minor),
        ">=" + std::to_string(version.major), "<=" + std::to_string(version.major)})
    TENON_HOLDS(is_in(open, version) == is_release);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view range_text = tenon::fuzz::text_of(data, size);
  const std::string_view left_text = tenon::fuzz::take_line(range_text);
  const std::string_view right_text = tenon::fuzz::take_line(range_text);
  const auto left = SemanticVersion::parse(left_text);
  const auto right = SemanticVersion::parse(right_text);
  if (left) {
    check_one(*left);
    TENON_HOLDS(tenon::data::schema::is_version(left_text));
  }
  if (left && right) {
    const int order = sign(*left <=> *right);
    TENON_HOLDS(order == -sign(*right <=> *left));
    TENON_HOLDS((order == 0) == (text_of(*left) == text_of(*right)));
    // Plugins and migrations order versions alike.
    TENON_HOLDS(order == sign(tenon::data::schema::compare_versions(left_text, right_text)));
    TENON_HOLDS(is_in(">=" + text_of(*left) + " <=" + text_of(*left), *right) == (order == 0));
  }
  const auto range = VersionRange::parse(range_text);
  if (range) {
    TENON_HOLDS(range->text() == range_text);
    if (left) {
      const bool matches = range->matches(*left);
      TENON_HOLDS(range_text.size() > 100 ||
                  is_in(std::string(range_text) + " || " + std::string(range_text), *left) ==
                      matches);
      if (range_text.size() <= 100 && range_text.find('|') == std::string_view::npos)
        TENON_HOLDS(is_in(std::string(range_text) + " " + std::string(range_text), *left) ==
                    matches);
    }
  }
  return 0;
}
