#pragma once

#include <string_view>

namespace tenon::http {

struct Limits;
struct Request;
struct Response;

/// True when an Accept-Encoding value takes `coding` (lower case) with a weight above zero (RFC
/// 9110, section 12.5.3).
bool accepts_coding(std::string_view accept_encoding, std::string_view coding) noexcept;

/// Compresses a whole response with gzip if that saves bytes: text in memory of a compressible
/// type, of at least Limits::compress_from bytes, not encoded yet, and accepted by the client. Adds
/// Vary if the outcome depends on the client. A response with a strong ETag stays as it is: the tag
/// names these bytes.
void compress(const Request& request, Response& response, const Limits& limits);

}  // namespace tenon::http
