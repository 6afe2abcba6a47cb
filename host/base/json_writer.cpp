#include "base/json_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/utf8.hpp"

namespace tenon::base {

namespace {

#if defined(__SSE2__)
constexpr std::size_t block_bytes = 16;

template <typename Word>
std::uint64_t load(const char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// The first `size` (less than 16) bytes of a block; the rest is 0. Reads nothing after them.
__m128i load_part(const char* text, std::size_t size) noexcept {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (size >= 8) {
    low = load<std::uint64_t>(text);
    // Two loads that overlap: what the first has already is shifted out.
    if (size > 8) high = load<std::uint64_t>(text + size - 8) >> 8 * (block_bytes - size);
  } else if (size >= 4) {
    low = load<std::uint32_t>(text) | load<std::uint32_t>(text + size - 4) << 8 * (size - 4);
  } else {
    for (std::size_t i = 0; i < size; ++i)
      low |= std::uint64_t{static_cast<unsigned char>(text[i])} << 8 * i;
  }
  return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
}

// Copies a block. Returns a bit for each byte of it that needs an escape, the lowest for the first.
inline unsigned copy_block(char* out, __m128i block) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), block);
  const auto is = [&](char byte) { return _mm_cmpeq_epi8(block, _mm_set1_epi8(byte)); };
  // One more, and signed: 0x7F and all bytes from 0x80 on are at most 0x20 too.
  const __m128i control =
      _mm_cmplt_epi8(_mm_add_epi8(block, _mm_set1_epi8(1)), _mm_set1_epi8(0x21));
  return static_cast<unsigned>(_mm_movemask_epi8(
      _mm_or_si128(_mm_or_si128(control, is('"')), _mm_or_si128(is('\\'), is('<')))));
}

// Copies text. Returns how many of its bytes, from the first on, need no escape. The output has
// space for 16 more bytes.
inline std::size_t copy_plain(char* out, const char* text, std::size_t size) noexcept {
  std::size_t at = 0;
  for (; at + block_bytes <= size; at += block_bytes) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
    if (const unsigned mask = copy_block(out + at, block); mask != 0)
      return at + static_cast<std::size_t>(std::countr_zero(mask));
  }
  if (at == size) return at;
  if (at != 0) {
    // A whole block again, whose first bytes are written already.
    at = size - block_bytes;
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
    const unsigned mask = copy_block(out + at, block);
    return mask == 0 ? size : at + static_cast<std::size_t>(std::countr_zero(mask));
  }
  // The bytes after the part are 0, which always needs an escape.
  const unsigned mask = copy_block(out, load_part(text, size));
  return static_cast<std::size_t>(std::countr_zero(mask));
}
#else
bool is_plain(unsigned char byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\' && byte != '<' && byte != 0x7F;
}

std::size_t copy_plain(char* out, const char* text, std::size_t size) noexcept {
  std::size_t plain = 0;
  for (; plain < size && is_plain(static_cast<unsigned char>(text[plain])); ++plain)
    out[plain] = text[plain];
  return plain;
}
#endif

char* write_text(char* out, std::string_view text) noexcept {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

char* write_escape(char* out, unsigned char byte) noexcept {
  switch (byte) {
    case '"':
      return write_text(out, "\\\"");
    case '\\':
      return write_text(out, "\\\\");
    case '\n':
      return write_text(out, "\\n");
    case '\r':
      return write_text(out, "\\r");
    case '\t':
      return write_text(out, "\\t");
    default:
      break;
  }
  static constexpr char digits[] = "0123456789abcdef";
  out = write_text(out, "\\u00");
  *out++ = digits[byte >> 4];
  *out++ = digits[byte & 15];
  return out;
}

}  // namespace

char* write_json_string(char* out, std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t plain = copy_plain(out, text.data() + at, text.size() - at);
    at += plain;
    out += plain;
    if (at == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      out = write_escape(out, byte);
      ++at;
      continue;
    }
    for (; at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80;) {
      const std::size_t length = utf8_sequence_length(text, at);
      out = write_text(out, length == 0 ? "\xEF\xBF\xBD" : text.substr(at, length));
      at += length == 0 ? 1 : length;
    }
  }
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  // Pieces that fit the stack; one ends in front of a character, not inside.
  constexpr std::size_t piece_bytes = 512;
  std::array<char, json_string_room(piece_bytes)> piece;
  out += '"';
  while (!text.empty()) {
    std::size_t size = std::min(text.size(), piece_bytes);
    while (size < text.size() && size > piece_bytes - 4 &&
           (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
      --size;
    const char* end = write_json_string(piece.data(), text.substr(0, size));
    out.append(piece.data(), static_cast<std::size_t>(end - piece.data()));
    text.remove_prefix(size);
  }
  out += '"';
}

void JsonWriter::separate() {
  if (out_.empty()) return;
  const char last = out_.back();
  // No JSON value ends in white space: after it a new text begins (a line, an event's "data: ").
  const bool begins =
      last == '{' || last == '[' || last == ':' || last == ',' || last == ' ' || last == '\n';
  if (!begins) out_ += ',';
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  out_ += '{';
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  out_ += '}';
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  out_ += '[';
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  out_ += ']';
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) {
  separate();
  out_ += flag ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  std::array<char, 32> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out_.append(digits.data(), result.ptr);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
  separate();
  std::array<char, 24> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out_.append(digits.data(), result.ptr);
  return *this;
}

JsonWriter& JsonWriter::unsigned_integer(std::uint64_t number) {
  separate();
  std::array<char, 24> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out_.append(digits.data(), result.ptr);
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace tenon::base
