#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tenon::blobs {

/// Bounds that can be configured; the README of this room names the response beyond each.
struct Limits {
  std::uint64_t blob = std::uint64_t{4} << 30;     ///< bytes of one blob → 413
  std::uint64_t plugin = std::uint64_t{64} << 30;  ///< bytes of all blobs of a plugin, unfinished
                                                   ///< uploads with their whole length → 507
  std::size_t uploads = 16;                        ///< unfinished uploads of a user → 429
  std::chrono::milliseconds grace_period{24 * 3600 *
                                         1000};        ///< a blob without a claim is kept so long
  std::chrono::milliseconds upload{24 * 3600 * 1000};  ///< an upload is kept so long
};

inline constexpr std::size_t max_key_bytes = 200;        ///< of a claim → 422
inline constexpr std::size_t max_claims = 10'000;        ///< of one key → 422
inline constexpr std::size_t max_file_name_bytes = 255;  ///< of an upload → 400

}  // namespace tenon::blobs
