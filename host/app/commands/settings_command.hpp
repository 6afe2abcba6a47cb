#pragma once

namespace tenon::app {

struct Arguments;

/// Runs `tenon plugin settings ID [KEY [VALUE]]`: lists the settings of a plugin, prints one, or
/// sets one. Returns the exit code. Throws UsageError, and what run_command() throws.
int settings_command(const Arguments& given);

}  // namespace tenon::app
