#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::http_client {

/// The parts of an http or https URL that a request needs.
struct Url {
  bool is_secure = false;  ///< https
  std::string host;        ///< in lower case, without a dot at its end; IPv6 without brackets
  std::uint16_t port = 0;
  std::string target;  ///< path and query as they were written, without the fragment; never empty

  /// Returns the value of the Host field: "example.com", "[::1]:8080".
  std::string authority() const;
  std::string text() const;
  /// Returns whether the other URL has the same scheme, host and port.
  bool has_origin_of(const Url& other) const noexcept;
};

/// Parses the URL of a request. Throws base::Error 422 "http_client.url_invalid" that says what is
/// wrong: neither http nor https, a user, characters that no URL has, more than Limits::url bytes.
Url parse_url(std::string_view text);

/// Returns the target of a redirect from `from`. Throws as parse_url().
Url resolve(const Url& from, const std::string& location);

/// A host name of labels of a-z, 0-9, - and _; other names are written in Punycode.
bool is_host_name(std::string_view host) noexcept;
/// Returns the shortest form of an IPv6 address; empty if it is none.
std::string canonical_ipv6(const std::string& text);

}  // namespace tenon::http_client
