#pragma once

#include <vector>

#include "routing/route_table.hpp"

namespace tenon::jobs {
class Jobs;
}
namespace tenon::observability {
class Audit;
}

namespace tenon::console {

/// The endpoints of the admin's jobs page: GET /api/core/jobs (plugin, state, limit, cursor), GET
/// /api/core/jobs/{id}, POST …/{id}/cancel, …/{id}/retry; both changes are put on record. Owns
/// their handlers, and must outlive every RouteSet made with its routes.
class JobsRoutes {
 public:
  /// All must outlive it; `share` runs what blocks.
  JobsRoutes(jobs::Jobs& jobs, observability::Audit& audit, http::WorkerShare& share);

  const std::vector<routing::Route>& routes() const noexcept { return table_.routes(); }

 private:
  routing::RouteTable table_;
};

}  // namespace tenon::console
