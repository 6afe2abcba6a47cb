#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tenon::detail {

inline int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Decodes application/x-www-form-urlencoded. A '%' that begins no escape is kept.
inline std::string decode_query(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      decoded += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
               hex_value(text[i + 2]) >= 0) {
      decoded += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

/// Calls `visit(name, value)` with each pair as sent, until it returns false.
template <class F>
void for_each_pair(std::string_view query, F&& visit) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    if (!visit(pair.substr(0, equals), value)) return;
  }
}

inline std::optional<std::string> find_query(std::string_view query, std::string_view name) {
  std::optional<std::string> found;
  for_each_pair(query, [&](std::string_view key, std::string_view value) {
    if (decode_query(key) != name) return true;
    found = decode_query(value);
    return false;
  });
  return found;
}

inline std::vector<std::string> find_all_query(std::string_view query, std::string_view name) {
  std::vector<std::string> found;
  for_each_pair(query, [&](std::string_view key, std::string_view value) {
    if (decode_query(key) == name) found.push_back(decode_query(value));
    return true;
  });
  return found;
}

/// Parses the whole text as a number, without spaces; "true", "false", "1" and "0" as bool.
template <std::integral T>
std::optional<T> to_number(std::string_view text) noexcept {
  if constexpr (std::same_as<T, bool>) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    return std::nullopt;
  } else {
    T value{};
    const char* const last = text.data() + text.size();
    const auto [end, failure] = std::from_chars(text.data(), last, value);
    if (failure != std::errc() || end != last) return std::nullopt;
    return value;
  }
}

inline bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
  if (left.size() != right.size()) return false;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (lower(left[i]) != lower(right[i])) return false;
  }
  return true;
}

}  // namespace tenon::detail
