#pragma once

#include <vector>

#include "routing/route_table.hpp"

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

  /// Below /api/core/plugins.
  const std::vector<routing::Route>& plugin_routes() const noexcept { return plugins_.routes(); }
  /// Below /api/core/keys.
  const std::vector<routing::Route>& key_routes() const noexcept { return keys_.routes(); }

 private:
  routing::RouteTable plugins_;
  routing::RouteTable keys_;
};

}  // namespace tenon::console
