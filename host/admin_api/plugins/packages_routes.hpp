#pragma once

#include <memory>
#include <vector>

#include "routing/route.hpp"

namespace tenon::console {

class PackageAdmin;
class OperationTracker;

/// The endpoints of packages and keys: POST /api/core/plugins and …/plan, DELETE …/{id},
/// GET and POST …/{id}/rollback; GET and POST /api/core/keys, POST …/{number}/revoke, DELETE
/// …/{number}. Owns their handlers, and must outlive every RouteSet made with its routes.
class PackagesRoutes {
 public:
  /// All must outlive it; `share` runs what blocks.
  PackagesRoutes(PackageAdmin& admin, OperationTracker& changes, http::WorkerShare& share);
  ~PackagesRoutes();
  PackagesRoutes(const PackagesRoutes&) = delete;
  PackagesRoutes& operator=(const PackagesRoutes&) = delete;

  /// Below /api/core/plugins.
  std::vector<routing::Route> plugin_routes() const { return plugin_routes_; }
  /// Below /api/core/keys.
  std::vector<routing::Route> key_routes() const { return key_routes_; }

 private:
  std::vector<std::unique_ptr<http::Handler>> handlers_;
  std::vector<routing::Route> plugin_routes_;
  std::vector<routing::Route> key_routes_;
};

}  // namespace tenon::console
