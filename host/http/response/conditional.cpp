#include "http/response/conditional.hpp"

#include <algorithm>
#include <cstddef>

#include "base/clock.hpp"
#include "http/parser/ascii.hpp"
#include "http/parser/request.hpp"

namespace tenon::http {

namespace {

// Takes the first entity tag from the list: [W/]"…". Empty when there is none.
std::string_view take_etag(std::string_view& list) noexcept {
  const std::size_t open = list.starts_with("W/") ? 2 : 0;
  if (list.size() < open + 2 || list[open] != '"') return {};
  const std::size_t close = list.find('"', open + 1);
  if (close == std::string_view::npos) return {};
  const std::string_view tag = list.substr(0, close + 1);
  list.remove_prefix(close + 1);
  return tag;
}

// False when there is no digit or the number does not fit.
bool take_number(std::string_view& text, std::uint64_t& number) noexcept {
  std::size_t digits = 0;
  number = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    if (digits == 18) return false;
    number = number * 10 + static_cast<std::uint64_t>(text[digits++] - '0');
  }
  text.remove_prefix(digits);
  return digits > 0;
}

}  // namespace

bool matches_etag(std::string_view list, std::string_view etag, bool is_weak_comparison) noexcept {
  list = trimmed(list);
  if (list == "*") return true;
  const bool is_weak = etag.starts_with("W/");
  if (is_weak) etag.remove_prefix(2);
  while (!list.empty()) {
    std::string_view tag = take_etag(list);
    if (tag.empty()) return false;
    const bool is_weak_tag = tag.starts_with("W/");
    if (is_weak_tag) tag.remove_prefix(2);
    if (tag == etag && (is_weak_comparison || (!is_weak && !is_weak_tag))) return true;
    list = trimmed(list);
    if (list.empty()) return false;
    if (list.front() != ',') return false;
    list = trimmed(list.substr(1));
  }
  return false;
}

bool is_not_modified(const Request& request, std::string_view etag,
                     std::int64_t modified) noexcept {
  const std::string_view tags = request.field("if-none-match");
  if (!tags.empty()) return matches_etag(tags, etag, true);
  const std::string_view since = request.field("if-modified-since");
  if (since.empty()) return false;
  const std::int64_t time = base::parse_http_date(since);
  return time >= 0 && modified <= time;
}

RangeKind parse_range(std::string_view value, std::uint64_t size, ByteRange& range) noexcept {
  if (value.size() < 6 || !equals_ignoring_case(value.substr(0, 6), "bytes="))
    return RangeKind::whole;
  value = trimmed(value.substr(6));
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (value.starts_with('-')) {
    value.remove_prefix(1);
    if (!take_number(value, last) || !value.empty()) return RangeKind::whole;
    if (last == 0 || size == 0) return RangeKind::unsatisfiable;
    range.size = std::min(last, size);
    range.first = size - range.size;
    return RangeKind::part;
  }
  if (!take_number(value, first) || !value.starts_with('-')) return RangeKind::whole;
  value.remove_prefix(1);
  if (value.empty()) {
    last = size;
  } else if (!take_number(value, last) || !value.empty() || last < first) {
    return RangeKind::whole;
  }
  if (first >= size) return RangeKind::unsatisfiable;
  range.first = first;
  range.size = std::min(last, size - 1) - first + 1;
  return RangeKind::part;
}

RangeKind requested_range(const Request& request, std::uint64_t size, std::string_view etag,
                          std::int64_t modified, ByteRange& range) noexcept {
  const std::string_view value = request.field("range");
  if (value.empty() || request.method != Method::get) return RangeKind::whole;
  const std::string_view condition = request.field("if-range");
  if (!condition.empty()) {
    const bool is_tag = condition.find('"') != std::string_view::npos;
    const bool holds = is_tag ? matches_etag(condition, etag, false)
                              : base::parse_http_date(condition) == modified;
    if (!holds) return RangeKind::whole;
  }
  return parse_range(value, size, range);
}

}  // namespace tenon::http
