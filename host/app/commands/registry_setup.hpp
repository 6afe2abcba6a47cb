#pragma once

#include <memory>
#include <string>

#include "config/settings.hpp"
#include "packages/keyring/keyring.hpp"
#include "registry/compatibility.hpp"
#include "registry/downloads.hpp"
#include "registry/index_cache.hpp"

namespace tenon::console {
class PackageAdmin;
}

namespace tenon::app {

/// The index of the registry that is configured, kept in `folder`; null where none is. Throws
/// base::Error 422 "config.invalid" where one of registry.url and registry.key is missing, and
/// Refusal "plugins.registry_place_invalid".
std::unique_ptr<plugins::IndexCache> make_index_cache(const config::Settings& settings,
                                                      std::string folder);

/// Returns the trust that the keyring has in the key of this number.
plugins::KeyTrust standing_of(const plugins::Keyring& keyring, const std::string& number);

/// Keeps what came from the registry until it is installed; `admin` outlives it.
plugins::Downloads::Keep keep_in(console::PackageAdmin& admin);

}  // namespace tenon::app
