#include "http/response/download.hpp"

#include <memory>

#include "base/error.hpp"
#include "http/parser/request.hpp"
#include "http/response/conditional.hpp"

namespace tenon::http {

namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";

// RFC 5987, attr-char.
bool is_attribute_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$&+-.^_`|~").find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (is_attribute_character(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += hex_digits[byte >> 4];
    encoded += hex_digits[byte & 15];
  }
  return encoded;
}

// Reduces a name to characters that every browser reads the same in a quoted string.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool is_plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '%';
    text += is_plain ? c : '_';
  }
  return text;
}

}  // namespace

std::string content_disposition(std::string_view kind, std::string_view name) {
  name.remove_prefix(name.find_last_of("/\\") + 1);  // npos + 1 is 0
  std::string value(kind);
  if (name.empty()) return value;
  const std::string ascii = plain(name);
  value += "; filename=\"" + ascii + "\"";
  if (ascii != name) value += "; filename*=UTF-8''" + percent_encoded(name);
  return value;
}

Response respond_with_download(const Request& request, const Download& download) {
  const bool is_shown = !download.is_saved && !download.type.empty();
  Response response;
  response.with("ETag", download.etag);
  response.with("Cache-Control",
                download.is_lasting ? "private, max-age=31536000, immutable" : "private, no-cache");
  response.with("Content-Security-Policy", "sandbox; default-src 'none'");
  response.with("Accept-Ranges", "bytes");
  response.with("Content-Disposition",
                content_disposition(is_shown ? "inline" : "attachment", download.name));
  if (is_not_modified(request, download.etag, download.modified)) {
    response.status = 304;
    return response;
  }
  ByteRange range{0, download.bytes};
  const RangeKind kind =
      requested_range(request, download.bytes, download.etag, download.modified, range);
  if (kind == RangeKind::unsatisfiable) {
    return problem_response(
               base::Error(416, "http.range_not_satisfiable", "The file has no such range."),
               request.request_id)
        .with("Content-Range", "bytes */" + std::to_string(download.bytes));
  }
  if (kind == RangeKind::part) {
    response.status = 206;
    response.with("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                       std::to_string(range.first + range.size - 1) + "/" +
                                       std::to_string(download.bytes));
  }
  response.content_type = is_shown ? download.type : "application/octet-stream";
  const int descriptor = download.open();
  if (descriptor < 0)
    throw base::Error(503, "blobs.io",
                      "The server has too many open files. Try again in a moment.");
  response.body = FileBody{std::make_shared<base::UniqueFd>(descriptor), range.first, range.size};
  return response;
}

}  // namespace tenon::http
