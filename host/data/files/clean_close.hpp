#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tenon::data {

/// What the file system says of a file. While it says the same, nobody has touched the file.
struct FileFingerprint {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t written = 0;  ///< its times of change; nanoseconds since 1970
  std::int64_t changed = 0;  ///< the same, which no program can set

  bool operator==(const FileFingerprint&) const = default;
};

/// What is known of a file of SQLite that was closed in order.
struct CleanClose {
  std::string declaration;  ///< Declaration::digest of what was applied to it last
  std::int64_t schema = 0;  ///< SQLite's number of its schema behind that
  FileFingerprint mark;
};

/// What the file is now; nothing where there is none, or where a log or a snapshot that is to take
/// its place stands beside it.
std::optional<FileFingerprint> fingerprint_if_clean(const std::string& path);

}  // namespace tenon::data
