#include <atomic>
#include <utility>
#include <vector>

#include "bridge/bounded_call.hpp"
#include "bridge/frame.hpp"
#include "lifecycle/activation.hpp"
#include "lifecycle/lifecycle_impl.hpp"
#include "lifecycle/plugin_call.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* unhealthy = "plugins.unhealthy";
constexpr const char* health_timed_out = "plugins.health_timeout";

bool is_of_health(const Reason& reason) {
  return reason.code == unhealthy || reason.code == health_timed_out;
}

}  // namespace

struct Activation::HealthCall : PluginCall {
  explicit HealthCall(const PluginName& given) : name(given) {}
  const PluginName name;
  std::atomic<bool> is_finished{false};
};

bool Activation::is_being_asked() const noexcept {
  return health_ && !health_->is_finished;
}

std::optional<Reason> Activation::ask_health() {
  if (!plugin_) return std::nullopt;
  const auto health = slot(*plugin_, &tenon_plugin::health, TENON_NEED(tenon_plugin, health));
  if (!health) return std::nullopt;
  if (!is_being_asked()) {
    health_ = std::make_shared<HealthCall>(bridge_->name());
    run_bounded(
        [call = health_, health, plugin = plugin_] {
          {
            const Frame frame(call->name, Operation::health, {}, true);
            call->code = enter(health, tenon_code{TENON_E_INTERNAL}, plugin, &call->error);
          }
          call->is_finished = true;
        },
        environment_.health_timeout);
  }
  if (is_being_asked()) {
    return Reason{health_timed_out,
                  "The plugin did not come back from its health check within " +
                      std::to_string(environment_.health_timeout.count()) + " ms.",
                  {},
                  {}};
  }
  if (health_->code >= 0) return std::nullopt;
  return health_->reason(unhealthy, "The plugin says that it cannot do its work");
}

void Activation::require_healthy() {
  if (auto reason = ask_health()) {
    is_stuck_ = is_being_asked();
    throw Refusal(*std::move(reason));
  }
}

// Asks the plugins one after the other; one that is being changed is asked the next time.
void LifecycleImpl::ask_for_health() {
  std::vector<ManagedPlugin*> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, plugin] : plugins_)
      all.push_back(plugin.get());
  }
  for (ManagedPlugin* const plugin : all) {
    const std::unique_lock lock(plugin->mutex, std::try_to_lock);
    if (is_stopping_) return;
    if (!lock || !plugin->activation) continue;
    PluginStatus& status = plugin->status;
    // A fault of its storage may be the cause, and says more.
    if (status.reason && !is_of_health(*status.reason)) continue;
    const std::optional<Reason> reason = plugin->activation->ask_health();
    const bool was_well = !status.reason;
    if (reason ? !was_well && status.reason->message == reason->message : was_well) continue;
    status.reason = reason;
    if (reason) {
      observability::log_warning(
          "plugin is unhealthy",
          {{"plugin", plugin->id}, {"code", reason->code}, {"reason", describe(*reason)}});
    } else {
      observability::log_info("plugin is healthy again", {{"plugin", plugin->id}});
    }
    announce(status);
  }
}

}  // namespace tenon::plugins
