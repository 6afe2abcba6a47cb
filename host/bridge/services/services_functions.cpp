#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/frame.hpp"
#include "bridge/services/services_interface.hpp"
#include "bridge/spans.hpp"

namespace tenon::plugins {

/// The functions of the ABI table. Each finds the interface of the host, checks the state, and
/// catches every exception.
struct ServicesFunctions {
  static tenon_code offer(const tenon_host* host, tenon_span name, std::uint32_t revision,
                          const tenon_services_handler* handler, tenon_error* error) noexcept {
    if (!handler) return fail_argument(error, "The handler is NULL.");
    tenon_services_handler taken = *handler;
    const tenon_code code = guarded(error, [&]() -> tenon_code {
      Bridge* bridge = Bridge::of(host);
      if (!bridge) return fail_argument(error, "The host is NULL.");
      if (!bridge->is_setting_up())
        return fail_state(error, "Services are offered inside create or start, on its thread.");
      return bridge->services_interface().offer(name, revision, taken, error);
    });
    if (code < 0) drop(taken);
    return code;
  }
  static tenon_code call(const tenon_host* host, const tenon_services_call* call,
                         const tenon_text_sink* sink, tenon_error* error) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge) return fail_argument(error, "The host is NULL.");
    if (!bridge->is_in(Phase::starting, Phase::quiescing))
      return fail_state(error, "Services are called while starting, active or quiescing.");
    if (!Frame::may_block()) {
      return fail_state(error,
                        "Inline routes, queued writes and callbacks before a write must not wait "
                        "for another plugin.");
    }
    return guarded(error, [&] { return bridge->services_interface().call(call, sink, error); });
  }
  static tenon_code respond(const tenon_host* host, tenon_handle request,
                            tenon_span response) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge || !is_sound(response)) return TENON_E_INVALID;
    // Later than that the handle is stale.
    if (bridge->phase() < Phase::active) return TENON_E_STATE;
    if (response.size > ServicesInterface::max_bytes) return TENON_E_TOO_LARGE;
    return guarded(nullptr,
                   [&] { return bridge->services_interface().respond(request, response); });
  }
};

const tenon_services ServicesInterface::table = {
    sizeof(tenon_services), 0, &ServicesFunctions::offer, &ServicesFunctions::call,
    &ServicesFunctions::respond};

}  // namespace tenon::plugins
