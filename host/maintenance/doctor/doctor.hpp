#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "maintenance/doctor/report.hpp"

namespace tenon::console {

/// The installation that tenon doctor checks.
struct CheckedInstallation {
  std::string data;                               ///< absolute; may be missing
  std::optional<config::Settings> settings = {};  ///< nothing when they are wrong
  std::vector<std::string> mistakes = {};         ///< of the configuration, a sentence each
  bool is_full = false;                           ///< reads databases thoroughly
  std::string host_version = {};                  ///< of this binary
};

/// Checks configuration, data directory, databases, plugins, clock, certificates, limits and
/// libraries. Changes nothing, and works with a running server as well as without one. Blocks as
/// long as it takes to read the databases.
Report run_checks(const CheckedInstallation& installation);

}  // namespace tenon::console
