#include "packages/manifest/version_range.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>

namespace tenon::plugins {

namespace {

constexpr std::size_t max_range_bytes = 256;

// A version whose right end may be missing or a wildcard.
struct Partial {
  SemanticVersion version;
  int given = 0;  // how many numbers are given, 0…3
};

bool is_wildcard(std::string_view part) {
  return part == "x" || part == "X" || part == "*";
}

std::optional<Partial> read_partial(std::string_view text) {
  Partial partial;
  if (const auto whole = SemanticVersion::parse(text)) return Partial{*whole, 3};
  if (text.empty() || text.ends_with('.')) return std::nullopt;
  const std::array<std::uint32_t*, 3> numbers{&partial.version.major, &partial.version.minor,
                                              &partial.version.patch};
  bool is_open = false;
  for (int i = 0; !text.empty(); ++i) {
    if (i == 3) return std::nullopt;
    const std::size_t end = std::min(text.find('.'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_wildcard(part)) {
      is_open = true;
      continue;
    }
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), *numbers[i]);
    const bool is_number = error == std::errc() && stop == part.data() + part.size() &&
                           *numbers[i] <= SemanticVersion::max_number;
    if (is_open || !is_number) return std::nullopt;
    partial.given = i + 1;
  }
  return partial;
}

// The first version after all that share the first `kept` numbers. "-0" is the lowest prerelease of
// it.
SemanticVersion after(const SemanticVersion& version, int kept) {
  if (kept == 1) return {version.major + 1, 0, 0, "0"};
  if (kept == 2) return {version.major, version.minor + 1, 0, "0"};
  return {version.major, version.minor, version.patch + 1, "0"};
}

}  // namespace

bool VersionRange::Comparator::matches(const SemanticVersion& candidate) const noexcept {
  const auto order = candidate <=> version;
  switch (op) {
    case Operator::equal:
      return std::is_eq(order);
    case Operator::less:
      return std::is_lt(order);
    case Operator::less_or_equal:
      return std::is_lteq(order);
    case Operator::greater:
      return std::is_gt(order);
    case Operator::greater_or_equal:
      return std::is_gteq(order);
  }
  return false;
}

bool VersionRange::read(std::string_view term, All& all) {
  const auto take = [&term](std::string_view sign) {
    if (!term.starts_with(sign)) return false;
    term.remove_prefix(sign.size());
    return true;
  };
  const bool is_caret = take("^");
  const bool is_tilde = !is_caret && take("~");
  const bool at_least = !is_caret && !is_tilde && take(">=");
  const bool at_most = !is_caret && !is_tilde && !at_least && take("<=");
  const bool is_compared = is_caret || is_tilde || at_least || at_most;
  const bool above = !is_compared && take(">");
  const bool below = !is_compared && !above && take("<");
  if (!is_compared && !above && !below) take("=");

  const auto partial = read_partial(term);
  if (!partial) return false;
  const auto& [version, given] = *partial;
  if (given == 0) return !above && !below;  // every version, or none, which is a mistake

  if (at_least) {
    all.push_back({Operator::greater_or_equal, version});
  } else if (above) {
    if (given == 3)
      all.push_back({Operator::greater, version});
    else
      all.push_back({Operator::greater_or_equal, after(version, given), false});
  } else if (below) {
    all.push_back({Operator::less, version});
  } else if (at_most) {
    if (given == 3)
      all.push_back({Operator::less_or_equal, version});
    else
      all.push_back({Operator::less, after(version, given), false});
  } else if (is_caret || is_tilde || given < 3) {
    int kept = std::min(given, 2);
    if (is_caret) {
      // The leftmost number that is not zero must stay.
      if (version.major > 0)
        kept = 1;
      else if (version.minor > 0)
        kept = 2;
      else
        kept = given;
    }
    all.push_back({Operator::greater_or_equal, version});
    all.push_back({Operator::less, after(version, kept), false});
  } else {
    all.push_back({Operator::equal, version});
  }
  return true;
}

std::optional<VersionRange> VersionRange::parse(std::string_view text) {
  if (text.size() > max_range_bytes) return std::nullopt;
  VersionRange range;
  range.text_ = text;
  while (true) {
    const std::size_t end = text.find("||");
    std::string_view terms = text.substr(0, end);
    All all;
    int count = 0;
    while (true) {
      const std::size_t start = terms.find_first_not_of(' ');
      if (start == std::string_view::npos) break;
      terms.remove_prefix(start);
      const std::string_view term = terms.substr(0, terms.find(' '));
      if (!read(term, all)) return std::nullopt;
      terms.remove_prefix(term.size());
      ++count;
    }
    if (count == 0) return std::nullopt;
    range.any_.push_back(std::move(all));
    if (end == std::string_view::npos) return range;
    text.remove_prefix(end + 2);
  }
}

bool VersionRange::matches(const SemanticVersion& version) const noexcept {
  return std::any_of(any_.begin(), any_.end(), [&version](const All& all) {
    if (!std::all_of(all.begin(), all.end(),
                     [&](const Comparator& c) { return c.matches(version); }))
      return false;
    if (version.prerelease.empty()) return true;
    return std::any_of(all.begin(), all.end(), [&](const Comparator& c) {
      return c.is_written && !c.version.prerelease.empty() && c.version.major == version.major &&
             c.version.minor == version.minor && c.version.patch == version.patch;
    });
  });
}

}  // namespace tenon::plugins
