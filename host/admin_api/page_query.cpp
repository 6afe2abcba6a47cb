#include "admin_api/page_query.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "http/parser/request.hpp"

namespace tenon::console {

namespace {

constexpr std::size_t default_page = 50;

}  // namespace

std::size_t read_limit(std::string_view query, std::size_t max, const std::string& code) {
  const std::string text = http::query_value(query, "limit");
  if (text.empty()) return std::min(default_page, max);
  std::size_t limit = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (failure != std::errc{} || end != text.data() + text.size() || limit == 0 || limit > max) {
    const std::string message = "The limit is a number from 1 to " + std::to_string(max) + ".";
    throw base::Error(422, code, message, {{"limit", "invalid", message}});
  }
  return limit;
}

}  // namespace tenon::console
