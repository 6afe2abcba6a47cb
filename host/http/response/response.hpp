#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/unique_fd.hpp"

namespace tenon::base {
class Error;
}

namespace tenon::http {

/// A part of a file, sent with sendfile(2).
struct FileBody {
  std::shared_ptr<const base::UniqueFd> file;  ///< closed with its last owner
  std::uint64_t offset = 0;                    ///< bytes
  std::uint64_t size = 0;                      ///< bytes
};

/// Text that several responses share, so that nothing is copied.
using SharedBody = std::shared_ptr<const std::string>;

/// A whole response. The HTTP server sets Content-Length, Date, Connection, X-Request-Id and
/// X-Content-Type-Options itself; they must not be among the fields. For HEAD and 304 it keeps the
/// length and drops the body.
struct Response {
  int status = 200;
  std::string content_type;  ///< none is sent when empty
  std::vector<std::pair<std::string, std::string>> fields;
  /// More fields as finished lines ("ETag: \"a\"\r\nVary: …\r\n"), for responses that are sent
  /// often. They are sent as they are.
  std::shared_ptr<const std::string> prepared;
  /// Says "Vary: Accept-Encoding".
  bool varies_by_encoding = false;
  /// The code that made the response has checked that it is valid in a head, as is_writable() does.
  bool is_checked = false;
  std::variant<std::monostate, std::string, SharedBody, FileBody> body;

  Response& with(std::string name, std::string value) &;
  Response&& with(std::string name, std::string value) && {
    return std::move(with(std::move(name), std::move(value)));
  }
  /// Replaces the body by a copy of `text`, in the memory of the text that was there.
  void set_body(std::string_view text);
  /// Resets to an empty 200; memory that ordinary responses need is kept.
  void clear() noexcept;
};

/// Returns a response without a body.
Response empty_response(int status);
/// `json` must be JSON text. Sent with Cache-Control: no-store.
Response json_response(int status, std::string json);
/// application/problem+json of the error (RFC 9457); 429 and 503 get Retry-After: 1 unless set
/// later.
Response problem_response(const base::Error& error, std::string_view request_id);

}  // namespace tenon::http
