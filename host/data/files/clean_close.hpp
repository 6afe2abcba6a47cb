#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tenon::data {

/// The identity, size and times of a file. While they are equal, the file has not changed.
struct FileFingerprint {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t written = 0;  ///< mtime; nanoseconds since 1970
  std::int64_t changed = 0;  ///< ctime, which no program can set

  bool operator==(const FileFingerprint&) const = default;
};

/// The state of a file of SQLite at its clean close.
struct CleanClose {
  std::string declaration;  ///< Declaration::digest of the declaration applied last
  std::int64_t schema = 0;  ///< SQLite's schema version after that
  FileFingerprint mark;
};

/// Returns the fingerprint of the file; nothing if the file is missing, or a WAL, a journal or an
/// unfinished restore exists next to it.
std::optional<FileFingerprint> fingerprint_if_clean(const std::string& path);

}  // namespace tenon::data
