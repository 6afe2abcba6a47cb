#pragma once

#include <string>
#include <string_view>

#include "app/commands/arguments.hpp"

namespace tenon::app {

/// Returns the folder of the SDK in an installation or a build folder: …/share/tenon/sdk.
std::string sdk_folder();

/// True for the words of `tenon plugin` that are about new plugins, packages and keys.
bool is_package_action(std::string_view action) noexcept;

/// Runs new, keygen, pack, sign or verify on files alone: no server, no data directory. Takes the
/// arguments of `tenon plugin`, returns the exit code, throws as every subcommand.
int package_command(const Arguments& given);

}  // namespace tenon::app
