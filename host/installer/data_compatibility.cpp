#include <optional>
#include <string>

#include "base/error.hpp"
#include "bridge/declaration.hpp"
#include "installer/plugin_installer.hpp"
#include "lifecycle/lifecycle.hpp"

namespace tenon::plugins {

data::schema::Plan PluginInstaller::plan_of(const Manifest& manifest,
                                            const std::string& folder) const {
  return lifecycle_ != nullptr ? lifecycle_->plan_version(manifest.id, manifest, folder)
                               : data_.plan(read_declaration(manifest, folder));
}

bool PluginInstaller::serve(const InstalledVersion& version) const {
  std::string folder = version.folder.empty() ? std::string() : store_.absolute(version.folder);
  if (folder.empty()) {
    const std::optional<DiscoveredPlugin> found = folders_.in_directories(version.plugin);
    if (!found) return false;
    folder = found->folder;
  }
  try {
    const data::schema::Plan plan = plan_of(read_manifest(folder, version.plugin), folder);
    return (plan.is_switch || plan.steps.empty()) && !plan.is_refused() &&
           plan.pending_contract.empty();
  } catch (const base::Error&) {
    return false;
  }
}

void PluginInstaller::require_serves(const InstalledVersion& version) const {
  if (serve(version)) return;
  throw Refusal({"plugins.data_not_shared",
                 "Version " + version.version + " cannot use the current data of \"" +
                     version.plugin +
                     "\": its tables or migrations differ, and by more than an expand. Roll back "
                     "with the data of that time: \"tenon plugin rollback " +
                     version.plugin + "\".",
                 {},
                 {}});
}

}  // namespace tenon::plugins
