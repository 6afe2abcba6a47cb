#pragma once

#include <memory>
#include <vector>

#include "routing/route.hpp"

namespace tenon::console {

class PluginAdmin;
class OperationTracker;

/// The endpoints of the admin's plugins page: GET /api/core/plugins, GET /api/core/plugins/{id},
/// POST …/{id}/enable, …/{id}/disable, GET and POST …/{id}/plan. Owns their handlers, and must
/// outlive every RouteSet made with its routes.
class PluginsRoutes {
 public:
  /// All must outlive it; `share` runs what blocks.
  PluginsRoutes(PluginAdmin& admin, OperationTracker& changes, http::WorkerShare& share);
  ~PluginsRoutes();
  PluginsRoutes(const PluginsRoutes&) = delete;
  PluginsRoutes& operator=(const PluginsRoutes&) = delete;

  std::vector<routing::Route> routes() const;

 private:
  http::WorkerShare& share_;
  std::vector<std::unique_ptr<http::Handler>> handlers_;
  std::vector<routing::Route> routes_;
};

}  // namespace tenon::console
