#include "blobs/image_type.hpp"

#include <algorithm>
#include <array>

namespace tenon::blobs {

namespace {

constexpr std::string_view png("\x89PNG\r\n\x1a\n", 8);
constexpr std::string_view jpeg("\xff\xd8\xff", 3);

constexpr std::array<std::string_view, 5> image_types{"image/png", "image/jpeg", "image/gif",
                                                      "image/webp", "image/avif"};

// An ISO media file whose major brand is that of AVIF.
bool is_avif(std::string_view head) noexcept {
  if (head.size() < 12 || head.substr(4, 4) != "ftyp") return false;
  const std::string_view brand = head.substr(8, 4);
  return brand == "avif" || brand == "avis";
}

}  // namespace

std::string_view image_type_of(std::string_view head) noexcept {
  if (head.starts_with(png)) return "image/png";
  if (head.starts_with(jpeg)) return "image/jpeg";
  if (head.starts_with("GIF87a") || head.starts_with("GIF89a")) return "image/gif";
  if (head.size() >= 14 && head.starts_with("RIFF") && head.substr(8, 6) == "WEBPVP")
    return "image/webp";
  if (is_avif(head)) return "image/avif";
  return {};
}

bool is_image_type(std::string_view type) noexcept {
  return std::find(image_types.begin(), image_types.end(), type) != image_types.end();
}

}  // namespace tenon::blobs
