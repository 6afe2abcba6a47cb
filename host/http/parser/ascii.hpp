#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tenon::http {

constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

/// Sets of characters.
enum CharacterClass : std::uint8_t {
  token_character = 1,  ///< of a token (RFC 9110, section 5.6.2)
  value_character =
      2,  ///< of a field's value (RFC 9110, section 5.5): no control character but tab
  target_character = 4,      ///< of a request target: visible ASCII without '#'
  name_character = 8,        ///< of a host's name or IPv4 address: letters, digits, "-._~"
  address_character = 16,    ///< of an IPv6 address: letters, digits, ":."
  visible_character = 32,    ///< visible ASCII
  plain_path_character = 64  ///< of a target without '?' and what makes a path worth a second
                             ///< look: "%."
};

namespace detail {

constexpr std::array<std::uint8_t, 256> make_character_classes() noexcept {
  std::array<std::uint8_t, 256> classes{};
  const auto add = [&classes](std::string_view characters, unsigned set) {
    for (const char c : characters)
      classes[static_cast<unsigned char>(c)] |= static_cast<std::uint8_t>(set);
  };
  constexpr std::string_view alphanumeric =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  add(alphanumeric, token_character | name_character | address_character);
  add("!#$%&'*+-.^_`|~", token_character);
  add("-._~", name_character);
  add(":.", address_character);
  for (unsigned c = 0; c < classes.size(); ++c) {
    if (c == '\t' || (c >= 0x20 && c != 0x7F)) classes[c] |= value_character;
    if (c > 0x20 && c < 0x7F) classes[c] |= visible_character;
    if (c > 0x20 && c < 0x7F && c != '#') classes[c] |= target_character;
    if (c > 0x20 && c < 0x7F &&
        std::string_view("#?%.").find(static_cast<char>(c)) == std::string_view::npos)
      classes[c] |= plain_path_character;
  }
  return classes;
}

inline constexpr std::array<std::uint8_t, 256> character_classes = make_character_classes();

}  // namespace detail

constexpr bool is_in(char c, CharacterClass set) noexcept {
  return (detail::character_classes[static_cast<unsigned char>(c)] & set) != 0;
}

/// True for the empty text, too.
constexpr bool all_in(std::string_view text, CharacterClass set) noexcept {
  for (const char c : text) {
    if (!is_in(c, set)) return false;
  }
  return true;
}

/// True when all are value characters, eight at a time.
inline bool is_field_value(std::string_view text) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t high = 0x8080808080808080;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    // A byte under n, where none is over 0x80, borrows from its high bit; one that is 0x7F is
    // 0 under the exclusive or (Bit Twiddling Hacks, "Determine if a word has a byte less than n").
    const std::uint64_t deleted = word ^ (ones * 0x7F);
    const std::uint64_t found =
        (((word - ones * 0x20) & ~word) | ((deleted - ones) & ~deleted)) & high;
    if (found != 0 && !all_in(text.substr(at, 8), value_character)) return false;
  }
  return all_in(text.substr(at), value_character);
}

/// Compares as HTTP compares names: ASCII letters without case.
constexpr bool equals_ignoring_case(std::string_view left, std::string_view right) noexcept {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (to_lower(left[i]) != to_lower(right[i])) return false;
  }
  return true;
}

/// Without spaces and tabs at both ends.
constexpr std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

/// The part before the first `separator`, trimmed; `rest` becomes what follows it.
constexpr std::string_view next_part(std::string_view& rest, char separator) noexcept {
  const std::size_t end = rest.find(separator);
  const std::string_view part = trimmed(rest.substr(0, end));
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return part;
}

/// Value of a hexadecimal digit; -1 for anything else.
constexpr int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Returns the byte that the escape at text[at] ("%2F") represents; -1 when it is broken.
constexpr int escaped_byte(std::string_view text, std::size_t at) noexcept {
  if (at + 2 >= text.size()) return -1;
  const int high = hex_digit(text[at + 1]);
  const int low = hex_digit(text[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace tenon::http
