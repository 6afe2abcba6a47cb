#pragma once

#include <string>
#include <vector>

#include <Poco/Net/IPAddress.h>

#include "http/parser/forwarded.hpp"

namespace tenon::http_client {

/// Returns whether an address is one of the public Internet: not of this machine, of a private
/// network, link-local (which includes the metadata services of clouds), multicast, reserved, and
/// no IPv6 form of such an IPv4 address.
bool is_public(const Poco::Net::IPAddress& address);

/// The addresses that plugins may connect to: public ones, and those of networks that the admin
/// named. Immutable.
class ReachableAddresses {
 public:
  /// Each an address or a CIDR block. Throws base::Error that names what is neither.
  explicit ReachableAddresses(const std::vector<std::string>& networks) : networks_(networks) {}

  bool contains(const Poco::Net::IPAddress& address) const {
    return is_public(address) || networks_.contains(address.toString());
  }

 private:
  http::AddressBlocks networks_;
};

}  // namespace tenon::http_client
