#pragma once

#include <string>
#include <string_view>

namespace tenon::app {

struct Command;

/// Returns the help of all commands: a line each, in groups.
std::string overview();

/// Returns the help of the commands whose name begins with `group`, such as "plugin".
std::string overview_of(std::string_view group);

/// Returns the whole help of one command.
std::string help_of(const Command& command);

/// Returns docs/commands.md, whole. A test compares the file with it.
std::string commands_markdown();

}  // namespace tenon::app
