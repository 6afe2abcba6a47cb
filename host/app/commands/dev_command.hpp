#pragma once

#include "app/commands/arguments.hpp"

namespace tenon::app {

/// `tenon plugin build` and `tenon plugin test`. They throw UsageError, base::Error "dev.failed",
/// and as PluginProject.
int build_plugin(const Arguments& given);
int test_plugin(const Arguments& given);

}  // namespace tenon::app
