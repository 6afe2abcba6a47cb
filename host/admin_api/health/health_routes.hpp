#pragma once

#include <functional>
#include <string>
#include <vector>

#include "routing/route_table.hpp"

namespace tenon::identity {
class AllowedHosts;
}
namespace tenon::observability {
class Metrics;
}

namespace tenon::console {

/// The routes for machines: /healthz (the process responds), /readyz (it serves requests; 503
/// before and while it stops; "degraded" in a second line while something does not run in full, and
/// what, for this machine and admins), /metrics (Prometheus; for this machine and admins, since it
/// shows what is installed and how it is used). A request is from this machine when it comes from a
/// loopback address, not through a proxy, and under a host name that other sites cannot have. They
/// never block. Must outlive every RouteSet made with its routes.
class HealthRoutes {
 public:
  /// Returns what does not run in full, one short line each: "notes active data.disk_full".
  using Troubles = std::function<std::vector<std::string>()>;

  /// `is_ready` and `troubles` must be quick and thread-safe. `metrics` and `hosts` must outlive
  /// it.
  HealthRoutes(const observability::Metrics& metrics, const identity::AllowedHosts& hosts,
               std::function<bool()> is_ready, Troubles troubles);

  const std::vector<routing::Route>& routes() const noexcept { return table_.routes(); }

 private:
  routing::RouteTable table_;
};

}  // namespace tenon::console
