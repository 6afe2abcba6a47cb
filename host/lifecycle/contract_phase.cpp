#include <exception>
#include <string>

#include "base/join.hpp"
#include "lifecycle/lifecycle_impl.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

void LifecycleImpl::contract(ManagedPlugin& plugin) {
  if (!plugin.activation || !plugin.activation->has_pending_contract()) return;
  const std::string files = base::join(plugin.activation->pending_contract());
  try {
    plugin.activation->contract();
  } catch (const std::exception& failure) {
    note_pending(plugin, describe(reason_of(failure, "plugins.failed")));
    return;
  }
  observability::log_info("contract migrations done",
                          {{"plugin", plugin.id}, {"migrations", files}});
  std::optional<Reason>& reason = plugin.status.reason;
  if (!reason || reason->code != contract_pending) return;
  reason.reset();
  announce(plugin.status);
}

// The plugin continues to run. A fault of its storage takes precedence as the reason that the admin
// sees.
void LifecycleImpl::note_pending(ManagedPlugin& plugin, const std::string& why) {
  const std::string text = "The upgrade succeeded, but its contract migrations (" +
                           base::join(plugin.activation->pending_contract()) + ") failed: " + why +
                           std::string(why.ends_with('.') ? "" : ".") +
                           " They are retried when you enable the plugin or restart the server.";
  observability::log_error("contract migrations failed", {{"plugin", plugin.id}, {"reason", text}});
  std::optional<Reason>& reason = plugin.status.reason;
  if (reason && reason->code != contract_pending && !is_note(*reason)) return;
  reason = Reason{std::string(contract_pending), text, {}, {}};
  announce(plugin.status);
}

}  // namespace tenon::plugins
