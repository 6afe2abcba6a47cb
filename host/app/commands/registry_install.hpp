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

/// Installs it from the registry that is configured, in the server that uses the data directory or
/// where none runs; gives the plugin as JSON. What it requires and is not here is installed first
/// where `with_required` says so, each without consents, and told on stderr. Throws base::Error 409
/// "plugins.requires_missing" that names what is to be installed first, and what speaks against it.
std::string install_from_registry(const Arguments& given, const RegistryWord& wanted,
                                  const std::vector<std::string>& consents, bool with_required);

/// What installing it would do, as JSON.
std::string examine_in_registry(const Arguments& given, const RegistryWord& wanted);

}  // namespace tenon::app
