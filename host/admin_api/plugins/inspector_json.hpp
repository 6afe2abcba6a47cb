#pragma once

#include <string>
#include <string_view>

namespace tenon::console {

/// Returns what this process recorded of a plugin (observability/recorder.hpp) as JSON, and has its
/// requests and statements recorded for some seconds more. `query` may have `log` and `requests`:
/// the numbers of the last records that the caller has. Throws 422 "plugins.inspector_cursor" for
/// one that is no number.
std::string inspect(const std::string& plugin, std::string_view query);

}  // namespace tenon::console
