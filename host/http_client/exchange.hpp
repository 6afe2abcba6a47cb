#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http_client/connection.hpp"

namespace tenon::http_client {

struct Field {
  std::string name;
  std::string value;
};

/// One request. It borrows everything. The fields were checked; they name no Host, Connection,
/// Content-Length or Transfer-Encoding, which exchange() adds.
struct Request {
  std::string_view method;
  const Url& url;
  std::span<const Field> fields;
  std::string_view body = {};
};

/// The head of a response.
struct ResponseHead {
  int status = 0;
  std::string reason;
  std::vector<Field> fields;
  std::optional<std::uint64_t> length;  ///< of the content, where the head has it

  /// Returns the value of the first field with this name, ignoring case; null for none.
  const std::string* find(std::string_view name) const noexcept;
};

/// Receives a response. on_head() returns whether the content is wanted: if not, the connection is
/// closed. Both run on the calling thread; what they throw ends the request.
struct ResponseSink {
  std::function<bool(const ResponseHead&)> on_head;
  std::function<void(std::string_view)> on_body;
};

/// Sends one request over a connection of its own by HTTP/1.1 and passes the response to `sink`.
/// Follows no redirect. A response of more than `max_bytes` bytes of content, which is cut off, or
/// whose framing is ambiguous, is a failure. Blocks: only for threads that may. Throws Failure.
void exchange(const Request& request, const Bounds& bounds, const AddressCheck& is_allowed,
              std::uint64_t max_bytes, const ResponseSink& sink);

/// Returns whether the status and a Location make the response a redirect.
bool is_redirect(int status) noexcept;

}  // namespace tenon::http_client
