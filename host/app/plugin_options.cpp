#include "app/plugin_options.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include "app/version.hpp"
#include "blobs/blobs.hpp"
#include "data/postgresql/server.hpp"
#include "jobs/jobs.hpp"
#include "plugins/manifest/manifest.hpp"
#include "records/search_directory.hpp"
#include "shell/shell.hpp"

namespace tenon::app {

namespace {

shell::PluginUi ui_of(const plugins::ActivePlugin& plugin) {
  const plugins::Manifest& manifest = plugin.manifest;
  shell::PluginUi ui;
  ui.id = manifest.id;
  ui.name = manifest.name;
  ui.version = manifest.version_text;
  ui.generation = plugin.generation;
  if (const std::string folder = plugin.folder + "/ui"; std::filesystem::is_directory(folder)) {
    ui.directory = folder;
  }
  for (const plugins::Navigation& entry : manifest.navigation) {
    ui.navigation.push_back({entry.id, entry.title, entry.path, entry.icon, entry.permission});
  }
  ui.contributions = manifest.contributions;
  return ui;
}

plugins::PluginSchemas schemas_in(const std::string& url) {
  return {
      .place =
          [url](const std::string& plugin, bool is_needed) {
            data::postgresql::Server server(url);
            return is_needed ? server.plugin_place(plugin) : server.known_place(plugin);
          },
      .drop =
          [url](const std::string& plugin) { data::postgresql::Server(url).drop_plugin(plugin); },
      .plan =
          [url](const data::Declaration& declaration) {
            return data::postgresql::Server(url).plan(declaration);
          }};
}

}  // namespace

plugins::LifecycleOptions lifecycle_options(const config::Settings& settings,
                                            const plugins::Restart& restart, shell::Shell& shell,
                                            records::SearchDirectory& search) {
  plugins::LifecycleOptions options;
  options.data = settings.data;
  options.folders = settings.plugins;
  options.host_version = host_version;
  options.drain = settings.plugin_drain;
  options.restart = restart;
  options.on_activate = [&shell](const plugins::ActivePlugin& plugin) {
    shell.activate(ui_of(plugin));
  };
  options.search = &search;
  if (!settings.database.empty()) {
    plugins::PluginSchemas schemas = schemas_in(settings.database);
    options.place = std::move(schemas.place);
    options.plan = std::move(schemas.plan);
  }
  options.on_deactivate = [&shell](std::string_view plugin) { shell.deactivate(plugin); };
  return options;
}

plugins::Packages::Options packages_options(const config::Settings& settings) {
  plugins::Packages::Options options;
  options.data = settings.data;
  options.folders = settings.plugins;
  if (!settings.database.empty()) options.schemas = schemas_in(settings.database);
  options.kept = settings.plugin_undo;
  return options;
}

plugins::Packages::Options packages_options(const config::Settings& settings, blobs::Blobs& blobs,
                                            jobs::Jobs& jobs) {
  plugins::Packages::Options options = packages_options(settings);
  options.purge = [&blobs, &jobs](const std::string& plugin) {
    blobs.forget(plugin);
    jobs.forget(plugin);
  };
  return options;
}

}  // namespace tenon::app
