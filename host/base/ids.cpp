#include "base/ids.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>

#include <sodium.h>

#include "base/clock.hpp"

namespace tenon::base {

namespace {

constexpr char hex_digits[] = "0123456789abcdef";

std::string hex_of(std::span<const unsigned char> bytes) {
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const unsigned char byte : bytes) {
    hex += hex_digits[byte >> 4];
    hex += hex_digits[byte & 15];
  }
  return hex;
}

// 48 bits of milliseconds and 12 of a counter, as one number that never repeats or goes back (RFC
// 9562, section 6.2, method 1).
std::uint64_t next_stamp() {
  static std::atomic<std::uint64_t> last{0};
  const auto now = static_cast<std::uint64_t>(unix_milliseconds()) << 12;
  std::uint64_t seen = last.load(std::memory_order_relaxed);
  std::uint64_t next = 0;
  do {
    next = now > seen ? now : seen + 1;
  } while (!last.compare_exchange_weak(seen, next, std::memory_order_relaxed));
  return next;
}

// The kernel is asked for random bytes in blocks, so that an id costs no system call.
void fill_random(unsigned char* out, std::size_t size) {
  struct Pool {
    std::array<unsigned char, 512> bytes;
    std::size_t used = 512;
  };
  thread_local Pool pool;
  if (pool.used + size > pool.bytes.size()) {
    randombytes_buf(pool.bytes.data(), pool.bytes.size());
    pool.used = 0;
  }
  std::memcpy(out, pool.bytes.data() + pool.used, size);
  pool.used += size;
}

}  // namespace

std::string new_id() {
  std::array<unsigned char, 16> bytes;
  const std::uint64_t stamp = next_stamp();
  const std::uint64_t milliseconds = stamp >> 12;
  for (int i = 0; i < 6; ++i)
    bytes[static_cast<std::size_t>(i)] = static_cast<unsigned char>(milliseconds >> (40 - 8 * i));
  bytes[6] = static_cast<unsigned char>(0x70 | ((stamp >> 8) & 0x0F));
  bytes[7] = static_cast<unsigned char>(stamp & 0xFF);
  fill_random(bytes.data() + 8, 8);
  bytes[8] = static_cast<unsigned char>(0x80 | (bytes[8] & 0x3F));

  std::string text(36, '-');
  std::size_t at = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) ++at;
    text[at++] = hex_digits[bytes[i] >> 4];
    text[at++] = hex_digits[bytes[i] & 15];
  }
  return text;
}

bool is_id(std::string_view text) noexcept {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (c != '-') return false;
    } else if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
      return false;
    }
  }
  return true;
}

std::string random_token(std::size_t bytes) {
  std::string raw(bytes, '\0');
  randombytes_buf(raw.data(), raw.size());
  constexpr int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
  std::string text(sodium_base64_encoded_len(bytes, variant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(raw.data()),
                    bytes, variant);
  text.pop_back();
  return text;
}

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest;
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size());
  return hex_of(digest);
}

std::string short_hash(std::string_view text) {
  constexpr std::array<unsigned char, crypto_shorthash_KEYBYTES> key{};
  std::array<unsigned char, crypto_shorthash_BYTES> digest;
  crypto_shorthash(digest.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                   key.data());
  return hex_of(digest);
}

bool equal_in_constant_time(std::string_view left, std::string_view right) noexcept {
  return left.size() == right.size() && sodium_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace tenon::base
