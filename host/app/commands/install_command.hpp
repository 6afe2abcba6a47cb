#pragma once

#include <string_view>

#include "app/commands/arguments.hpp"

namespace tenon::app {

/// True for what changes which packages, keys and exports an installation has: install, upgrade,
/// rollback, remove, exports, export delete, trust, revoke, forget, keys.
bool is_install_action(std::string_view action) noexcept;

/// Runs one of them in the server that uses the data directory, or on the data where none runs;
/// gives the exit code. Throws UsageError.
int install_command(const Arguments& given);

/// Prints the plan of an installation here; returns 1 if it is refused.
int print_package_plan(const Arguments& given);

}  // namespace tenon::app
