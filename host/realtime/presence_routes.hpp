#pragma once

#include <vector>

#include "routing/route_table.hpp"

namespace tenon::realtime {
class Presence;
}

namespace tenon::console {

/// PUT /api/core/presence {"channel","plugin","table","id","state"?} and DELETE
/// /api/core/presence?channel=&plugin=&table=&id=: the user looks at a record, or no longer does.
/// Both return 204. Owns their handlers, and must outlive every RouteSet made with its routes.
class PresenceRoutes {
 public:
  /// Both must outlive it; `share` runs what blocks.
  PresenceRoutes(realtime::Presence& presence, http::WorkerShare& share);

  const std::vector<routing::Route>& routes() const noexcept { return table_.routes(); }

 private:
  routing::RouteTable table_;
};

}  // namespace tenon::console
