#include <utility>

#include "bridge/storage_reason.hpp"
#include "data/database.hpp"
#include "lifecycle/lifecycle_impl.hpp"
#include "lifecycle/stored_plugins.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

// A damaged file takes its plugin out of service; under other faults it serves on, with a reason.
void LifecycleImpl::handle_fault(const StorageFault& fault) {
  ManagedPlugin& plugin = of(fault.plugin);
  const std::lock_guard lock(plugin.mutex);
  PluginStatus& status = plugin.status;
  if (is_stopping_ || !plugin.activation || status.generation != fault.generation) return;
  if (fault.fault == data::Fault::healed) {
    if (!status.reason || status.reason->code == storage_failed) return;
    status.reason.reset();
    observability::log_info("plugin storage works again", {{"plugin", fault.plugin}});
    announce(status);
    return;
  }
  // Worse than any fault that may follow, until the file is opened again.
  if (status.reason && status.reason->code == storage_failed && fault.fault != data::Fault::corrupt)
    return;
  const bool is_postgresql = static_cast<bool>(options_.location);
  const std::string_view code = is_postgresql && fault.fault == data::Fault::io_failed
                                    ? "data.connection_lost"
                                    : data::code_of(fault.fault);
  status.reason =
      storage_reason(code, fault.detail, data_name(options_.data, fault.plugin, is_postgresql));
  if (fault.fault == data::Fault::corrupt) {
    dependencies_.force_leave(fault.plugin);
    deactivate(plugin, options_.drain);
    status.state = State::failed;
    log_failure(status);
  } else {
    observability::log_error("plugin storage has a fault", {{"plugin", fault.plugin},
                                                            {"code", status.reason->code},
                                                            {"reason", describe(*status.reason)},
                                                            {"file", status.reason->file}});
  }
  announce(status);
}

}  // namespace tenon::plugins
