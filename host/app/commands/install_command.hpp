#pragma once

#include <string_view>

#include "app/commands/arguments.hpp"

namespace tenon::app {

/// True for what changes which packages, keys and exports an installation has: install, upgrade,
/// rollback, remove, exports, forget-export, trust, revoke, forget, keys.
bool is_install_action(std::string_view action) noexcept;

/// Runs one of them in the server that uses the data directory, or on the data where none runs;
/// gives the exit code. Throws UsageError.
int install_command(const Arguments& given);

/// What installing a package would do here; 1 where it is refused.
int print_package_plan(const Arguments& given);

}  // namespace tenon::app
