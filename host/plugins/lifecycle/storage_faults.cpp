#include <utility>

#include "data/database.hpp"
#include "observability/log.hpp"
#include "plugins/lifecycle/implementation.hpp"
#include "plugins/lifecycle/stored_plugins.hpp"
#include "plugins/storage_reason.hpp"

namespace tenon::plugins {

// A damaged file takes its plugin out of service; under other faults it serves on, with a reason.
void Lifecycle::Implementation::meet(const StorageFault& met) {
  Plugin& plugin = of(met.plugin);
  const std::lock_guard turn(plugin.turn);
  PluginStatus& status = plugin.status;
  if (is_stopping_ || !plugin.activation || status.generation != met.generation) return;
  if (met.fault == data::Fault::healed) {
    if (!status.reason || status.reason->code == storage_failed) return;
    status.reason.reset();
    observability::log_info("the storage of a plugin works again", {{"plugin", met.plugin}});
    announce(status);
    return;
  }
  // Worse than all that may follow, until the file is opened anew.
  if (status.reason && status.reason->code == storage_failed && met.fault != data::Fault::corrupt)
    return;
  const bool is_postgresql = static_cast<bool>(options_.place);
  const std::string_view code = is_postgresql && met.fault == data::Fault::io_failed
                                    ? "data.connection_lost"
                                    : data::code_of(met.fault);
  status.reason =
      storage_reason(code, met.detail, data_name(options_.data, met.plugin, is_postgresql));
  if (met.fault == data::Fault::corrupt) {
    dependencies_.force_leave(met.plugin);
    deactivate(plugin, options_.drain);
    status.state = State::failed;
    log_failure(status);
  } else {
    observability::log_error("the storage of a plugin has a fault",
                             {{"plugin", met.plugin},
                              {"code", status.reason->code},
                              {"reason", describe(*status.reason)},
                              {"file", status.reason->file}});
  }
  announce(status);
}

}  // namespace tenon::plugins
