#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "maintenance/doctor/report.hpp"

namespace tenon::console {

/// What tenon doctor is to look at.
struct CheckedInstallation {
  std::string data;                               ///< absolute; may be missing
  std::optional<config::Settings> settings = {};  ///< nothing when they are wrong
  std::vector<std::string> mistakes = {};         ///< of the configuration, a sentence each
  bool is_full = false;                           ///< reads databases thoroughly
  std::string host_version = {};                  ///< of this binary
};

/// Looks at configuration, data directory, databases, plugins, clock, certificates, limits and
/// libraries. Changes nothing, and works beside a running server as well as without one. Blocks,
/// for as long as it takes to read the databases.
Report examine(const CheckedInstallation& patient);

}  // namespace tenon::console
