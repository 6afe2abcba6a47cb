#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "blobs/blobs.hpp"
#include "http/request.hpp"
#include "http/response.hpp"

namespace tenon::plugins {

/// What answers a GET or HEAD with a blob: 200, 206, 304 or 416, sent from its file. Images of the
/// types that the host finds in the content are shown unless `is_saved`; all else is saved under
/// `name`, as bytes of no type. Never sniffed, and no document of this origin. Throws base::Error
/// 503 "blobs.io" when there is no descriptor left for it.
http::Response answer_with_blob(const http::Request& request, const blobs::Blobs::Opened& opened,
                                std::string_view name, bool is_saved);

/// Value of a Content-Disposition field (RFC 6266): the name once in ASCII and, where that is not
/// the same, once more in UTF-8. Of a path only what stands behind its last separator is taken.
std::string content_disposition(std::string_view kind, std::string_view name);

}  // namespace tenon::plugins
