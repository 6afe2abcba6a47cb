#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tenon::http_client {

/// A request that got no response. what() is a sentence for the admin, which names no URL.
class Failure : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t {
    unreachable,      ///< no address, no connection, no TLS, or the connection was lost
    address_refused,  ///< its host has no address that may be connected to
    invalid,          ///< the response is not HTTP, is cut off, or exceeds a limit of its head
    too_large,        ///< the content of the response exceeds its limit
    timeout,          ///< the deadline passed
    cancelled         ///< its owner asked to stop
  };

  Failure(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

}  // namespace tenon::http_client
