#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::blobs {

inline constexpr std::size_t max_metadata_bytes = 4096;  ///< of the field's value → 400
inline constexpr std::size_t max_metadata_keys = 16;     ///< → 400

/// Holds an Upload-Metadata field (tus 1.0.0, "Upload-Metadata").
struct UploadMetadata {
  std::string name;  ///< "filename", or "name": UTF-8 without control characters, at most
                     ///< max_file_name_bytes; as a person or an attacker typed it
};

/// Reads a field's value: keys of visible ASCII, each once, each with a value in base64 (RFC 4648,
/// padded) or without one, with commas between. Throws base::Error 400 "blobs.bad_metadata" that
/// says what is wrong.
UploadMetadata parse_upload_metadata(std::string_view field);

}  // namespace tenon::blobs
