#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <sys/random.h>

namespace tenon {

namespace detail {

/// Returns 48 bits of milliseconds and 12 bits of a counter as one number. The numbers strictly
/// increase (RFC 9562, section 6.2).
inline std::uint64_t next_stamp() noexcept {
  static constinit std::atomic<std::uint64_t> last{0};
  const auto now =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count())
      << 12;
  std::uint64_t seen = last.load(std::memory_order_relaxed);
  std::uint64_t next = 0;
  do {
    next = now > seen ? now : seen + 1;
  } while (!last.compare_exchange_weak(seen, next, std::memory_order_relaxed));
  return next;
}

/// Random bytes of the kernel, fetched in blocks. A trivial type: a destructor would keep the
/// library mapped.
struct RandomPool {
  std::array<unsigned char, 256> bytes;
  std::size_t used;
};
inline constinit thread_local RandomPool random_pool{{}, sizeof(RandomPool::bytes)};

inline void random_bytes(unsigned char* out, std::size_t size) noexcept {
  RandomPool& pool = random_pool;
  if (pool.used + size > pool.bytes.size()) {
    // Requests of up to 256 bytes are never partial or interrupted after the kernel has its
    // entropy: getrandom(2).
    while (getrandom(pool.bytes.data(), pool.bytes.size(), 0) !=
           static_cast<ssize_t>(pool.bytes.size())) {
    }
    pool.used = 0;
  }
  std::memcpy(out, pool.bytes.data() + pool.used, size);
  pool.used += size;
}

}  // namespace detail

/// Returns a new sortable 128-bit id: a UUIDv7 (RFC 9562, section 5.7) as 36 lower-case characters.
/// The ids of one process strictly increase. Thread-safe.
inline std::string new_id() {
  std::array<unsigned char, 16> bytes;
  const std::uint64_t stamp = detail::next_stamp();
  for (std::size_t i = 0; i < 6; ++i)
    bytes[i] = static_cast<unsigned char>(stamp >> (52 - 8 * i));
  bytes[6] = static_cast<unsigned char>(0x70 | (stamp >> 8 & 0x0F));
  bytes[7] = static_cast<unsigned char>(stamp);
  detail::random_bytes(bytes.data() + 8, 8);
  bytes[8] = static_cast<unsigned char>(0x80 | (bytes[8] & 0x3F));

  std::string text(36, '-');
  std::size_t at = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) ++at;
    text[at++] = "0123456789abcdef"[bytes[i] >> 4];
    text[at++] = "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

/// Returns true if `text` is a UUID of any version in lower case.
inline bool is_id(std::string_view text) noexcept {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

}  // namespace tenon
