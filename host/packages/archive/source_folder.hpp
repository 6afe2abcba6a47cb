#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "packages/archive/file_access.hpp"

namespace tenon::plugins {

/// The files below a folder as a package can hold them, found without following any link. Not
/// thread-safe.
class SourceFolder {
 public:
  /// Throws Refusal "plugins.package_folder_invalid" for a link, a device, another special file, or
  /// a folder that cannot be read, "plugins.package_name_invalid" for a name that no package may
  /// have, FILES and SIGNATURE among them, "plugins.package_too_large" for too many files; each
  /// names the file.
  explicit SourceFolder(std::string path);

  const std::string& path() const noexcept { return path_; }
  /// Sorted by their bytes.
  const std::vector<std::string>& names() const noexcept { return names_; }
  /// The content of one file of at most `max_bytes` bytes. Throws as the constructor.
  std::string read(const std::string& name, std::uint64_t max_bytes) const;

 private:
  void walk(const base::UniqueFd& folder, const std::string& prefix);

  std::string path_;
  base::UniqueFd root_;
  std::vector<std::string> names_;
};

}  // namespace tenon::plugins
