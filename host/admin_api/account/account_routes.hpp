#pragma once

#include <memory>
#include <vector>

#include "routing/route.hpp"

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
  ~AccountRoutes();
  AccountRoutes(const AccountRoutes&) = delete;
  AccountRoutes& operator=(const AccountRoutes&) = delete;

  std::vector<routing::Route> routes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::console
