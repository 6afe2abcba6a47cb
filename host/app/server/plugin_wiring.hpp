#pragma once

#include "admin_api/health/health_routes.hpp"
#include "installer/plugin_installer.hpp"
#include "lifecycle/lifecycle.hpp"
#include "records/search/global_search.hpp"
#include "records/search/search_directory.hpp"
#include "shell/shell.hpp"

namespace tenon::app {

struct CoreWiring;

/// The parts of the server that run plugins and show their pages. Members are built in their order.
struct PluginWiring {
  /// `core` and `health` outlive it.
  PluginWiring(CoreWiring& core, const console::HealthRoutes& health);

  shell::Shell shell;
  records::SearchDirectory search_directory;
  plugins::Lifecycle lifecycle;
  plugins::PluginInstaller packages;
  records::GlobalSearch search;
};

}  // namespace tenon::app
