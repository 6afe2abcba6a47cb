#include "plugins/lifecycle/discovery.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

Found look_at(const std::string& folder) {
  Found found;
  found.folder = folder;
  found.id = folder.substr(folder.rfind('/') + 1);
  try {
    found.manifest = read_manifest(folder);
  } catch (const std::exception& failure) {
    found.refused = reason_of(failure, "plugins.manifest_invalid");
  }
  return found;
}

bool has_manifest(const fs::path& folder) {
  std::error_code failure;
  return fs::exists(folder / "plugin.json", failure);
}

}  // namespace

std::vector<Found> discover(const std::vector<std::string>& directories) {
  std::vector<Found> all;
  for (const std::string& directory : directories) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(directory, failure)) {
      if (has_manifest(entry.path())) all.push_back(look_at(entry.path().string()));
    }
  }
  // Stable: the directory that was named first stays first.
  std::stable_sort(all.begin(), all.end(),
                   [](const Found& left, const Found& right) { return left.id < right.id; });
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].id != all[i - 1].id) continue;
    all[i].refused = Reason{"plugins.duplicate_id",
                            "Another directory of plugins, named earlier, has this id too: " +
                                all[i - 1].folder + ". Remove one.",
                            all[i].folder + "/plugin.json", "id"};
  }
  return all;
}

std::optional<Found> discover_one(const std::vector<std::string>& directories,
                                  const std::string& id) {
  // Ids come from outside: one that is no name of a folder has no folder.
  if (id.empty() || id.find('/') != std::string::npos || id.starts_with('.')) return std::nullopt;
  for (const std::string& directory : directories) {
    const fs::path folder = fs::path(directory) / id;
    if (has_manifest(folder)) return look_at(folder.string());
  }
  return std::nullopt;
}

}  // namespace tenon::plugins
