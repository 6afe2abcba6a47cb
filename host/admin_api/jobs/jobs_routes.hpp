#pragma once

#include <memory>
#include <vector>

#include "routing/route.hpp"

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
  ~JobsRoutes();
  JobsRoutes(const JobsRoutes&) = delete;
  JobsRoutes& operator=(const JobsRoutes&) = delete;

  std::vector<routing::Route> routes() const;

 private:
  std::vector<std::unique_ptr<http::Handler>> handlers_;
  std::vector<routing::Route> routes_;
};

}  // namespace tenon::console
