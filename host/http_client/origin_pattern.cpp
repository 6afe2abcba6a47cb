#include "http_client/origin_pattern.hpp"

#include <charconv>
#include <stdexcept>

#include "http_client/url.hpp"

namespace tenon::http_client {

namespace {

[[noreturn]] void refuse_pattern() {
  throw std::invalid_argument(
      "an origin such as https://api.example.com, https://*.example.com or "
      "http://localhost:8080, in lower case and without a path");
}

// Cuts ":port" off the end of `rest`; `usual` without one, 0 for "*".
std::uint16_t cut_port(std::string_view& rest, std::uint16_t usual) {
  const std::size_t brackets = rest.starts_with('[') ? rest.find(']') : 0;
  if (brackets == std::string_view::npos) refuse_pattern();
  const std::size_t colon = rest.find(':', brackets);
  if (colon == std::string_view::npos) return usual;
  const std::string_view text = rest.substr(colon + 1);
  rest = rest.substr(0, colon);
  if (text == "*") return 0;
  std::uint16_t port = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || port == 0)
    refuse_pattern();
  return port;
}

}  // namespace

OriginPattern::OriginPattern(std::string_view text) {
  constexpr std::string_view secure = "https://";
  constexpr std::string_view plain = "http://";
  is_secure_ = text.starts_with(secure);
  if (!is_secure_ && !text.starts_with(plain)) refuse_pattern();
  std::string_view host = text.substr(is_secure_ ? secure.size() : plain.size());
  port_ = cut_port(host, is_secure_ ? 443 : 80);
  if (host.starts_with('[') && host.ends_with(']')) {
    host_ = canonical_ipv6(std::string(host.substr(1, host.size() - 2)));
    if (host_.empty()) refuse_pattern();
    return;
  }
  host_ = host;
  if (host_ == "*") return;
  const bool is_wildcard = host.starts_with("*.");
  if (is_wildcard) host.remove_prefix(2);
  // "*.com" would name nearly as much as "*".
  if (!is_host_name(host) || (is_wildcard && host.find('.') == std::string_view::npos))
    refuse_pattern();
}

bool OriginPattern::is_unprotected() const noexcept {
  const bool has_domain = host_.find('.') != std::string::npos && host_.back() >= 'a';
  return !is_secure_ && has_domain;
}

bool OriginPattern::matches(const Url& url) const noexcept {
  if (url.is_secure != is_secure_ || (port_ != 0 && url.port != port_)) return false;
  if (host_ == "*") return true;
  if (!host_.starts_with("*.")) return url.host == host_;
  const std::string_view suffix = std::string_view(host_).substr(1);
  return url.host.size() > suffix.size() && url.host.ends_with(suffix);
}

}  // namespace tenon::http_client
