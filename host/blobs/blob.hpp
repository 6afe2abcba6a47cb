#pragma once

#include <cstdint>
#include <string>

namespace tenon::blobs {

/// Describes a blob.
struct Blob {
  std::string id;           ///< SHA-256 of the content, 64 lower-case hex digits
  std::uint64_t bytes = 0;  ///< of the content
  std::string type;  ///< media type of an image, found in its first bytes; empty for all else
  std::int64_t created_ms = 0;  ///< since 1970
  std::uint32_t claims = 0;
};

}  // namespace tenon::blobs
