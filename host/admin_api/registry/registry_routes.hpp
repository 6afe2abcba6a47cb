#pragma once

#include <memory>
#include <vector>

#include "routing/route.hpp"

namespace tenon::console {

class RegistryAdmin;

/// The routes under /api/core/registry, for admins only. Owns their handlers, and must outlive
/// every RouteSet made with its routes.
class RegistryRoutes {
 public:
  /// Both must outlive it; `share` runs what blocks.
  RegistryRoutes(const RegistryAdmin& admin, http::WorkerShare& share);
  ~RegistryRoutes();
  RegistryRoutes(const RegistryRoutes&) = delete;
  RegistryRoutes& operator=(const RegistryRoutes&) = delete;

  std::vector<routing::Route> routes() const;

 private:
  std::vector<std::unique_ptr<http::Handler>> handlers_;
  std::vector<routing::Route> routes_;
};

}  // namespace tenon::console
