#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/parser/request.hpp"

namespace tenon::http {

/// Addresses and networks, such as those of trusted proxies. Immutable.
class AddressBlocks {
 public:
  /// Each an address or a CIDR block; throws base::Error 500 "http.bad_proxy" that names what is
  /// neither.
  explicit AddressBlocks(const std::vector<std::string>& blocks);
  ~AddressBlocks();

  bool is_empty() const noexcept;
  bool contains(std::string_view address) const noexcept;

 private:
  struct Blocks;
  std::unique_ptr<const Blocks> blocks_;
};

/// The address and scheme that a request really came from.
struct Origin {
  std::string address;
  bool is_secure = false;
  bool has_client = false;  ///< the fields name the client; false: `address` is a proxy's
};

/// Reads X-Forwarded-For and X-Forwarded-Proto of a request that a trusted proxy sent, or, where it
/// has neither, Forwarded (RFC 7239): the last address that is not a trusted proxy's. Text that is
/// not an address ends the search at the last good one. The proxy must overwrite the fields it
/// sets, and remove X-Forwarded-* when it sets Forwarded.
Origin forwarded_origin(const AddressBlocks& proxies, std::string_view peer,
                        std::span<const Field> fields);

/// Returns the client that the forwarding fields of a request name last, which no trusted proxy
/// confirms; empty when they name none.
std::string claimed_client(const Request& request);

/// True for addresses of this machine as Request::peer has them: 127.0.0.0/8 and ::1.
bool is_loopback(std::string_view address) noexcept;

/// True for loopback, private (RFC 1918), unique local (RFC 4193) and link-local addresses.
bool is_local_network(std::string_view address);

/// True for 1…64 characters of [A-Za-z0-9._-].
bool is_sane_request_id(std::string_view id) noexcept;

}  // namespace tenon::http
