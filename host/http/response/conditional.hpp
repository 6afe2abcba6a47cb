#pragma once

#include <cstdint>
#include <string_view>

namespace tenon::http {

struct Request;

/// True when an If-None-Match or If-Match list names `etag` (with its quotes) or is "*". Compares
/// weakly or strongly (RFC 9110, section 8.8.3.2). A list that cannot be read matches nothing.
bool matches_etag(std::string_view list, std::string_view etag, bool is_weak_comparison) noexcept;

/// True when the response to a GET or HEAD is 304: If-None-Match names the tag, or, without that
/// field, If-Modified-Since is not before `modified` (seconds since 1970) (RFC 9110, section
/// 13.2.2).
bool is_not_modified(const Request& request, std::string_view etag, std::int64_t modified) noexcept;

/// A part of a representation, in bytes.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};

enum class RangeKind : std::uint8_t {
  whole,  ///< no range, one that is not understood, several, or a failed If-Range: send everything
  part,   ///< 206
  unsatisfiable  ///< 416
};

/// Reads a Range value against a representation of `size` bytes (RFC 9110, section 14.1.2). Only
/// one range of bytes is served.
RangeKind parse_range(std::string_view value, std::uint64_t size, ByteRange& range) noexcept;

/// Finds the range that a request asks for, with If-Range respected; only GET has ranges.
RangeKind requested_range(const Request& request, std::uint64_t size, std::string_view etag,
                          std::int64_t modified, ByteRange& range) noexcept;

}  // namespace tenon::http
