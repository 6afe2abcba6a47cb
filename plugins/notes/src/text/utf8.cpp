#include "text/utf8.hpp"

namespace notes::text {
namespace {

constexpr char32_t replacement = 0xFFFD;

bool is_continuation(std::string_view text, std::size_t position) noexcept {
  return position < text.size() && (static_cast<unsigned char>(text[position]) & 0xC0U) == 0x80U;
}

constexpr bool is_space(char byte) noexcept {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

}  // namespace

char32_t next_character(std::string_view text, std::size_t& position) noexcept {
  const auto lead = static_cast<unsigned char>(text[position]);
  ++position;
  if (lead < 0x80U) return lead;
  const std::size_t more = lead >= 0xF0U ? 3 : lead >= 0xE0U ? 2 : 1;
  if (lead < 0xC2U || lead > 0xF4U) return replacement;
  char32_t character = lead & (0x3FU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    if (!is_continuation(text, position + i)) return replacement;
    character = (character << 6U) | (static_cast<unsigned char>(text[position + i]) & 0x3FU);
  }
  const bool overlong = (more == 2 && character < 0x800) || (more == 3 && character < 0x10000);
  if (overlong || character > 0x10FFFF || (character >= 0xD800 && character < 0xE000)) {
    return replacement;
  }
  position += more;
  return character;
}

void append_character(std::string& out, char32_t character) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0U | (character >> 6U));
    put(0x80U | (character & 0x3FU));
  } else if (character < 0x10000) {
    put(0xE0U | (character >> 12U));
    put(0x80U | ((character >> 6U) & 0x3FU));
    put(0x80U | (character & 0x3FU));
  } else {
    put(0xF0U | (character >> 18U));
    put(0x80U | ((character >> 12U) & 0x3FU));
    put(0x80U | ((character >> 6U) & 0x3FU));
    put(0x80U | (character & 0x3FU));
  }
}

bool is_valid(std::string_view text) noexcept {
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t begin = position;
    if (next_character(text, position) == replacement && position - begin == 1) return false;
  }
  return true;
}

std::size_t length(std::string_view text) noexcept {
  std::size_t count = 0;
  for (std::size_t position = 0; position < text.size(); ++count)
    next_character(text, position);
  return count;
}

std::string_view first(std::string_view text, std::size_t characters) noexcept {
  std::size_t position = 0;
  for (std::size_t count = 0; count < characters && position < text.size(); ++count) {
    next_character(text, position);
  }
  return text.substr(0, position);
}

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()))
    text.remove_suffix(1);
  return text;
}

bool is_control(char32_t character) noexcept {
  return character < 0x20 || (character >= 0x7F && character < 0xA0) || character == 0x2028 ||
         character == 0x2029;
}

bool has_control(std::string_view text) noexcept {
  for (std::size_t position = 0; position < text.size();) {
    if (is_control(next_character(text, position))) return true;
  }
  return false;
}

bool is_separator(char32_t character) noexcept {
  if (character < 0x80) {
    return !((character >= '0' && character <= '9') || (character >= 'A' && character <= 'Z') ||
             (character >= 'a' && character <= 'z'));
  }
  if (character < 0xC0) {
    // Of Latin-1's upper half only ª ² ³ µ ¹ º ¼ ½ ¾ are letters or numbers.
    return character != 0xAA && character != 0xB2 && character != 0xB3 && character != 0xB5 &&
           character != 0xB9 && character != 0xBA && !(character >= 0xBC && character <= 0xBE);
  }
  return character == 0xD7 || character == 0xF7 ||
         (character >= 0x2000 && character <= 0x206F) ||  // general punctuation
         (character >= 0x20A0 && character <= 0x20CF) ||  // currency
         (character >= 0x2190 && character <= 0x245F) ||  // arrows, operators, technical
         (character >= 0x2500 && character <= 0x2BFF) ||  // boxes, symbols, dingbats
         (character >= 0x3000 && character <= 0x3004) ||  // ideographic punctuation
         (character >= 0x3008 && character <= 0x3020) ||
         (character >= 0xFE00 && character <= 0xFE6F) ||  // variation selectors, small forms
         (character >= 0xFF01 && character <= 0xFF0F) || character == replacement ||
         (character >= 0x1F000 && character <= 0x1FAFF);  // emoji
}

}  // namespace notes::text
