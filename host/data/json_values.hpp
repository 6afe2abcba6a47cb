#pragma once

#include <charconv>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "base/json_writer.hpp"
#include "data/json_rows.hpp"

// Writes the values of rows as JSON text, for both engines.
namespace tenon::data {

/// Writes all digits of an integer, or the shortest form of a number.
template <typename Number>
[[gnu::always_inline]] inline void put_number(JsonText& text, Number number) {
  constexpr std::size_t digits = 32;
  char* at = text.reserve(digits);
  text.end(std::to_chars(at, at + digits, number).ptr);
}

inline constexpr std::size_t json_text_piece = 4096;

/// Writes `key` and then the string. Always inlined, because every text of a list is written here.
[[gnu::always_inline]] inline void put_string(JsonText& text, std::string_view key,
                                              std::string_view value) {
  if (value.size() <= json_text_piece) {
    char* at = text.reserve(key.size() + base::json_string_room(value.size()) + 2);
    std::memcpy(at, key.data(), key.size());
    at += key.size();
    *at++ = '"';
    at = base::write_json_string(at, value);
    *at++ = '"';
    text.end(at);
    return;
  }
  text.put(key);
  text.put('"');
  // A piece ends before a character, so that no character is split.
  while (value.size() > json_text_piece) {
    std::size_t size = json_text_piece;
    while (size > json_text_piece - 4 && (static_cast<unsigned char>(value[size]) & 0xC0) == 0x80)
      --size;
    text.end(
        base::write_json_string(text.reserve(base::json_string_room(size)), value.substr(0, size)));
    value.remove_prefix(size);
  }
  text.end(base::write_json_string(text.reserve(base::json_string_room(value.size()) + 1), value));
  text.put('"');
}

/// Writes base64 (RFC 4648, padded) in quotes.
void put_base64(JsonText& text, std::string_view bytes);

/// Writes `value` unchanged. Throws 500 data.sql if it is not JSON. `key`: the member, for the
/// error.
void put_json(JsonText& text, std::string_view value, std::string_view key);

/// Throws 413 data.too_large.
[[noreturn]] void throw_json_too_large();

/// Throws if the text is too large. Call it after each row.
inline void check_json_size(const JsonText& text) {
  if (text.size() > max_json_bytes) throw_json_too_large();
}

}  // namespace tenon::data
