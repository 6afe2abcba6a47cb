#pragma once

#include <vector>

#include "routing/route_table.hpp"

namespace tenon::console {

class PluginAdmin;
class OperationTracker;
class SettingsAdmin;

/// The endpoints of the admin's plugins page: GET /api/core/plugins, GET /api/core/plugins/{id},
/// POST …/{id}/enable, …/{id}/disable, GET and POST …/{id}/plan, GET and PUT …/{id}/settings. Owns
/// their handlers, and must outlive every RouteSet made with its routes.
class PluginsRoutes {
 public:
  /// All must outlive it; `share` runs what blocks.
  PluginsRoutes(PluginAdmin& admin, SettingsAdmin& settings, OperationTracker& changes,
                http::WorkerShare& share);

  const std::vector<routing::Route>& routes() const noexcept { return table_.routes(); }

 private:
  routing::RouteTable table_;
};

}  // namespace tenon::console
