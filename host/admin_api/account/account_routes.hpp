#pragma once

#include <vector>

#include "routing/route_table.hpp"

namespace tenon::identity {
class Identity;
}

namespace tenon::console {

/// The endpoints under /api/core that are about people: session, setup, users, account, sessions.
/// Owns their handlers, and must outlive every RouteSet made with its routes.
class AccountRoutes {
 public:
  /// Largest body of these endpoints, bytes.
  static constexpr std::uint64_t body_limit = 16 * 1024;

  /// `identity` and `share` must outlive it; `share` runs what blocks.
  AccountRoutes(identity::Identity& identity, http::WorkerShare& share);

  const std::vector<routing::Route>& routes() const noexcept { return table_.routes(); }

 private:
  routing::RouteTable table_;
};

}  // namespace tenon::console
