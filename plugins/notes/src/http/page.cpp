#include "http/page.hpp"

#include <charconv>

#include <tenon/id.hpp>
#include <tenon/json.hpp>

#include "http/routes.hpp"
#include "store/problems.hpp"

namespace notes::http {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const auto high = hex_digits.find(hex[i]);
    const auto low = hex_digits.find(hex[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

}  // namespace

std::int64_t limit_of(const tenon::Request& request, std::int64_t fallback,
                      std::int64_t max_limit) {
  const auto text = request.query("limit");
  if (!text) return fallback;
  const auto limit = number(*text);
  if (!limit || *limit < 1 || *limit > max_limit) throw bad_query("limit");
  return *limit;
}

std::optional<std::vector<std::string>> cursor_of(const tenon::Request& request,
                                                  std::size_t count) {
  const auto text = request.query("cursor");
  if (!text) return std::nullopt;
  const auto bytes = from_hex(*text);
  const auto json = bytes ? tenon::Json::parse(*bytes, nullptr, false) : tenon::Json();
  if (!json.is_array() || json.size() != count) throw bad_query("cursor");
  std::vector<std::string> parts;
  for (const auto& part : json) {
    if (!part.is_string()) throw bad_query("cursor");
    parts.push_back(part.get<std::string>());
  }
  return parts;
}

std::string make_cursor(const std::vector<std::string>& parts) {
  std::string cursor;
  for (const char c : tenon::to_text(tenon::Json(parts))) {
    const auto byte = static_cast<unsigned char>(c);
    cursor += hex_digits[byte >> 4U];
    cursor += hex_digits[byte & 0xFU];
  }
  return cursor;
}

std::optional<std::int64_t> if_match(const tenon::Request& request) {
  const auto header = request.header("if-match");
  if (!header) return std::nullopt;
  const bool is_quoted = header->size() > 2 && header->front() == '"' && header->back() == '"';
  const auto version = is_quoted ? number(header->substr(1, header->size() - 2)) : std::nullopt;
  if (!version) throw bad_query("If-Match");
  return version;
}

store::Reader reader_of(const tenon::Request& request) {
  return {std::string(request.user_id()), request.groups()};
}

std::string path_id(const tenon::Request& request, std::string_view name) {
  const std::string_view id = request.param(name);
  if (!tenon::is_id(id)) throw not_found();
  return std::string(id);
}

}  // namespace notes::http
