#include "shell/page_policy.hpp"

#include <utility>

namespace tenon::shell {

namespace {

// A CSP source names a host by letters, digits, dots, dashes and a port; an IPv6 address cannot be
// one (CSP3, section 2.3.1).
bool can_be_source(std::string_view host) {
  return !host.empty() &&
         host.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:") ==
             std::string_view::npos;
}

}  // namespace

std::string page_policy(std::string_view host, std::string_view more_scripts) {
  std::string scripts = can_be_source(host) ? std::string(host) + "/ui/" : "'self'";
  if (!more_scripts.empty()) scripts.append(" ").append(more_scripts);
  return "default-src 'none'; script-src " + scripts +
         "; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
         "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
}

http::Response page_response(std::string body, std::string policy) {
  http::Response response;
  response.content_type = "text/html; charset=utf-8";
  response.with("Content-Security-Policy", std::move(policy))
      .with("Integrity-Policy", "blocked-destinations=(script)")
      .with("Cross-Origin-Opener-Policy", "same-origin")
      .with("Referrer-Policy", "same-origin")
      .with("Cache-Control", "no-store");
  response.body = std::move(body);
  return response;
}

}  // namespace tenon::shell
