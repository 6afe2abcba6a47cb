#include "text/keys.hpp"

#include "text/utf8.hpp"

namespace notes::text {
namespace {

/// Latin Extended pairs: upper case at even numbers, except in the runs where it is at odd ones.
char32_t lower_latin_extended(char32_t c) noexcept {
  if (c == 0x130) return 'i';
  if (c == 0x178) return 0xFF;
  const bool upper_is_odd = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E);
  const bool upper_is_even = (c >= 0x100 && c <= 0x137) || (c >= 0x14A && c <= 0x177);
  if (upper_is_odd && c % 2 == 1) return c + 1;
  if (upper_is_even && c % 2 == 0) return c + 1;
  return c;
}

char32_t lower(char32_t c) noexcept {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  if (c < 0x100) return c >= 0xC0 && c <= 0xDE && c != 0xD7 ? c + 32 : c;
  if (c < 0x180) return lower_latin_extended(c);
  if (c == 0x386) return 0x3AC;
  if (c >= 0x388 && c <= 0x38A) return c + 37;
  if (c == 0x38C) return 0x3CC;
  if (c == 0x38E || c == 0x38F) return c + 63;
  if (c >= 0x391 && c <= 0x3AB && c != 0x3A2) return c + 32;
  if (c == 0x3C2) return 0x3C3;  // final sigma
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  if (c >= 0x410 && c <= 0x42F) return c + 32;
  if ((c >= 0x460 && c <= 0x481) || (c >= 0x48A && c <= 0x4BF) || (c >= 0x4D0 && c <= 0x52F)) {
    return c % 2 == 0 ? c + 1 : c;
  }
  if (c >= 0x531 && c <= 0x556) return c + 48;
  if (c >= 0x1E00 && c <= 0x1EFF && !(c >= 0x1E96 && c <= 0x1E9F)) return c % 2 == 0 ? c + 1 : c;
  return c;
}

bool is_white(char32_t c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xA0 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x3000;
}

}  // namespace

std::string fold(std::string_view text) {
  std::string key;
  key.reserve(text.size());
  bool gap = false;
  for (std::size_t position = 0; position < text.size();) {
    const char32_t character = next_character(text, position);
    if (is_white(character)) {
      gap = !key.empty();
      continue;
    }
    if (gap) key += ' ';
    gap = false;
    append_character(key, lower(character));
  }
  return key;
}

}  // namespace notes::text
