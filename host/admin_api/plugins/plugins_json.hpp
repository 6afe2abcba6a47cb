#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tenon::plugins {
struct PluginStatus;
struct PublicPathGrant;
}  // namespace tenon::plugins

namespace tenon::console {

struct PluginCrash;

/// The counters of a plugin at this moment.
struct PluginNumbers {
  std::uint64_t requests = 0;
  std::uint64_t errors = 0;
  std::size_t resident = 0;
};

/// The details of an audit record about a public path: {"path"}.
std::string path_details(const std::string& path);

/// The item of GET /api/core/plugins. `grants` are those of all plugins; `crash` is null if there
/// is none.
std::string plugin_json(const plugins::PluginStatus& status,
                        const std::vector<plugins::PublicPathGrant>& grants,
                        const PluginNumbers& numbers, const PluginCrash* crash = nullptr);

}  // namespace tenon::console
