#include "app/commands/plugin_options.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include "app/version.hpp"
#include "blobs/blobs.hpp"
#include "jobs/jobs.hpp"
#include "packages/manifest/manifest.hpp"
#include "postgresql/client/server.hpp"
#include "records/search/search_directory.hpp"
#include "routing/router.hpp"
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
  ui.is_installed = plugin.is_installed;
  if (const std::string folder = plugin.former_folder + "/ui";
      !plugin.former_folder.empty() && std::filesystem::is_directory(folder)) {
    ui.former_directory = folder;
  }
  for (const plugins::Navigation& entry : manifest.navigation) {
    ui.navigation.push_back({entry.id, entry.title, entry.path, entry.icon, entry.permission});
  }
  ui.contributions = manifest.contributions;
  return ui;
}

plugins::OnFailingUpgrade on_failing(config::UpgradeWatch watch) {
  switch (watch) {
    case config::UpgradeWatch::off:
      return plugins::OnFailingUpgrade::nothing;
    case config::UpgradeWatch::warn:
      return plugins::OnFailingUpgrade::warn;
    case config::UpgradeWatch::rollback:
      return plugins::OnFailingUpgrade::rollback;
  }
  return plugins::OnFailingUpgrade::nothing;
}

plugins::PluginSchemas schemas_in(const std::string& url) {
  return {
      .location =
          [url](const std::string& plugin, bool is_needed) {
            data::postgresql::Server server(url);
            return is_needed ? server.plugin_schema(plugin) : server.known_schema(plugin);
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
                                            records::SearchDirectory& search,
                                            std::shared_ptr<data::SpaceReserve> reserve) {
  plugins::LifecycleOptions options;
  options.data = settings.data;
  options.folders = settings.plugins;
  options.host_version = host_version;
  options.drain = settings.plugin_drain;
  options.health_pause = settings.plugin_health;
  options.restart = restart;
  options.on_activate = [&shell](const plugins::ActivePlugin& plugin) {
    shell.activate(ui_of(plugin));
  };
  options.search = &search;
  options.reserve = std::move(reserve);
  if (!settings.database.empty()) {
    plugins::PluginSchemas schemas = schemas_in(settings.database);
    options.location = std::move(schemas.location);
    options.plan = std::move(schemas.plan);
  }
  options.on_deactivate = [&shell](std::string_view plugin) { shell.deactivate(plugin); };
  options.on_remove = [&shell](std::string_view plugin) { shell.remove(plugin); };
  return options;
}

plugins::PluginInstaller::Options packages_options(const config::Settings& settings,
                                                   blobs::Blobs& blobs) {
  plugins::PluginInstaller::Options options;
  options.data = settings.data;
  options.folders = settings.plugins;
  if (!settings.database.empty()) options.schemas = schemas_in(settings.database);
  options.kept = settings.plugin_undo;
  options.blobs = &blobs;
  return options;
}

plugins::PluginInstaller::Options packages_options(const config::Settings& settings,
                                                   blobs::Blobs& blobs, jobs::Jobs& jobs,
                                                   const routing::Router& router,
                                                   observability::Audit& audit,
                                                   std::shared_ptr<data::SpaceReserve> reserve) {
  plugins::PluginInstaller::Options options = packages_options(settings, blobs);
  options.purge = [&blobs, &jobs](const std::string& plugin) {
    blobs.forget(plugin);
    jobs.forget(plugin);
  };
  options.on_failing_upgrade = on_failing(settings.plugin_watch);
  options.count = [&router](const std::string& plugin) {
    const routing::Router::Totals totals = router.totals(plugin);
    return plugins::ResponseCounts{totals.requests, totals.faults};
  };
  options.audit = &audit;
  options.reserve = std::move(reserve);
  return options;
}

}  // namespace tenon::app
