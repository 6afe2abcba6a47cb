#include "data/files/private_folder.hpp"

#include <cerrno>
#include <filesystem>

#include <sys/stat.h>

namespace tenon::data {

namespace fs = std::filesystem;

bool make_private_folders(const std::string& path, std::error_code& failure) {
  failure.clear();
  fs::path folder = fs::path(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "a/b/"
  if (::mkdir(folder.c_str(), 0700) == 0) return true;
  int reason = errno;
  if (reason == ENOENT && folder.has_parent_path() && folder.parent_path() != folder) {
    make_private_folders(folder.parent_path().string(), failure);
    if (failure) return false;
    if (::mkdir(folder.c_str(), 0700) == 0) return true;
    reason = errno;
  }
  std::error_code ignored;
  if (reason == EEXIST && fs::is_directory(folder, ignored)) return false;
  failure.assign(reason == EEXIST ? ENOTDIR : reason, std::generic_category());
  return false;
}

}  // namespace tenon::data
