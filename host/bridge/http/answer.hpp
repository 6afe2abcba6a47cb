#pragma once

#include <cstddef>
#include <string_view>

#include <tenon/http.h>

#include "http/response/response.hpp"

namespace tenon::plugins {

struct Manifest;

/// Bounds on what a plugin answers; beyond: TENON_E_TOO_LARGE.
inline constexpr std::uint64_t max_answer_bytes =
    std::uint64_t{64} * 1024 * 1024;  ///< a whole body; larger ones are streamed
inline constexpr std::uint32_t max_answer_fields = 64;
inline constexpr std::uint64_t max_field_bytes = 8 * 1024;  ///< a value
inline constexpr std::uint32_t max_problem_errors = 200;
inline constexpr std::size_t max_extra_bytes =
    16 * 1024 * 1024;  ///< members added to an error answer

/// Checks an answer and copies it over whatever a try before left in `response`, which was empty
/// before that, but for the body: `body` becomes what the caller has of it. TENON_OK,
/// TENON_E_INVALID (status, a field's name or value, a field that is the host's business),
/// TENON_E_TOO_LARGE. Policy headers that `manifest` does not declare are dropped and logged.
tenon_code read_response(const tenon_http_response* given, const Manifest& manifest,
                         http::Response& response, std::string_view& body);

/// The same for an error answer.
tenon_code read_problem(const tenon_http_problem* given, const Manifest& manifest,
                        std::string_view request_id, http::Response& response);

}  // namespace tenon::plugins
