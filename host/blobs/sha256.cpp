#include "blobs/sha256.hpp"

#include <algorithm>
#include <array>

namespace tenon::blobs {

void Sha256::add(std::string_view bytes) noexcept {
  crypto_hash_sha256_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                            bytes.size());
}

std::string Sha256::hex() const {
  crypto_hash_sha256_state state = state_;
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest;
  crypto_hash_sha256_final(&state, digest.data());
  std::string text(digest.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), digest.data(), digest.size());
  text.pop_back();
  return text;
}

bool is_blob_id(std::string_view text) noexcept {
  return text.size() == crypto_hash_sha256_BYTES * 2 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace tenon::blobs
