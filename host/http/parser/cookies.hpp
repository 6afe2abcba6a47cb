#pragma once

#include <string_view>

namespace tenon::http {

/// The value of the first cookie of that name in a Cookie field (RFC 6265, section 5.4), without
/// surrounding quotes; empty where it is missing. Names are case-sensitive. The view points into
/// `header`.
std::string_view cookie_value(std::string_view header, std::string_view name) noexcept;

}  // namespace tenon::http
