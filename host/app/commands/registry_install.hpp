#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/arguments.hpp"

namespace tenon::app {

/// A plugin of the registry as the command line names it.
struct RegistryWord {
  std::string id;
  std::string version;  ///< empty: the newest that can be installed
};

/// "notes" or "notes@1.2.0"; nothing for what has another form, and for the name of something that
/// is there as a file or a folder.
std::optional<RegistryWord> registry_word(const std::string& word);

/// Installs a plugin from the configured registry, in the server that uses the data directory or
/// without one. Returns the plugin as JSON. With `with_required`, missing requirements are
/// installed first, each without consents, and printed on stderr. Throws base::Error 409
/// "plugins.requires_missing", which names the plugins to install first and the reasons against
/// them.
std::string install_from_registry(const Arguments& given, const RegistryWord& wanted,
                                  const std::vector<std::string>& consents, bool with_required);

/// Returns the plan of its installation as JSON.
std::string plan_in_registry(const Arguments& given, const RegistryWord& wanted);

}  // namespace tenon::app
