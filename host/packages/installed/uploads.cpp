#include "packages/installed/uploads.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "data/files/private_folder.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

bool is_hash(const std::string& name) noexcept {
  return name.size() == 128 && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

void PackageUploads::keep(const std::string& name, std::string_view bytes) {
  std::error_code failure;
  data::make_private_folders(folder_, failure);
  if (failure) refuse_write("made", folder_, failure.value());
  replace_file(folder_ + "/" + name, bytes);
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  for (const auto& entry : fs::directory_iterator(folder_, failure))
    kept.emplace_back(entry.last_write_time(failure), entry.path());
  std::sort(kept.begin(), kept.end());
  for (std::size_t i = 0; i + max_files < kept.size(); ++i) {
    if (kept[i].second.filename() != name) fs::remove(kept[i].second, failure);
  }
}

std::string PackageUploads::find(const std::string& name) const {
  std::error_code failure;
  const std::string file = folder_ + "/" + name;
  if (is_hash(name) && fs::exists(file, failure)) return file;
  throw Refusal({"plugins.package_unknown",
                 "The uploaded package is no longer stored. Upload it again.",
                 {},
                 {}},
                404);
}

void PackageUploads::forget(const std::string& name) noexcept {
  std::error_code failure;
  if (is_hash(name)) fs::remove(folder_ + "/" + name, failure);
}

}  // namespace tenon::plugins
