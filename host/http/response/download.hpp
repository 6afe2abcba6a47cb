#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "http/response/response.hpp"

namespace tenon::http {

struct Request;

/// A file that somebody uploaded, on its way out.
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

/// What answers a GET or HEAD with it: 200, 206, 304 or 416, sent from the file. What has a type is
/// shown; all else is saved, as bytes of no type. Never sniffed, and no document of this origin.
/// Throws base::Error 503 "blobs.io" when there is no descriptor left for it.
Response answer_with_download(const Request& request, const Download& download);

/// Value of a Content-Disposition field (RFC 6266): the name once in ASCII and, where that is not
/// the same, once more in UTF-8. Of a path only what stands behind its last separator is taken.
std::string content_disposition(std::string_view kind, std::string_view name);

}  // namespace tenon::http
