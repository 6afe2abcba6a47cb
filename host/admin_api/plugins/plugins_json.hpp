#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tenon::plugins {
struct PluginStatus;
}

namespace tenon::console {

struct PluginCrash;

/// The counters of a plugin at this moment.
struct PluginNumbers {
  std::uint64_t requests = 0;
  std::uint64_t errors = 0;
  std::size_t resident = 0;
};

/// The item of GET /api/core/plugins. `crash` is null if there is none.
std::string plugin_json(const plugins::PluginStatus& status, const PluginNumbers& numbers,
                        const PluginCrash* crash = nullptr);

}  // namespace tenon::console
