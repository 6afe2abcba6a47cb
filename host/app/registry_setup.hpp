#pragma once

#include <map>
#include <memory>
#include <string>

#include "config/settings.hpp"
#include "plugins/lifecycle/registry.hpp"
#include "plugins/registry/index_cache.hpp"
#include "plugins/registry/judge.hpp"
#include "plugins/store/keyring.hpp"

namespace tenon::app {

/// The index of the registry that is configured, kept in `folder`; null where none is. Throws
/// base::Error 422 "config.invalid" where one of registry.url and registry.key is missing, and
/// Refusal "plugins.registry_place_invalid".
std::unique_ptr<plugins::IndexCache> make_index_cache(const config::Settings& settings,
                                                      std::string folder);

/// What the keyring says of the key of this number.
plugins::KeyStanding standing_of(const plugins::Keyring& keyring, const std::string& number);

/// Plugins of a listing by their ids, with their versions.
std::map<std::string, std::string> versions_of(const plugins::Listing& listing);

}  // namespace tenon::app
