#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/response/response.hpp"
#include "http/response/text_buffer.hpp"

namespace tenon::http {

/// The lines and facts that the HTTP server adds to a response's head.
struct HeadFrame {
  std::string_view lead;  ///< begin_head()
  std::string_view request_id;
  std::uint64_t content_length = 0;
  bool has_length = true;
  bool is_chunked = false;
  bool closes = false;
  bool is_http10 = false;  ///< a kept connection has to say so
  bool is_secure = false;  ///< the client uses TLS
};

/// Returns the first two lines of a 200 response at that time, for all responses of that second.
std::string begin_head(std::int64_t unix_seconds);

/// True when status, fields and content type are valid in a head: none of them breaks a line.
bool is_writable(const Response& response) noexcept;

/// Appends status line and fields with the empty line (RFC 9112). Leaves out the fields that the
/// HTTP server sets itself. Unless the response has them, adds Cross-Origin-Resource-Policy:
/// same-origin, for JSON a Content-Security-Policy that allows nothing, and over TLS
/// Strict-Transport-Security for a year.
void append_head(TextBuffer& out, const Response& response, const HeadFrame& frame);

}  // namespace tenon::http
