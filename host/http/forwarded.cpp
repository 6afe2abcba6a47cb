#include "http/forwarded.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <Poco/Net/IPAddress.h>

#include "base/error.hpp"
#include "http/ascii.hpp"

namespace tenon::http {

using Poco::Net::IPAddress;

struct TrustedProxies::Blocks {
  std::vector<std::pair<IPAddress, IPAddress>> networks;  // address, mask
};

namespace {

bool parse_address(std::string_view text, IPAddress& address) noexcept {
  try {
    return IPAddress::tryParse(std::string(text), address);
  } catch (...) {
    return false;
  }
}

// "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]:80", "\"[2001:db8::1]\"" without what surrounds the
// address.
std::string_view bare_address(std::string_view node) noexcept {
  if (node.size() >= 2 && node.front() == '"' && node.back() == '"')
    node = node.substr(1, node.size() - 2);
  if (node.starts_with('[')) return node.substr(1, node.find(']') - 1);
  if (node.find(':') == node.rfind(':')) return node.substr(0, node.find(':'));
  return node;
}

// One element of Forwarded: parameters split by ';'.
std::string_view parameter(std::string_view element, std::string_view name) {
  while (!element.empty()) {
    const std::string_view pair = next_part(element, ';');
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && equals_ignoring_case(pair.substr(0, equals), name))
      return pair.substr(equals + 1);
  }
  return {};
}

}  // namespace

TrustedProxies::TrustedProxies(const std::vector<std::string>& blocks) {
  auto parsed = std::make_unique<Blocks>();
  for (const std::string& block : blocks) {
    const std::size_t slash = block.find('/');
    IPAddress address;
    bool is_good = parse_address(std::string_view(block).substr(0, slash), address);
    unsigned bits = is_good ? static_cast<unsigned>(address.length()) * 8 : 0;
    if (is_good && slash != std::string::npos) {
      unsigned prefix = 0;
      const char* end = block.data() + block.size();
      const auto result = std::from_chars(block.data() + slash + 1, end, prefix);
      is_good = result.ec == std::errc{} && result.ptr == end && prefix <= bits;
      bits = prefix;
    }
    if (!is_good)
      throw base::Error(500, "http.bad_proxy",
                        "\"" + block + "\" is neither an address nor a CIDR block.");
    const IPAddress mask(bits, address.family());
    parsed->networks.emplace_back(address & mask, mask);
  }
  blocks_ = std::move(parsed);
}

TrustedProxies::~TrustedProxies() = default;

bool TrustedProxies::is_empty() const noexcept {
  return blocks_->networks.empty();
}

bool TrustedProxies::contains(std::string_view text) const noexcept {
  IPAddress address;
  if (is_empty() || !parse_address(text, address)) return false;
  for (const auto& [network, mask] : blocks_->networks) {
    if (address.family() == network.family() && (address & mask) == network) return true;
  }
  return false;
}

Origin forwarded_origin(const TrustedProxies& proxies, std::string_view peer,
                        std::span<const Field> fields) {
  Origin origin{std::string(peer), false};
  const bool has_x = std::any_of(fields.begin(), fields.end(), [](const Field& field) {
    return field.name == "x-forwarded-for" || field.name == "x-forwarded-proto";
  });
  std::vector<std::string_view> hops;
  std::string_view scheme;
  for (const Field& field : fields) {
    const bool is_forwarded = !has_x && field.name == "forwarded";
    const bool is_for = field.name == "x-forwarded-for";
    const bool is_scheme = field.name == "x-forwarded-proto";
    if (!is_forwarded && !is_for && !is_scheme) continue;
    for (std::string_view rest = field.value; !rest.empty();) {
      const std::string_view element = next_part(rest, ',');
      if (is_for) hops.push_back(element);
      if (is_forwarded) hops.push_back(parameter(element, "for"));
      // What the nearest proxy wrote stands last; further left anybody may have written.
      if (!is_for) scheme = is_scheme ? element : parameter(element, "proto");
    }
  }
  origin.is_secure = equals_ignoring_case(scheme, "https");
  for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
    const std::string_view text = bare_address(*hop);
    IPAddress address;
    if (!parse_address(text, address)) break;
    origin.address = address.toString();
    if (!proxies.contains(text)) break;
  }
  return origin;
}

bool is_sane_request_id(std::string_view id) noexcept {
  if (id.empty() || id.size() > 64) return false;
  for (const char c : id) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_plain && c != '.' && c != '_' && c != '-') return false;
  }
  return true;
}

}  // namespace tenon::http
