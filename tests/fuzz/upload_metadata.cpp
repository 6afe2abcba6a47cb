// An Upload-Metadata field.

#include "blobs/upload_metadata.hpp"

#include <string>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "blobs/limits.hpp"
#include "property.hpp"

namespace {

using tenon::blobs::parse_upload_metadata;

// Returns the name, or the code of the refusal after a '!'.
std::string read(std::string_view field) {
  try {
    return parse_upload_metadata(field).name;
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.status() == 400 && error.code() == "blobs.bad_metadata");
    return "\n" + error.code();
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string field(tenon::fuzz::text_of(data, size));
  const std::string name = read(field);
  const bool is_taken = !name.starts_with('\n');
  if (!is_taken) {
    // A refused field is still refused with more text.
    TENON_HOLDS(field.empty() || read(field + ",another_key").starts_with('\n'));
    return 0;
  }
  TENON_HOLDS(name.size() <= tenon::blobs::max_file_name_bytes);
  TENON_HOLDS(tenon::base::is_valid_utf8(name));
  for (const char c : name)
    TENON_HOLDS(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  TENON_HOLDS(field.size() <= tenon::blobs::max_metadata_bytes);
  // A duplicate key is refused.
  const std::string key = field.substr(0, field.find_first_of(" ,"));
  if (!key.empty()) TENON_HOLDS(read(field + "," + key).starts_with('\n'));
  // "filename" wins over "name" at any position.
  if (field.find("filename") == std::string::npos && field.size() + 20 < 4096 && !field.empty()) {
    const std::string with = read(field + ",filename eA==");
    TENON_HOLDS(with == "x" || with.starts_with('\n'));  // one key too many
  }
  return 0;
}
