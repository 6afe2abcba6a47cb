#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packages/reason.hpp"
#include "registry/package_index.hpp"

namespace tenon::plugins {

/// The admin's trust in a key that signs packages.
enum class KeyTrust : std::uint8_t { unknown, trusted, revoked };

/// "unknown", "trusted", "revoked".
std::string_view to_string(KeyTrust trust) noexcept;

/// Returns the admin's trust in the key of this number.
using KeyTrustLookup = std::function<KeyTrust(const std::string& number)>;

/// The facts of this host that decide whether a package can be installed.
struct HostFacts {
  std::uint32_t abi_major = 0;
  std::uint32_t abi_minor = 0;
  std::string architecture;                      ///< "x86_64"
  std::map<std::string, std::string> installed;  ///< plugins by their ids, with their versions
  KeyTrustLookup key;                            ///< empty: no key is trusted
};

/// ABI and architecture of this host; nothing is installed and no key is trusted.
HostFacts facts_of_this_host();

/// A plugin that must be installed, or upgraded, together with another one.
struct Prerequisite {
  std::string id;
  std::string version;
};

/// Whether one version can be installed here.
struct VersionOffer {
  const IndexedVersion* version = nullptr;  ///< of the index
  /// Why not, for the admin; none where it can be. Codes: "plugins.abi_too_new",
  /// "plugins.abi_too_old", "plugins.wrong_architecture", "plugins.signer_unknown",
  /// "plugins.signer_revoked", "plugins.installed", "plugins.downgrade",
  /// "plugins.requires_missing", "plugins.requires_version".
  std::vector<Reason> reasons;
  /// The requirements that no present version satisfies, each with the newest installable version
  /// of the registry; their own requirements are in their own offers. Set only if there are no
  /// reasons.
  std::vector<Prerequisite> with;

  bool is_installable() const noexcept { return reasons.empty(); }
};

/// One plugin of the registry as this host sees it. Refers to the index.
struct PluginOffer {
  const IndexedPlugin* plugin = nullptr;
  std::string installed;               ///< version; empty where it is not here
  std::vector<VersionOffer> versions;  ///< one for each version, the newest first
  /// The newest release that can be installed, the newest prerelease where there is no such
  /// release; null where there is none.
  const VersionOffer* newest_installable() const noexcept;
};

/// Checks all plugins of an index, in its order. A plugin that requires another can be installed
/// if a suitable version of that one is installed or can be installed itself. Plugins that require
/// each other cannot. `index` must outlive the result. Calls `facts.key` once
/// for each key of the index.
std::vector<PluginOffer> check_compatibility(const PackageIndex& index, const HostFacts& facts);

}  // namespace tenon::plugins
