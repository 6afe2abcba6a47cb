#include <exception>
#include <optional>

#include "data/files/space_reserve.hpp"
#include "installer/plugin_installer.hpp"
#include "lifecycle/lifecycle.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

std::string PluginInstaller::remove(const std::string& id, DataChoice choice) {
  const bool is_exported = choice == DataChoice::export_and_purge;
  const std::lock_guard lock(changing_);
  const std::optional<InstalledVersion> current = store_.current(id);
  if (!current) {
    const std::optional<DiscoveredPlugin> found = folders_.in_directories(id);
    if (!found) throw unknown_plugin(id);
    throw Refusal({"plugins.not_installed",
                   "It was not installed from a package. Disable it, or take its folder away.",
                   found->folder,
                   {}});
  }
  if (options_.reserve) options_.reserve->release_if_full();
  require_free_space(id, 0);
  const bool purges = choice != DataChoice::keep;
  if (choice != DataChoice::purge) resume_pending(id);
  std::string exported;
  const auto between = [&] {
    if (is_exported) exported = export_data(id, current->version);
    store_.commit_removal(id, purges, exported);
    refresh_public_paths();
    if (!purges) return;
    try {
      end_purge(id, exported);
    } catch (const std::exception& failure) {
      // The removal is decided already. The next installation, or the next start, removes the rest
      // first.
      observability::log_error(
          "could not remove data of a removed plugin",
          {{"plugin", id}, {"reason", describe(reason_of(failure, "plugins.failed"))}});
    }
  };
  try {
    if (lifecycle_ != nullptr)
      lifecycle_->remove(id, between);
    else
      between();
  } catch (...) {
    tidy();
    throw;
  }
  observability::log_info(
      "a plugin was removed",
      {{"plugin", id}, {"data", purges ? "purged" : "kept"}, {"export", exported}});
  observability::log().flush();
  tidy();
  return exported;
}

PluginStatus PluginInstaller::reset_data(const std::string& id) {
  const std::lock_guard lock(changing_);
  if (store_.current(id)) throw Refusal(installed_from_package());
  if (!folders_.in_directories(id)) throw unknown_plugin(id);
  if (lifecycle_ == nullptr) throw no_server();
  const auto erase = [&] {
    data_.remove(id);
    if (options_.purge) options_.purge(id);
  };
  return lifecycle_->swap(
      id, {}, erase, [] {}, nullptr, true);
}

void PluginInstaller::end_purge(const std::string& id, const std::string& exported) {
  if (!exported.empty()) exports_.publish(exported);
  if (!options_.purge) return;
  data_.remove(id);
  options_.purge(id);
  // Settings, too: those restored from an export exist before the plugin is installed.
  store_.finish_restore(id);
}

}  // namespace tenon::plugins
