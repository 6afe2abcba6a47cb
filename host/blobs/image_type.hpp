#pragma once

#include <cstddef>
#include <string_view>

namespace tenon::blobs {

/// So many bytes at the beginning of a content say what image it is.
inline constexpr std::size_t image_head_bytes = 32;

/// Media type of the images that browsers show and that cannot carry script, by the first bytes of
/// the content (WHATWG MIME Sniffing, section 6.1; AVIF by its brand): PNG, JPEG, GIF, WebP, AVIF.
/// Empty for everything else, SVG too.
std::string_view image_type_of(std::string_view head) noexcept;

/// Returns true for a type that image_type_of() can return.
bool is_image_type(std::string_view type) noexcept;

}  // namespace tenon::blobs
