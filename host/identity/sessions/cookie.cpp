#include "identity/sessions/cookie.hpp"

namespace tenon::identity {

namespace {

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

std::string set_cookie(std::string_view token, std::int64_t max_age_seconds, bool secure) {
  std::string text(session_cookie_name(secure));
  text += '=';
  text += token;
  text += "; Path=/; HttpOnly; SameSite=Lax; Max-Age=" + std::to_string(max_age_seconds);
  if (secure) text += "; Secure";
  return text;
}

}  // namespace

std::string_view session_cookie_name(bool secure) noexcept {
  return secure ? "__Host-tenon_session" : "tenon_session";
}

std::string_view session_token(std::string_view cookie_field, bool secure) noexcept {
  const std::string_view name = session_cookie_name(secure);
  std::string_view found;
  while (!cookie_field.empty()) {
    const std::size_t end = cookie_field.find(';');
    const std::string_view pair = trim(cookie_field.substr(0, end));
    if (pair.size() > name.size() && pair[name.size()] == '=' && pair.starts_with(name)) {
      // Two of them: an attacker planted one (RFC 6265, section 8.6), and it is unknown which.
      if (!found.empty()) return {};
      found = pair.substr(name.size() + 1);
    }
    if (end == std::string_view::npos) break;
    cookie_field.remove_prefix(end + 1);
  }
  return found;
}

std::string session_cookie(std::string_view token, std::int64_t max_age_seconds, bool secure) {
  return set_cookie(token, max_age_seconds, secure);
}

std::string expired_session_cookie(bool secure) {
  return set_cookie("", 0, secure);
}

}  // namespace tenon::identity
