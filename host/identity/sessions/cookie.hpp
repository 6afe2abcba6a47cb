#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::identity {

/// Name of the session cookie: "__Host-tenon_session" on TLS, else "tenon_session".
std::string_view session_cookie_name(bool secure) noexcept;

/// Returns the session token in a Cookie field; empty if it is missing or occurs twice.
std::string_view session_token(std::string_view cookie_field, bool secure) noexcept;

/// Value of Set-Cookie that stores a token for `max_age_seconds`: HttpOnly, SameSite=Lax, Path=/,
/// Secure on TLS.
std::string session_cookie(std::string_view token, std::int64_t max_age_seconds, bool secure);

/// Value of Set-Cookie that removes it.
std::string expired_session_cookie(bool secure);

}  // namespace tenon::identity
