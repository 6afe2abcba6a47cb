#pragma once

#include "http/exchange.hpp"
#include "identity/principal.hpp"
#include "routing/lease.hpp"
#include "routing/route.hpp"

namespace tenon::routing {

struct RouteRecord;

/// What the dispatcher found out about a request; the Attachment of every exchange that reaches a
/// handler.
class CallContext final : public http::Attachment {
 public:
  const RouteSet* set = nullptr;  ///< alive while `lease` is held
  const Route* route = nullptr;   ///< alive while `lease` is held
  const RouteRecord* record =
      nullptr;                       ///< the route's name and counters; alive as long as the router
  Parameters parameters;             ///< views into the exchange's request
  identity::PrincipalPtr principal;  ///< null for nobody
  Lease lease;  ///< may be given back before the exchange ends, once no code of the owner is needed
                ///< any more
};

/// The context of an exchange that the dispatcher planned.
inline CallContext& context(const http::Exchange& exchange) noexcept {
  return static_cast<CallContext&>(*exchange.attachment());
}

}  // namespace tenon::routing
