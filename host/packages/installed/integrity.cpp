#include "packages/installed/integrity.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "packages/archive/file_access.hpp"
#include "packages/archive/file_list.hpp"
#include "packages/archive/limits.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

constexpr const char* modified = "plugins.files_modified";

[[noreturn]] void refuse(const std::string& what, const std::string& file) {
  throw Refusal({modified,
                 what + " since the plugin was installed, so nothing of it is loaded. Install the "
                        "package again.",
                 file,
                 {}});
}

std::string content_of(const std::string& file, std::uint64_t max_bytes) {
  std::error_code failure;
  if (fs::symlink_status(file, failure).type() != fs::file_type::regular)
    refuse("The file is missing or is no file any more: it was changed", file);
  try {
    return read_bounded(file, max_bytes, modified);
  } catch (const Refusal& refusal) {
    refuse("The file cannot be read as it was (" + refusal.reason().message + "): it was changed",
           file);
  }
}

}  // namespace

void verify_files(const std::string& folder, const std::string& list_hash) {
  const std::string list = content_of(folder + "/FILES", PackageLimits::list);
  if (hex_of(hash_of(list)) != list_hash)
    refuse("The list of files was changed", folder + "/FILES");
  const std::vector<ListedFile> files = parse_file_list(list, folder + "/FILES");
  std::size_t found = 0;
  std::error_code failure;
  for (auto at = fs::recursive_directory_iterator(folder, failure);
       !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    if (at->symlink_status(failure).type() == fs::file_type::directory) continue;
    const std::string path = at->path().string();
    const std::string name = path.substr(folder.size() + 1);
    if (name == "FILES" || name == "SIGNATURE") continue;
    const auto listed = std::lower_bound(
        files.begin(), files.end(), name,
        [](const ListedFile& one, const std::string& wanted) { return one.name < wanted; });
    if (listed == files.end() || listed->name != name) refuse("The file was added", path);
    const std::string content = content_of(path, PackageLimits::unpacked);
    if (content.size() != listed->size || hash_of(content) != listed->hash)
      refuse("The file was changed", path);
    ++found;
  }
  if (failure)
    refuse("The folder cannot be read (" + failure.message() + "): it was changed", folder);
  if (found == files.size()) return;
  for (const ListedFile& file : files) {
    if (!fs::exists(folder + "/" + file.name, failure))
      refuse("The file was removed", folder + "/" + file.name);
  }
  refuse("Files were changed", folder);
}

}  // namespace tenon::plugins
