#pragma once

#include <string>

#include "config/settings.hpp"

namespace tenon::app {

/// Runs an administrative command in the server that uses the data directory or, when none runs,
/// here on the data itself (the directory is locked meanwhile). Returns its JSON. Throws what the
/// command throws.
std::string run_command(const config::Settings& settings, const std::string& command,
                        const std::string& arguments);

}  // namespace tenon::app
