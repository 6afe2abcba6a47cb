#pragma once

#include <string>
#include <vector>

namespace tenon::app {

/// Exit codes of every subcommand.
enum ExitCode : int { exit_done = 0, exit_refused = 1, exit_usage = 2 };

/// Runs `tenon ARGUMENTS…`; returns the exit code. Prints refusals on stderr.
int run(const std::vector<std::string>& arguments);

}  // namespace tenon::app
