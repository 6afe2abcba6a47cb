#include "admin_api/plugins/last_crashes.hpp"

#include <utility>

namespace tenon::console {

void LastCrashes::set(const std::string& plugin, PluginCrash crash) {
  const std::lock_guard lock(mutex_);
  crashes_[plugin] = std::move(crash);
}

void LastCrashes::set_trace(const std::string& plugin, std::vector<std::string> trace) {
  const std::lock_guard lock(mutex_);
  if (const auto found = crashes_.find(plugin); found != crashes_.end())
    found->second.trace = std::move(trace);
}

std::optional<PluginCrash> LastCrashes::find(std::string_view plugin) const {
  const std::lock_guard lock(mutex_);
  const auto found = crashes_.find(plugin);
  if (found == crashes_.end()) return std::nullopt;
  return found->second;
}

}  // namespace tenon::console
