#pragma once

#include <cstddef>
#include <string_view>

#include <tenon/http.h>

#include "http/response/response.hpp"

namespace tenon::plugins {

struct Manifest;

/// Limits of a plugin's response; beyond: TENON_E_TOO_LARGE.
inline constexpr std::uint64_t max_response_bytes =
    std::uint64_t{64} * 1024 * 1024;  ///< a whole body; larger ones are streamed
inline constexpr std::uint32_t max_response_fields = 64;
inline constexpr std::uint64_t max_field_bytes = 8 * 1024;  ///< a value
inline constexpr std::uint32_t max_problem_errors = 200;
inline constexpr std::size_t max_extra_bytes =
    16 * 1024 * 1024;  ///< members added to an error response

/// Checks a response and copies it over anything that an earlier try left in `response`, which was
/// empty before that. The body is not copied: `body` refers to the caller's bytes. TENON_OK,
/// TENON_E_INVALID (status, a field's name or value, a field that is the host's business),
/// TENON_E_TOO_LARGE; the log then names the wrong part. Policy headers that `manifest` does not
/// declare are dropped and logged.
tenon_code read_response(const tenon_http_response* given, const Manifest& manifest,
                         http::Response& response, std::string_view& body);

/// Checks and copies an error response.
tenon_code read_problem(const tenon_http_problem* given, const Manifest& manifest,
                        std::string_view request_id, http::Response& response);

/// In `tenon dev`: adds what the log says of a failed request to its response.
void add_development(http::Response& response, std::string_view plugin,
                     std::string_view request_id);

}  // namespace tenon::plugins
