#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "http/response/response.hpp"

namespace tenon::http {

struct Request;

/// An uploaded file that is sent to a client.
struct Download {
  std::string etag;  ///< with its quotes
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  ///< seconds since 1970
  std::string type;           ///< media type that the host found in the content; empty: it is saved
  std::string name;           ///< that it is saved under; may be empty
  bool is_saved = false;      ///< saved, whatever its type
  bool is_lasting = false;    ///< the address has this content for ever
  /// A descriptor of it, the caller's to close; -1 where there is none left.
  std::function<int()> open;
};

/// Responds to a GET or HEAD with the file: 200, 206, 304 or 416. Browsers show a file with a type;
/// any other file is saved, as bytes without a type. Never sniffed, and never a document of this
/// origin. Throws base::Error 503 "blobs.io" when there is no descriptor left for it.
Response respond_with_download(const Request& request, const Download& download);

/// Returns the value of a Content-Disposition field (RFC 6266): the name once in ASCII and, where
/// that is not the same, once more in UTF-8. Only the part of a path after its last separator is
/// used.
std::string content_disposition(std::string_view kind, std::string_view name);

}  // namespace tenon::http
