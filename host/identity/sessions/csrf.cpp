#include "identity/sessions/csrf.hpp"

#include <algorithm>

namespace tenon::identity {

namespace {

bool is_safe(std::string_view method) noexcept {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

// host[:port] of "scheme://host[:port]"; empty for "null" and anything that is no origin.
std::string_view host_of(std::string_view origin) noexcept {
  const std::size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos || scheme == 0) return {};
  const std::string_view host = origin.substr(scheme + 3);
  return host.find_first_of("/?#@") == std::string_view::npos ? host : std::string_view();
}

}  // namespace

bool is_same_origin(const RequestOrigin& request) noexcept {
  if (is_safe(request.method)) return true;
  if (!request.sec_fetch_site.empty())
    return request.sec_fetch_site == "same-origin" || request.sec_fetch_site == "none";
  // Every browser since 2020 sends one of the two with such a request: without both it was not made
  // by another site's page.
  if (request.origin.empty()) return true;
  const std::string_view host = host_of(request.origin);
  return !host.empty() && equal_ignoring_case(host, request.host);
}

}  // namespace tenon::identity
