#include "http/parser/forwarded.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include <arpa/inet.h>

#include "base/error.hpp"
#include "http/parser/ascii.hpp"

namespace tenon::http {

namespace {

// IPv4 is in its mapped form, as the kernel has it on a socket for both.
using Address = std::array<unsigned char, 16>;
constexpr Address mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr std::size_t mapped_prefix = 12;

bool is_mapped(const Address& address) noexcept {
  return std::memcmp(address.data(), mapped.data(), mapped_prefix) == 0;
}

// The dotted and the colon form and nothing else: no "1" or "0x7f.1", which older readers take.
std::optional<Address> parse_address(std::string_view text) noexcept {
  std::array<char, INET6_ADDRSTRLEN> zero_terminated{};
  if (text.size() >= zero_terminated.size() || text.find('\0') != std::string_view::npos)
    return std::nullopt;
  std::copy(text.begin(), text.end(), zero_terminated.begin());
  Address address = mapped;
  if (inet_pton(AF_INET, zero_terminated.data(), address.data() + mapped_prefix) == 1)
    return address;
  if (inet_pton(AF_INET6, zero_terminated.data(), address.data()) == 1) return address;
  return std::nullopt;
}

std::string text_of(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool is_four = is_mapped(address);
  inet_ntop(is_four ? AF_INET : AF_INET6, address.data() + (is_four ? mapped_prefix : 0),
            text.data(), text.size());
  return text.data();
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

struct AddressBlocks::Blocks {
  struct Block {
    Address address;
    unsigned bits;  // of the address that are the network's

    bool contains(const Address& other) const noexcept {
      const std::size_t whole = bits / 8;
      if (std::memcmp(address.data(), other.data(), whole) != 0) return false;
      if (bits % 8 == 0) return true;
      const auto mask = static_cast<unsigned char>(0xFF << (8 - bits % 8));
      return ((address[whole] ^ other[whole]) & mask) == 0;
    }
  };
  std::vector<Block> networks;
};

AddressBlocks::AddressBlocks(const std::vector<std::string>& blocks) {
  auto parsed = std::make_unique<Blocks>();
  for (const std::string& block : blocks) {
    const std::size_t slash = block.find('/');
    const std::string_view text = std::string_view(block).substr(0, slash);
    const std::optional<Address> address = parse_address(text);
    bool is_good = address.has_value();
    unsigned bits = 128;
    if (is_good && slash != std::string::npos) {
      const unsigned before = text.find(':') == std::string_view::npos ? 96 : 0;
      unsigned prefix = 0;
      const char* end = block.data() + block.size();
      const auto result = std::from_chars(block.data() + slash + 1, end, prefix);
      is_good = result.ec == std::errc{} && result.ptr == end && prefix <= 128 - before;
      bits = before + prefix;
    }
    if (!is_good)
      throw base::Error(500, "http.bad_proxy",
                        "\"" + block + "\" is neither an address nor a CIDR block.");
    parsed->networks.push_back({*address, bits});
  }
  blocks_ = std::move(parsed);
}

AddressBlocks::~AddressBlocks() = default;

bool AddressBlocks::is_empty() const noexcept {
  return blocks_->networks.empty();
}

bool AddressBlocks::contains(std::string_view text) const noexcept {
  if (is_empty()) return false;
  const std::optional<Address> address = parse_address(text);
  return address && std::any_of(blocks_->networks.begin(), blocks_->networks.end(),
                                [&](const auto& block) { return block.contains(*address); });
}

Origin forwarded_origin(const AddressBlocks& proxies, std::string_view peer,
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
      // The nearest proxy writes the last element; the elements before it may come from any client.
      if (!is_for) scheme = is_scheme ? element : parameter(element, "proto");
    }
  }
  origin.is_secure = equals_ignoring_case(scheme, "https");
  for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
    const std::string_view text = bare_address(*hop);
    const std::optional<Address> address = parse_address(text);
    // One that cannot be read hides the client, whatever trusted proxies come after it.
    origin.has_client = address.has_value();
    if (!address) break;
    origin.address = text_of(*address);
    if (!proxies.contains(text)) break;
  }
  return origin;
}

std::string claimed_client(const Request& request) {
  Origin origin = forwarded_origin(AddressBlocks({}), {}, request.fields);
  return std::move(origin.address);
}

bool is_loopback(std::string_view address) noexcept {
  return address.starts_with("127.") || address == "::1";
}

bool is_local_network(std::string_view text) {
  static const AddressBlocks local({"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",
                                    "169.254.0.0/16", "::1", "fc00::/7", "fe80::/10"});
  return local.contains(text);
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
