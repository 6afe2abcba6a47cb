#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tenon::plugins {

/// Copies `source` to `<directory>/<id>-<its BLAKE2b-256>-<generation>.so`, read-only, and returns
/// that path. All copies share one folder: creating and removing one for each costs a start more
/// than the copies. Throws Refusal "plugins.missing_library" when there is no such file,
/// "plugins.too_large" beyond `max_bytes`, "plugins.copy_failed" when the copy cannot be written.
/// `left`: copies that an earlier process left in the folder; if one of them has exactly the bytes
/// of `source`, it is renamed and used.
std::string make_private_copy(const std::string& source, const std::string& directory,
                              const std::string& id, std::uint64_t generation,
                              std::uint64_t max_bytes, std::span<const std::string> left = {});

/// A file's bytes, mapped read-only for as long as it lives.
class MappedFile {
 public:
  /// Throws Refusal "plugins.copy_failed" when it cannot be read.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace tenon::plugins
