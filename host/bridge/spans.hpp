#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <tenon/abi.h>

namespace tenon::plugins {

/// Longest run of bytes that any function of the ABI takes at once.
inline constexpr std::uint64_t max_span_bytes = std::uint64_t{1} << 30;

inline bool is_sound(tenon_span span) noexcept {
  return span.size <= max_span_bytes && (span.data || span.size == 0);
}

/// Returns the bytes; call it for sound spans only.
inline std::string_view view(tenon_span span) noexcept {
  return span.size == 0 ? std::string_view() : std::string_view(span.data, span.size);
}

inline tenon_span span(std::string_view text) noexcept {
  return {text.data(), text.size()};
}

/// Copies a struct that begins with `size` to its receiver, which may be compiled with a shorter or
/// a longer one. Writes no byte beyond the receiver's `size`, which stays. The rest of a longer
/// struct is not changed.
template <typename Struct>
void copy_out(Struct* taker, const Struct& filled) noexcept {
  static_assert(std::is_trivially_copyable_v<Struct> && offsetof(Struct, size) == 0);
  const std::size_t whole = taker->size < sizeof(Struct) ? taker->size : sizeof(Struct);
  constexpr std::size_t head = sizeof(taker->size);
  if (whole <= head) return;
  std::memcpy(reinterpret_cast<char*>(taker) + head, reinterpret_cast<const char*>(&filled) + head,
              whole - head);
}

/// Copies a struct that begins with `size` from its sender: members that the sender does not know
/// are zero.
template <typename Struct>
Struct copy_in(const Struct* giver) noexcept {
  static_assert(std::is_trivially_copyable_v<Struct> && offsetof(Struct, size) == 0);
  Struct known;
  // Nearly every plugin knows the whole struct: that copy is a few instructions.
  if (giver->size >= sizeof(Struct)) {
    std::memcpy(static_cast<void*>(&known), giver, sizeof(Struct));
    return known;
  }
  known = Struct{};
  std::memcpy(static_cast<void*>(&known), giver, giver->size);
  return known;
}

}  // namespace tenon::plugins
