#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "packages/signature/keys.hpp"
#include "registry/package_index.hpp"

namespace tenon::plugins {

struct BuiltRegistry {
  PackageIndex index;
  bool is_changed = true;  ///< false: it existed already, unchanged
};

/// Makes index.json and index.json.minisig of the packages in a folder and the folders below it,
/// and writes their screenshots next to them. Public keys of the signers are read from
/// keys/<number>.pub. Without a `serial`, the first index has serial 1; later ones keep the present
/// serial if nothing else changes, else add one. The same packages, serial and key give the same
/// bytes.
///
/// Nothing is written before all packages passed. Throws base::Error
/// "plugins.registry_build_refused" that names each package with its reason; Refusal
/// "plugins.registry_folder_invalid", "plugins.registry_serial", "plugins.registry_invalid",
/// "plugins.registry_too_large", "plugins.signature_key_invalid", "plugins.package_write_failed".
BuiltRegistry build_registry(const std::string& folder, const SecretKey& key,
                             std::optional<std::uint64_t> serial);

}  // namespace tenon::plugins
