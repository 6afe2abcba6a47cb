#include "lifecycle/discovery.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

template <typename Read>
DiscoveredPlugin look(const std::string& folder, const std::string& id, Read read) {
  DiscoveredPlugin found;
  found.folder = folder;
  found.id = id;
  try {
    found.manifest = read();
  } catch (const std::exception& failure) {
    found.refused = reason_of(failure, "plugins.manifest_invalid");
  }
  return found;
}

DiscoveredPlugin look_in_directory(const std::string& folder) {
  return look(folder, folder.substr(folder.rfind('/') + 1),
              [&folder] { return read_manifest(folder); });
}

bool has_manifest(const fs::path& folder) {
  std::error_code failure;
  return fs::exists(folder / "plugin.json", failure);
}

}  // namespace

DiscoveredPlugin look_at_version(const std::string& folder, const std::string& id) {
  return look(folder, id, [&] { return read_manifest(folder, id); });
}

DiscoveredPlugin PluginFolders::look_at(const InstalledVersion& installed) const {
  DiscoveredPlugin found = look_at_version(store_->absolute(installed.folder), installed.plugin);
  found.installed = installed;
  return found;
}

std::vector<DiscoveredPlugin> PluginFolders::all() const {
  std::vector<DiscoveredPlugin> all;
  if (store_ != nullptr) {
    for (const InstalledVersion& installed : store_->current())
      all.push_back(look_at(installed));
  }
  const std::size_t installed = all.size();
  const auto is_installed = [&](const std::string& id) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(installed);
    return std::any_of(all.begin(), end,
                       [&id](const DiscoveredPlugin& one) { return one.id == id; });
  };
  for (const std::string& directory : directories_) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(directory, failure)) {
      if (has_manifest(entry.path()) && !is_installed(entry.path().filename().string()))
        all.push_back(look_in_directory(entry.path().string()));
    }
  }
  // Stable: the directory that was named first stays first.
  std::stable_sort(all.begin(), all.end(),
                   [](const DiscoveredPlugin& left, const DiscoveredPlugin& right) {
                     return left.id < right.id;
                   });
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].id != all[i - 1].id) continue;
    all[i].refused = Reason{"plugins.duplicate_id",
                            "Another directory of plugins, named earlier, has this id too: " +
                                all[i - 1].folder + ". Remove one.",
                            all[i].folder + "/plugin.json", "id"};
  }
  return all;
}

std::vector<FolderProblem> PluginFolders::problems() const {
  std::vector<FolderProblem> problems;
  for (const std::string& directory : directories_) {
    std::error_code failure;
    if (!fs::is_directory(directory, failure)) {
      problems.push_back({directory, "it does not exist, or is no directory"});
      continue;
    }
    if (has_manifest(directory)) {
      problems.push_back(
          {directory, "it is the folder of one plugin; name the directory around it: " +
                          fs::path(directory).parent_path().string()});
      continue;
    }
    const fs::directory_iterator entries(directory, failure);
    const bool has_plugin = std::any_of(
        begin(entries), end(entries), [](const auto& entry) { return has_manifest(entry.path()); });
    if (!has_plugin) problems.push_back({directory, "no folder in it has a plugin.json"});
  }
  return problems;
}

std::optional<DiscoveredPlugin> PluginFolders::one(const std::string& id) const {
  if (store_ != nullptr) {
    if (const auto installed = store_->current(id)) return look_at(*installed);
  }
  return in_directories(id);
}

std::optional<DiscoveredPlugin> PluginFolders::in_directories(const std::string& id) const {
  // Ids come from outside: one that is no name of a folder has no folder.
  if (id.empty() || id.find('/') != std::string::npos || id.starts_with('.')) return std::nullopt;
  for (const std::string& directory : directories_) {
    const fs::path folder = fs::path(directory) / id;
    if (has_manifest(folder)) return look_in_directory(folder.string());
  }
  return std::nullopt;
}

}  // namespace tenon::plugins
