#pragma once

#include <string>
#include <string_view>

#include <sodium.h>

namespace tenon::blobs {

/// Computes SHA-256 of data that comes in pieces. A copy continues from the state of the original.
class Sha256 {
 public:
  Sha256() noexcept { crypto_hash_sha256_init(&state_); }

  void add(std::string_view bytes) noexcept;
  /// 64 lower-case hex digits of what came so far; more may come.
  std::string hex() const;

 private:
  crypto_hash_sha256_state state_;
};

/// True for 64 lower-case hex digits: what may name a blob, and a file.
bool is_blob_id(std::string_view text) noexcept;

}  // namespace tenon::blobs
