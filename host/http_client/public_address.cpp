#include "http_client/public_address.hpp"

#include <cstring>

#include <netinet/in.h>

namespace tenon::http_client {

namespace {

namespace net = Poco::Net;

// The IANA registries of special-purpose addresses, and multicast.
const http::AddressBlocks& special_blocks() {
  static const http::AddressBlocks blocks(
      {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
       "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
       "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "2001::/23",
       "2001:db8::/32", "2002::/16", "3fff::/20"});
  return blocks;
}

// The IPv4 address inside an address for translation (64:ff9b::/96).
net::IPAddress translated(const net::IPAddress& address) {
  constexpr std::size_t prefix = 12;
  in_addr four{};
  std::memcpy(&four, static_cast<const char*>(static_cast<const void*>(address.addr())) + prefix,
              sizeof four);
  return {&four, sizeof four};
}

}  // namespace

bool is_public(const net::IPAddress& address) {
  static const http::AddressBlocks global({"2000::/3"});
  static const http::AddressBlocks nat64({"64:ff9b::/96"});
  static const http::AddressBlocks ipv4({"0.0.0.0/0"});
  const std::string text = address.toString();
  if (special_blocks().contains(text)) return false;
  if (nat64.contains(text)) return is_public(translated(address));
  return ipv4.contains(text) || global.contains(text);
}

}  // namespace tenon::http_client
