#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tenon::http {

enum class Method : std::uint8_t { get, head, post, put, patch, del, options, other };

/// "GET" → Method::get; anything unknown is Method::other. Case-sensitive (RFC 9110, section 9.1).
Method parse_method(std::string_view name) noexcept;
std::string_view to_string(Method method) noexcept;

/// One header field. Names are lower case, values without surrounding white space.
struct Field {
  std::string_view name;
  std::string_view value;
};

/// The owner of the address Request::peer.
enum class PeerKind : std::uint8_t {
  client,           ///< the client's, as far as the server can know
  untrusted_proxy,  ///< a proxy's: it sends forwarding fields and is no trusted proxy
  trusted_proxy     ///< a trusted proxy's, whose forwarding fields name no client
};

/// A request whose head has passed every check. All views point into memory of its Exchange and
/// live as long as the exchange.
struct Request {
  Method method = Method::other;
  std::string_view method_name;  ///< as sent
  std::string_view target;       ///< as sent, origin form
  std::string_view path;   ///< percent-decoded once, no "..", no NUL, no encoded slash, valid UTF-8
  std::string_view query;  ///< as sent, without '?'
  std::span<const Field> fields;     ///< in order of arrival
  std::string_view body;             ///< complete when the plan says BodyMode::whole; else empty
  std::uint64_t content_length = 0;  ///< declared length in bytes; no_length when chunked
  std::string_view peer;  ///< address of the client, text, also when trusted proxies forwarded it
  std::string_view
      request_id;       ///< 1…64 characters of [A-Za-z0-9._-]; also sent back as X-Request-Id
  bool secure = false;  ///< the client came over TLS (here or at a trusted proxy)
  PeerKind peer_kind = PeerKind::client;
  /// Bit n: a field whose name has n modulo 32 characters may be among the fields.
  std::uint32_t name_lengths = ~std::uint32_t{0};

  static constexpr std::uint64_t no_length = ~std::uint64_t{0};

  /// The first value of a field, empty where it is missing. `name` must be lower case.
  std::string_view field(std::string_view name) const noexcept {
    if ((name_lengths >> (name.size() % 32) & 1) == 0) return {};
    return find_field(name);
  }

 private:
  std::string_view find_field(std::string_view name) const noexcept;
};

/// The decoded value of a query parameter ("a=b&c=d", '+' is a space), empty where it is missing or
/// badly encoded.
std::string query_value(std::string_view query, std::string_view name);

}  // namespace tenon::http
