#pragma once

#include <string>
#include <string_view>

#include "base/error_fwd.hpp"

namespace tenon::base {

/// The media type of every error response (RFC 9457, section 6.1).
inline constexpr std::string_view problem_media_type = "application/problem+json";

/// The standard reason phrase of an HTTP status (RFC 9110, section 15), "Error" where unknown.
std::string_view status_title(int status) noexcept;

/// Serializes an error as an RFC 9457 document:
/// {"type":"about:blank","title","status","code","detail","request_id","errors":[{"field","code","message"}]}.
/// `errors` is left out when the error names no field, `request_id` when it is empty.
std::string problem_json(const Error& error, std::string_view request_id);

}  // namespace tenon::base
