#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/events/events_interface.hpp"

namespace tenon::plugins {

/// The functions of the ABI table. Each finds the interface of the host, checks the state, and
/// catches every exception.
struct EventsFunctions {
  static tenon_code declare(const tenon_host* host, const tenon_events_topic* topic,
                            tenon_error* error) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge) return fail_argument(error, "The host is NULL.");
    if (!bridge->is_setting_up())
      return fail_state(error, "Topics are declared inside create or start, on its thread.");
    return guarded(error, [&] { return bridge->events().declare(topic, error); });
  }
  static tenon_code publish(const tenon_host* host, tenon_handle transaction,
                            const tenon_event* event, tenon_error* error) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge) return fail_argument(error, "The host is NULL.");
    if (!bridge->is_in(Phase::starting, Phase::quiescing))
      return fail_state(error, "Events are sent while starting, active or quiescing.");
    return guarded(error, [&] { return bridge->events().publish(transaction, event, error); });
  }
};

const tenon_events EventsInterface::table = {sizeof(tenon_events), 0, &EventsFunctions::declare,
                                             &EventsFunctions::publish};

}  // namespace tenon::plugins
