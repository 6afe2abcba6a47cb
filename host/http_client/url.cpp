#include "http_client/url.hpp"

#include <algorithm>

#include <Poco/Exception.h>
#include <Poco/Net/IPAddress.h>
#include <Poco/String.h>
#include <Poco/URI.h>

#include "base/error.hpp"
#include "http_client/limits.hpp"

namespace tenon::http_client {

namespace {

constexpr std::size_t max_host_bytes = 253;

[[noreturn]] void refuse_url(const std::string& what) {
  throw base::Error(422, "http_client.url_invalid", "The URL of an outgoing request " + what + ".");
}

bool is_host_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// Poco decodes a path; servers may distinguish %2F from a slash.
std::string target_of(std::string_view text) {
  text.remove_prefix(text.find("://") + 3);
  text = text.substr(0, text.find('#'));
  const std::size_t begin = text.find_first_of("/?");
  if (begin == std::string_view::npos) return "/";
  return (text[begin] == '?' ? "/" : "") + std::string(text.substr(begin));
}

}  // namespace

std::string Url::authority() const {
  std::string text = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (is_secure ? 443 : 80)) (text += ':') += std::to_string(port);
  return text;
}

std::string Url::text() const {
  return (is_secure ? "https://" : "http://") + authority() + target;
}

bool Url::has_origin_of(const Url& other) const noexcept {
  return is_secure == other.is_secure && port == other.port && host == other.host;
}

Url parse_url(std::string_view text) {
  if (text.size() > Limits::url)
    refuse_url("has more than " + std::to_string(Limits::url) + " bytes");
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return c <= ' ' || c >= 0x7f || c == '\\'; }))
    refuse_url("has characters that must be percent-encoded");
  try {
    const Poco::URI parsed{std::string(text)};
    if ((parsed.getScheme() != "http" && parsed.getScheme() != "https") ||
        text.find("://") == std::string_view::npos)
      refuse_url("must begin with http:// or https://");
    if (!parsed.getUserInfo().empty())
      refuse_url("must not contain a user name; set an Authorization header instead");
    Url url;
    url.is_secure = parsed.getScheme() == "https";
    url.host = Poco::toLower(parsed.getHost());
    if (url.host.ends_with('.')) url.host.pop_back();
    const std::string six = canonical_ipv6(url.host);
    if (!six.empty())
      url.host = six;
    else if (!is_host_name(url.host))
      refuse_url("names no valid host");
    url.port = parsed.getPort();
    if (url.port == 0) refuse_url("has the port 0");
    url.target = target_of(text);
    return url;
  } catch (const Poco::Exception&) {
    refuse_url("is not a URL");
  }
}

Url resolve(const Url& from, const std::string& location) {
  if (location.empty()) refuse_url("that the server redirects to is empty");
  const std::string scheme = from.is_secure ? "https:" : "http:";
  if (location.starts_with("//")) return parse_url(scheme + location);
  if (location.starts_with('/')) return parse_url(scheme + "//" + from.authority() + location);
  if (location.find("://") < location.find_first_of("/?#")) return parse_url(location);
  try {
    Poco::URI to(from.text());
    to.resolve(location);
    return parse_url(to.toString());
  } catch (const Poco::Exception&) {
    refuse_url("that the server redirects to is not a URL");
  }
}

bool is_host_name(std::string_view host) noexcept {
  if (host.empty() || host.size() > max_host_bytes || host.back() == '.') return false;
  char before = '.';
  for (const char c : host) {
    if (c == '.' ? before == '.' : !is_host_character(c)) return false;
    before = c;
  }
  return true;
}

std::string canonical_ipv6(const std::string& text) {
  Poco::Net::IPAddress address;
  if (text.find(':') == std::string::npos || !Poco::Net::IPAddress::tryParse(text, address))
    return {};
  return address.toString();
}

}  // namespace tenon::http_client
