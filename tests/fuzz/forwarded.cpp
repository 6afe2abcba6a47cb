// The headers of a proxy about a client. The first line is the peer; the others are fields in turn
// X-Forwarded-For, X-Forwarded-Proto and, alone, Forwarded.

#include "http/parser/forwarded.hpp"

#include <arpa/inet.h>

#include "property.hpp"

namespace {

using namespace tenon::http;

bool is_address(const std::string& text) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

void check(const AddressBlocks& proxies, std::string_view peer, std::span<const Field> fields) {
  const Origin origin = forwarded_origin(proxies, peer, fields);
  TENON_HOLDS(origin.address == peer || is_address(origin.address));
  TENON_HOLDS(origin.address == peer || origin.address.size() < 46);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const AddressBlocks proxies({"10.0.0.0/8", "2001:db8::/32"});
  std::string_view text = tenon::fuzz::text_of(data, size);
  const std::string_view peer = tenon::fuzz::take_line(text);
  proxies.contains(peer);
  const std::string_view first = tenon::fuzz::take_line(text);
  const std::string_view second = tenon::fuzz::take_line(text);
  const Field fields[] = {
      {"x-forwarded-for", first}, {"x-forwarded-proto", second}, {"x-forwarded-for", text}};
  check(proxies, peer, fields);
  const Field forwarded[] = {{"forwarded", first}, {"forwarded", text}};
  check(proxies, peer, forwarded);
  // A value further right was written by a nearer proxy and decides.
  const std::string appended = std::string(first) + ", 198.51.100.7";
  const Field last[] = {{"x-forwarded-for", appended}};
  TENON_HOLDS(forwarded_origin(proxies, "10.0.0.1", last).address == "198.51.100.7");
  if (is_sane_request_id(first))
    TENON_HOLDS(first.find_first_of(" \"\r\n<") == std::string_view::npos);
  return 0;
}
