#pragma once

#include <chrono>
#include <cstddef>

namespace tenon::http_client {

/// The fixed bounds of requests to other servers, tested and named in the room's README.
struct Limits {
  static constexpr std::size_t url = 8 * 1024;                   ///< bytes
  static constexpr std::size_t fields = 64;                      ///< of a request
  static constexpr std::size_t field_bytes = 8 * 1024;           ///< name and value of one
  static constexpr std::size_t request_body = 16 * 1024 * 1024;  ///< bytes
  static constexpr int redirects = 5;
  static constexpr int addresses = 4;                ///< of one host that are tried
  static constexpr std::chrono::seconds connect{5};  ///< to one address
  static constexpr int lookups = 64;                 ///< of names, at once
  static constexpr std::size_t head = 64 * 1024;     ///< bytes of a response's head
  static constexpr std::size_t head_fields = 100;    ///< of a response
  static constexpr int interim_responses = 10;       ///< 1xx, before the response
};

}  // namespace tenon::http_client
