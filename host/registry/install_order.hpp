#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"
#include "registry/compatibility.hpp"

namespace tenon::plugins {

/// A present plugin.
struct InstalledPlugin {
  Manifest manifest;
  bool enabled = true;
  bool is_sound = true;  ///< false: refused already for another reason
};

/// One installation, or upgrade, on the way to a plugin of the registry.
struct InstallStep {
  std::string id;
  const IndexedVersion* version = nullptr;  ///< of the index
  std::string from;                         ///< version that is here; empty: none
};

/// The steps to install a version of the registry with its requirements.
struct InstallOrder {
  /// Each can be installed when those before it are; the last is the requested one. None if it is
  /// refused.
  std::vector<InstallStep> steps;
  std::vector<Reason> refused;  ///< why not; none if it can be done
};

/// Versions that are tried for one order; beyond this it is refused.
inline constexpr std::size_t max_versions_tried = 1'000;

/// Finds versions that satisfy the requirements of the offered version, and their own requirements:
/// the present ones if they satisfy them, else the newest that can be installed and is compatible
/// with all others. The resolver gives the order and checks each step as an installation would be.
/// Reasons: those of the offer, of plan_change(), and "plugins.requires_conflict". `offers` is the
/// result of check_compatibility() with `offer` in it; the result refers to its index. Pure.
InstallOrder order_installs(const std::vector<PluginOffer>& offers, const PluginOffer& plugin,
                            const VersionOffer& offer, const std::vector<InstalledPlugin>& present);

/// Adds the result of order_installs() to each installable version of the plugin's offer. `with`
/// has all steps before it, in order; a version without an order gets the reasons.
void add_install_orders(std::vector<PluginOffer>& offers, PluginOffer& plugin,
                        const std::vector<InstalledPlugin>& present);

}  // namespace tenon::plugins
