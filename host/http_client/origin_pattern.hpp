#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::http_client {

struct Url;

/// An entry of `outgoing` in plugin.json: the servers that a plugin may send requests to.
///
///   https://api.example.com          this host, at port 443
///   http://localhost:8080            this host, at this port
///   https://*.example.com            every host below example.com, but not example.com
///   https://*:*                      every host, at every port
class OriginPattern {
 public:
  /// Throws std::invalid_argument with a phrase that completes "must be …".
  explicit OriginPattern(std::string_view text);

  bool matches(const Url& url) const noexcept;
  /// Returns whether requests to a named host of the Internet are not encrypted.
  bool is_unprotected() const noexcept;

 private:
  bool is_secure_ = false;
  std::string host_;        // in lower case; "*", or begins with "*."
  std::uint16_t port_ = 0;  // 0: any
};

}  // namespace tenon::http_client
