#pragma once

#include <memory>

#include "admin_api/account/account_routes.hpp"
#include "admin_api/control_socket/commands.hpp"
#include "admin_api/jobs/jobs_routes.hpp"
#include "admin_api/plugins/export_admin.hpp"
#include "admin_api/plugins/exports_routes.hpp"
#include "admin_api/plugins/last_crashes.hpp"
#include "admin_api/plugins/operation_tracker.hpp"
#include "admin_api/plugins/package_admin.hpp"
#include "admin_api/plugins/packages_routes.hpp"
#include "admin_api/plugins/plugin_admin.hpp"
#include "admin_api/plugins/plugins_routes.hpp"
#include "admin_api/plugins/settings_admin.hpp"
#include "admin_api/registry/registry_admin.hpp"
#include "admin_api/registry/registry_routes.hpp"
#include "app/server/crash_report.hpp"
#include "app/server/stall_report.hpp"
#include "openapi/openapi_routes.hpp"
#include "realtime/presence_routes.hpp"
#include "registry/downloads.hpp"
#include "registry/index_cache.hpp"

namespace tenon::app {

struct CoreWiring;
struct PluginWiring;

/// The routes below /api/core and the commands of the control socket. Members are built in their
/// order.
struct AdminWiring {
  /// Publishes the routes. `core` and `plugins` outlive it.
  AdminWiring(CoreWiring& core, PluginWiring& plugins);
  ~AdminWiring();
  AdminWiring(const AdminWiring&) = delete;
  AdminWiring& operator=(const AdminWiring&) = delete;

  console::AccountRoutes account_routes;
  console::JobsRoutes jobs_routes;
  console::PresenceRoutes presence_routes;
  console::OperationTracker operations;
  console::LastCrashes last_crashes;
  CrashReporter crash_reporter;
  StallReporter stall_reporter;
  console::PluginAdmin plugin_admin;
  console::SettingsAdmin settings_admin;
  console::PluginsRoutes plugins_routes;
  console::PackageAdmin package_admin;
  console::PackagesRoutes packages_routes;
  console::ExportAdmin export_admin;
  console::ExportsRoutes exports_routes;
  std::unique_ptr<plugins::IndexCache> index_cache;  ///< null: no registry is configured
  plugins::Downloads downloads;
  console::RegistryAdmin registry_admin;
  console::RegistryRoutes registry_routes;
  openapi::OpenApiRoutes openapi_routes;
  console::Commands commands;

 private:
  void add_commands(CoreWiring& core, PluginWiring& plugins);
  void publish_routes(CoreWiring& core, PluginWiring& plugins);
};

}  // namespace tenon::app
