#include "identity/sessions/token_digest.hpp"

#include <cstddef>

#include <sodium.h>

namespace tenon::identity {

namespace {

constexpr std::size_t remembered = 128;  // 6 KiB a thread

using Tag = std::array<unsigned char, crypto_shorthash_siphashx24_BYTES>;
using TagKey = std::array<unsigned char, crypto_shorthash_siphashx24_KEYBYTES>;

struct Remembered {
  Tag tag{};
  bool is_set = false;
  TokenDigest digest{};
};

const TagKey& tag_key() noexcept {
  static const TagKey key = [] {
    TagKey bytes;
    randombytes_buf(bytes.data(), bytes.size());
    return bytes;
  }();
  return key;
}

}  // namespace

TokenDigest digest_of(std::string_view token) noexcept {
  TokenDigest digest;
  static_assert(sizeof(digest) == crypto_hash_sha256_BYTES);
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(token.data()),
                     token.size());
  return digest;
}

TokenDigest remembered_digest_of(std::string_view token) noexcept {
  thread_local std::array<Remembered, remembered> memory;
  Tag tag;
  crypto_shorthash_siphashx24(tag.data(), reinterpret_cast<const unsigned char*>(token.data()),
                              token.size(), tag_key().data());
  Remembered& entry = memory[tag[0] % remembered];
  if (!entry.is_set || entry.tag != tag) entry = {tag, true, digest_of(token)};
  return entry.digest;
}

std::string hex_of(const TokenDigest& digest) {
  std::string text(digest.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), digest.data(), digest.size());
  text.pop_back();
  return text;
}

std::optional<TokenDigest> digest_from_hex(std::string_view hex) noexcept {
  TokenDigest digest;
  std::size_t length = 0;
  if (sodium_hex2bin(digest.data(), digest.size(), hex.data(), hex.size(), nullptr, &length,
                     nullptr) != 0 ||
      length != digest.size()) {
    return std::nullopt;
  }
  return digest;
}

}  // namespace tenon::identity
