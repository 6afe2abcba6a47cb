#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tenon/abi.h>

namespace tenon::detail {

inline std::string_view view(tenon_span span) noexcept {
  return span.data == nullptr ? std::string_view()
                              : std::string_view(span.data, static_cast<std::size_t>(span.size));
}

constexpr tenon_span span(std::string_view text) noexcept {
  return {text.data(), text.size()};
}

/// Returns the zero-terminated text in a fixed array.
template <std::size_t N>
std::string_view text_of(const char (&buffer)[N]) noexcept {
  const void* end = std::memchr(buffer, 0, N);
  return {buffer,
          end == nullptr ? N : static_cast<std::size_t>(static_cast<const char*>(end) - buffer)};
}

/// Copies as much text as fits, zero-terminated, without splitting a UTF-8 character.
template <std::size_t N>
void copy_text(char (&buffer)[N], std::string_view text) noexcept {
  std::size_t size = std::min(text.size(), N - 1);
  if (size < text.size()) {
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
      --size;
  }
  if (size != 0) std::memcpy(buffer, text.data(), size);
  buffer[size] = '\0';
}

}  // namespace tenon::detail
