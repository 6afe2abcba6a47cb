#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tenon::observability {

/// The contents of a `traceparent` field (W3C Trace Context, section 3.2).
struct TraceParent {
  std::array<char, 32> trace_id;  ///< lower-case hex, not all zero
  std::array<char, 16> span_id;   ///< of the caller, the same
  bool is_sampled = false;
};

/// Reads the value of the only `traceparent` field of a request. Strict: nullopt for upper case, a
/// wrong length, an id of zeros, version ff, and a version 00 with more bytes after it. From a
/// higher version it takes the parts of version 00, as the recommendation asks.
std::optional<TraceParent> parse_traceparent(std::string_view value) noexcept;

}  // namespace tenon::observability
