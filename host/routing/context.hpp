#pragma once

#include <cstdint>
#include <memory>

#include "http/connection/exchange.hpp"
#include "identity/principal.hpp"
#include "observability/work.hpp"
#include "routing/lease.hpp"
#include "routing/route.hpp"

namespace tenon::observability {
class Trace;
class Tracer;
}  // namespace tenon::observability

namespace tenon::routing {

struct RouteRecord;

/// The facts that the dispatcher found about a request; the Attachment of every exchange that
/// reaches a handler, and of every one that is traced.
class CallContext final : public http::Attachment {
 public:
  CallContext();
  /// Hands the trace over: nothing works for the request any more.
  ~CallContext() override;
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;

  void entered() noexcept override;
  void exited() noexcept override;
  void started() noexcept override;
  /// Records everything from now on as spans.
  void set_trace(std::unique_ptr<observability::Trace> given,
                 observability::Tracer& owner) noexcept;

  const RouteSet* set = nullptr;  ///< alive while `lease` is held
  const Route* route = nullptr;   ///< alive while `lease` is held
  const RouteRecord* record =
      nullptr;  ///< the route's name and counters; alive as long as the router; null when refused
  Parameters parameters;                        ///< views into the exchange's request
  identity::PrincipalPtr principal;             ///< null: not signed in
  observability::Work work;                     ///< what threads work for that run its code
  std::unique_ptr<observability::Trace> trace;  ///< null: not traced
  Lease lease;  ///< may be given back before the exchange ends, once no code of the owner is needed
                ///< any more

 private:
  observability::Tracer* tracer_ = nullptr;
  std::int64_t waiting_since_ = 0;  ///< monotonic; 0: does not wait
};

/// The context of an exchange that the dispatcher planned.
inline CallContext& context(const http::Exchange& exchange) noexcept {
  return static_cast<CallContext&>(*exchange.attachment());
}

}  // namespace tenon::routing
