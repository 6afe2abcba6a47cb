#include "blobs/upload_metadata.hpp"

#include <algorithm>
#include <set>

#include <sodium.h>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "blobs/limits.hpp"

namespace tenon::blobs {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw base::Error(400, "blobs.bad_metadata", "The field Upload-Metadata " + why + ".");
}

std::string decode(std::string_view text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  std::size_t size = 0;
  const int failed =
      sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &size, nullptr, sodium_base64_VARIANT_ORIGINAL);
  if (failed != 0) refuse("has a value that is not base64");
  bytes.resize(size);
  return bytes;
}

bool is_name(std::string_view text) {
  return text.size() <= max_file_name_bytes && base::is_valid_utf8(text) &&
         std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

UploadMetadata parse_upload_metadata(std::string_view field) {
  UploadMetadata metadata;
  if (field.empty()) return metadata;
  if (field.size() > max_metadata_bytes) refuse("has more than 4,096 bytes");
  std::set<std::string_view> keys;
  for (std::string_view left = field;;) {
    const std::size_t comma = left.find(',');
    std::string_view pair = left.substr(0, comma);
    // tus-js-client writes no space after a comma, others do.
    if (pair.starts_with(' ') && !keys.empty()) pair.remove_prefix(1);
    const std::size_t space = pair.find(' ');
    const std::string_view key = pair.substr(0, space);
    if (key.empty() ||
        std::any_of(key.begin(), key.end(), [](char c) { return c < 0x21 || c > 0x7e; }))
      refuse("has an empty key, or one that is not visible ASCII");
    if (!keys.insert(key).second) refuse("has a key twice");
    if (keys.size() > max_metadata_keys) refuse("has more than 16 keys");
    const std::string value =
        space == std::string_view::npos ? std::string() : decode(pair.substr(space + 1));
    if (key == "filename" || (key == "name" && metadata.name.empty())) {
      if (!is_name(value))
        refuse("has a file name that is too long, no UTF-8 or has control characters");
      metadata.name = value;
    }
    if (comma == std::string_view::npos) return metadata;
    left.remove_prefix(comma + 1);
  }
}

}  // namespace tenon::blobs
