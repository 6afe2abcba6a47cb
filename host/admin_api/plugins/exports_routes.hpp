#pragma once

#include <memory>
#include <vector>

#include "routing/route.hpp"

namespace tenon::console {

class ExportAdmin;

/// The endpoints of exports of plugins' data: GET and POST /api/core/exports, GET …/{name}, GET
/// …/{name}/file, DELETE …/{name}. Owns their handlers, and must outlive every RouteSet made with
/// its routes.
class ExportsRoutes {
 public:
  /// Both must outlive it; `share` runs what blocks.
  ExportsRoutes(ExportAdmin& admin, http::WorkerShare& share);
  ~ExportsRoutes();
  ExportsRoutes(const ExportsRoutes&) = delete;
  ExportsRoutes& operator=(const ExportsRoutes&) = delete;

  std::vector<routing::Route> routes() const { return routes_; }

 private:
  std::vector<std::unique_ptr<http::Handler>> handlers_;
  std::vector<routing::Route> routes_;
};

}  // namespace tenon::console
