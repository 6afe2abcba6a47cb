#pragma once

#include <vector>

#include "routing/route_table.hpp"

namespace tenon::console {

class RegistryAdmin;

/// The routes under /api/core/registry, for admins only. Owns their handlers, and must outlive
/// every RouteSet made with its routes.
class RegistryRoutes {
 public:
  /// Both must outlive it; `share` runs what blocks.
  RegistryRoutes(const RegistryAdmin& admin, http::WorkerShare& share);

  const std::vector<routing::Route>& routes() const noexcept { return table_.routes(); }

 private:
  routing::RouteTable table_;
};

}  // namespace tenon::console
