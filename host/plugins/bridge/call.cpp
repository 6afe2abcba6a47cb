#include "plugins/bridge/call.hpp"

#include "plugins/bridge/frame.hpp"
#include "routing/context.hpp"

namespace tenon::plugins {

Call::Rest::~Rest() {
  if (exchange_) routing::context(*exchange_).lease.reset();
}

Call::Rest Call::finish() noexcept {
  phase.store(CallPhase::over, std::memory_order_relaxed);
  drop(writable);
  has_taken_body = false;
  return Rest(std::move(exchange));
}

}  // namespace tenon::plugins
