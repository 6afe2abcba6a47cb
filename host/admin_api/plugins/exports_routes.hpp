#pragma once

#include <vector>

#include "routing/route_table.hpp"

namespace tenon::console {

class ExportAdmin;

/// The endpoints of exports of plugins' data: GET and POST /api/core/exports, GET …/{name}, GET
/// …/{name}/file, DELETE …/{name}. Owns their handlers, and must outlive every RouteSet made with
/// its routes.
class ExportsRoutes {
 public:
  /// Both must outlive it; `share` runs what blocks.
  ExportsRoutes(ExportAdmin& admin, http::WorkerShare& share);

  const std::vector<routing::Route>& routes() const noexcept { return table_.routes(); }

 private:
  routing::RouteTable table_;
};

}  // namespace tenon::console
