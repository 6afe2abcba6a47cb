#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "http/parser/ascii.hpp"

/// Searches over the bytes of a request head, sixteen at a time where the processor can (SSE2,
/// which every x86-64 has), one at a time elsewhere. Nothing beyond the text is ever read or
/// written, so callers give the whole text and a place in it rather than its short end. `plain`
/// holds the same one byte at a time.
namespace tenon::http {

namespace plain {

inline std::size_t find_newline(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && text[at] != '\n')
    ++at;
  return at;
}

template <CharacterClass Set>
std::size_t find_other(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_in(text[at], Set))
    ++at;
  return at;
}

inline std::size_t lower_token(char* text, std::size_t size, std::size_t at) noexcept {
  for (; at < size && is_in(text[at], token_character); ++at)
    text[at] = to_lower(text[at]);
  return at;
}

}  // namespace plain

#if defined(__SSE2__)

namespace detail {

inline __m128i load(const char* from) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
inline __m128i equal(__m128i bytes, char wanted) noexcept {
  return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted));
}
// Bytes of [first, last], unsigned.
inline __m128i between(__m128i bytes, unsigned char first, unsigned char last) noexcept {
  const auto shift = static_cast<char>(0x80 - first);
  const auto end = static_cast<char>(0x80 + (last - first + 1));
  return _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(shift)), _mm_set1_epi8(end));
}
inline unsigned bits(__m128i found) noexcept {
  return static_cast<unsigned>(_mm_movemask_epi8(found));
}

inline __m128i letters_and_digits(__m128i bytes) noexcept {
  const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  return _mm_or_si128(between(lower, 'a', 'z'), between(bytes, '0', '9'));
}

// Those of the set that texts are made of; a byte that is missing here is looked up.
template <CharacterClass Set>
__m128i usual(__m128i bytes) noexcept {
  if constexpr (Set == value_character)
    return _mm_or_si128(between(bytes, 0x20, 0x7E), between(bytes, 0x80, 0xFF));
  else if constexpr (Set == visible_character)
    return between(bytes, 0x21, 0x7E);
  else if constexpr (Set == token_character)
    return _mm_or_si128(letters_and_digits(bytes), equal(bytes, '-'));
  else if constexpr (Set == target_character)
    return _mm_andnot_si128(equal(bytes, '#'), between(bytes, 0x21, 0x7E));
  else if constexpr (Set == plain_path_character)
    return _mm_or_si128(letters_and_digits(bytes),
                        _mm_or_si128(equal(bytes, '/'), equal(bytes, '-')));
  else
    return _mm_or_si128(letters_and_digits(bytes),
                        _mm_or_si128(equal(bytes, '-'), equal(bytes, '.')));
}

}  // namespace detail

/// Returns the position of the first LF at or after `at`; the size if there is none.
inline std::size_t find_newline(std::string_view text, std::size_t at) noexcept {
  if (text.size() < 16) return plain::find_newline(text, at);
  const std::size_t last = text.size() - 16;
  const auto found_at = [&text](std::size_t begin) noexcept {
    return detail::bits(detail::equal(detail::load(text.data() + begin), '\n'));
  };
  for (; at <= last; at += 16) {
    if (const unsigned found = found_at(at); found != 0)
      return at + static_cast<unsigned>(std::countr_zero(found));
  }
  const unsigned found = found_at(last) & (~0U << (at - last));
  return found == 0 ? text.size() : last + static_cast<unsigned>(std::countr_zero(found));
}

/// Returns the position of the first character at or after `at` that is not in the set; the size if
/// there is none.
template <CharacterClass Set>
std::size_t find_other(std::string_view text, std::size_t at) noexcept {
  if (text.size() < 16) return plain::find_other<Set>(text, at);
  const std::size_t last = text.size() - 16;
  const auto others_at = [&text](std::size_t begin) noexcept {
    return ~detail::bits(detail::usual<Set>(detail::load(text.data() + begin))) & 0xFFFF;
  };
  while (at <= last) {
    const unsigned others = others_at(at);
    if (others == 0) {
      at += 16;
      continue;
    }
    at += static_cast<unsigned>(std::countr_zero(others));
    if (!is_in(text[at], Set)) return at;
    ++at;
  }
  if (at == text.size()) return at;
  unsigned others = others_at(last) & (~0U << (at - last));
  for (; others != 0; others &= others - 1) {
    at = last + static_cast<unsigned>(std::countr_zero(others));
    if (!is_in(text[at], Set)) return at;
  }
  return text.size();
}

/// Lower-cases token characters from `at` on. Returns the position of the first other character.
inline std::size_t lower_token(char* text, std::size_t size, std::size_t at) noexcept {
  while (at + 16 <= size) {
    const __m128i bytes = detail::load(text + at);
    const unsigned others = ~detail::bits(detail::usual<token_character>(bytes)) & 0xFFFF;
    const auto count = static_cast<unsigned>(std::countr_zero(others | 0x10000));
    // Bytes after the token stay as they are.
    const __m128i order = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i is_of_it = _mm_cmplt_epi8(order, _mm_set1_epi8(static_cast<char>(count)));
    const __m128i capital = _mm_and_si128(detail::between(bytes, 'A', 'Z'), is_of_it);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(text + at),
                     _mm_or_si128(bytes, _mm_and_si128(capital, _mm_set1_epi8(0x20))));
    at += count;
    if (count == 16) continue;
    if (!is_in(text[at], token_character)) return at;
    ++at;  // one that is not usual has no case
  }
  return plain::lower_token(text, size, at);
}

#else

using plain::find_newline;
using plain::find_other;
using plain::lower_token;

#endif

/// True when the text is exactly the literal.
template <std::size_t Size>
bool is_text(std::string_view text, const char (&literal)[Size]) noexcept {
  return text.size() == Size - 1 && std::memcmp(text.data(), literal, Size - 1) == 0;
}

}  // namespace tenon::http
