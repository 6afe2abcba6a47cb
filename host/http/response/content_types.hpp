#pragma once

#include <string_view>

namespace tenon::http {

/// The media type for a file name by its extension; "application/octet-stream" where it is not
/// known.
std::string_view content_type_of(std::string_view file_name) noexcept;

}  // namespace tenon::http
