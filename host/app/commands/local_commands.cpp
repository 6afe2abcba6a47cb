#include "app/commands/local_commands.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "admin_api/control_socket/commands.hpp"
#include "admin_api/control_socket/control_socket.hpp"
#include "admin_api/control_socket/host_commands.hpp"
#include "admin_api/control_socket/plugins_commands.hpp"
#include "admin_api/control_socket/registry_commands.hpp"
#include "admin_api/control_socket/user_commands.hpp"
#include "admin_api/plugins/export_admin.hpp"
#include "admin_api/plugins/package_admin.hpp"
#include "admin_api/plugins/settings_admin.hpp"
#include "admin_api/registry/registry_admin.hpp"
#include "app/commands/plugin_options.hpp"
#include "app/commands/registry_setup.hpp"
#include "app/server/data_directory.hpp"
#include "app/server/host_storage.hpp"
#include "app/server/settings_to_limits.hpp"
#include "base/error.hpp"
#include "blobs/blobs.hpp"
#include "blobs/disk_store.hpp"
#include "data/database.hpp"
#include "data/sql_error.hpp"
#include "events/bus.hpp"
#include "identity/identity.hpp"
#include "installer/plugin_installer.hpp"
#include "lifecycle/stored_plugins.hpp"
#include "observability/metrics.hpp"
#include "registry/limits.hpp"
#include "settings/store.hpp"

namespace tenon::app {

namespace {

std::string run_alone(const config::Settings& settings, HostStorage& storage,
                      const std::string& command, const std::string& arguments) {
  observability::Metrics metrics;
  events::Bus bus;
  data::Database database(storage.options_alone());
  identity::Identity::Options identity_settings = identity_options(settings);
  identity_settings.maintain = false;
  identity::Identity identity(database, bus, metrics, identity_settings);
  console::Commands commands;
  console::add_user_commands(commands, identity);
  console::add_host_commands(commands, identity);
  plugins::StoredPlugins stored(database, settings.data, settings.plugins);
  console::add_stored_plugin_commands(commands, stored, identity.audit());
  settings::Store setting_store(database, settings::key_file(settings.data));
  console::SettingsAdmin settings_admin(
      setting_store, [&stored](const std::string& id) { return stored.settings_schema(id); },
      identity.audit());
  console::add_settings_commands(commands, settings_admin);
  blobs::Blobs blobs(database, std::make_unique<blobs::DiskStore>(settings.data + "/blobs"),
                     blob_limits(settings));
  plugins::PluginInstaller packages(database, nullptr, packages_options(settings, blobs));
  const console::PackageAdmin::Show show = [&stored](const std::string& id) {
    return console::stored_plugin_json(stored, id);
  };
  console::PackageAdmin admin(packages, show, identity.audit(), settings.data);
  console::add_package_commands(commands, admin);
  console::ExportAdmin exports(packages, identity.audit());
  console::add_export_commands(commands, exports);
  const auto index_cache = make_index_cache(settings, settings.data + "/registry");
  plugins::Downloads downloads(index_cache.get(), settings.data + "/registry", keep_in(admin));
  console::RegistryAdmin registry(
      index_cache.get(), downloads, [&packages] { return packages.present(); },
      [&packages](const std::string& number) { return standing_of(packages.keyring(), number); });
  console::add_registry_commands(commands, registry, admin);
  return commands.run(command, arguments);
}

constexpr std::chrono::hours max_change{24};

}  // namespace

std::string run_command(const config::Settings& settings, const std::string& command,
                        const std::string& arguments) {
  // A download from the registry may take so long; a change of a plugin may migrate much data. When
  // the server goes down meanwhile, so does the connection.
  const std::chrono::milliseconds timeout =
      command.starts_with("registry.") ? plugins::RegistryLimits::download + max_change
      : command.starts_with("plugin.") ? max_change
                                       : std::chrono::minutes(2);
  if (std::optional<std::string> response =
          console::call_server(settings.data, command, arguments, timeout))
    return *std::move(response);

  // A forgotten --data must not create a second installation.
  if (std::error_code ignored;
      settings.is_data_default && !std::filesystem::exists(settings.data, ignored)) {
    throw base::Error(404, "app.no_installation",
                      "There is no installation in " + settings.data +
                          ". Name its directory with --data DIR, or start one with tenon serve.");
  }
  const DataDirectory directory(settings.data);
  HostStorage storage(settings);
  try {
    return run_alone(settings, storage, command, arguments);
  } catch (const data::SqlError& error) {
    throw storage.explain(error);
  }
}

}  // namespace tenon::app
