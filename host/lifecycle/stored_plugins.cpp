#include "lifecycle/stored_plugins.hpp"

#include <algorithm>
#include <utility>

#include "bridge/db/plugin_database.hpp"
#include "lifecycle/host_tables.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

namespace {

data::Database& with_host_tables(data::Database& database) {
  make_host_tables(database);
  return database;
}

}  // namespace

PluginStatus status_of(const DiscoveredPlugin& found) {
  PluginStatus status;
  status.id = found.id;
  status.folder = found.folder;
  status.name = found.id;
  status.reason = found.refused;
  if (found.refused) {
    status.state = State::failed;
    status.is_duplicate = found.refused->code == "plugins.duplicate_id";
  }
  if (found.installed) status.signer = found.installed->signer;
  if (!found.manifest) return status;
  const Manifest& manifest = *found.manifest;
  status.name = manifest.name;
  status.description = manifest.description;
  status.version = manifest.version_text;
  status.author = manifest.author;
  status.license = manifest.license;
  status.has_library = manifest.has_library;
  status.abi_major = manifest.abi_major;
  status.abi_minor = manifest.abi_minor;
  status.permissions = manifest.permissions;
  status.response_headers = manifest.response_headers;
  status.outgoing = manifest.outgoing;
  status.public_paths = manifest.public_paths;
  status.has_ui = manifest.has_ui;
  return status;
}

PluginStatus status_with_tables(const DiscoveredPlugin& found) {
  PluginStatus status = status_of(found);
  if (found.manifest) status.tables = declared_tables(found.folder);
  return status;
}

void log_failure(const PluginStatus& status) {
  observability::log_error("plugin failed", {{"plugin", status.id},
                                             {"code", status.reason->code},
                                             {"reason", describe(*status.reason)},
                                             {"folder", status.folder}});
}

StoredPlugins::StoredPlugins(data::Database& database, std::string data,
                             std::vector<std::string> folders)
    : store_(with_host_tables(database)),
      quarantine_(database),
      public_paths_(database, nullptr),
      packages_(database, std::move(data)),
      folders_(std::move(folders), &packages_) {}

Listing StoredPlugins::list() const {
  const auto flags = store_.enabled();
  const auto quarantined = quarantine_.all();
  Listing listing;
  for (const DiscoveredPlugin& found : folders_.all()) {
    PluginStatus status = status_with_tables(found);
    const auto flag = flags.find(found.id);
    status.enabled = flag == flags.end() || flag->second;
    if (!status.enabled && !status.is_duplicate) status.state = State::disabled;
    if (const auto held = quarantined.find(found.id);
        held != quarantined.end() && status.enabled && !status.reason) {
      status.state = State::quarantined;
      status.reason = held->second;
    }
    listing.push_back(std::make_shared<const PluginStatus>(std::move(status)));
  }
  return listing;
}

std::shared_ptr<const settings::Schema> StoredPlugins::settings_schema(
    const std::string& id) const {
  const std::optional<DiscoveredPlugin> found = folders_.one(id);
  if (!found) throw unknown_plugin(id);
  if (!found->manifest) throw Refusal(*found->refused);
  return found->manifest->settings;
}

PluginStatus StoredPlugins::set_enabled(const std::string& id, bool is_enabled) {
  if (!folders_.one(id)) throw unknown_plugin(id);
  store_.set_enabled(id, is_enabled);
  if (is_enabled) quarantine_.remove(id);
  return find(id);
}

PluginStatus StoredPlugins::find(const std::string& id) const {
  for (const auto& status : list()) {
    if (status->id == id) return *status;
  }
  throw unknown_plugin(id);
}

}  // namespace tenon::plugins
