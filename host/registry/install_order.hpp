#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"
#include "registry/compatibility.hpp"

namespace tenon::plugins {

/// A plugin that is here.
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

/// What has to be installed for a version of the registry, and when.
struct InstallOrder {
  /// Each can be installed when those before it are; the last is what was asked for. None where it
  /// is refused.
  std::vector<InstallStep> steps;
  std::vector<Reason> refused;  ///< why not; none where it can be done
};

/// Versions that are tried for one order; beyond it is refused.
inline constexpr std::size_t max_versions_tried = 1'000;

/// Finds versions of the registry that meet what the verdict's version requires, and what those
/// require in turn: those that are here where they will do, else the newest that can be installed
/// and goes together with all others. The resolver says in which order, and judges each step as an
/// installation would be. Reasons: those of the offer, of plan_change(), and
/// "plugins.requires_conflict". `offers` is the result of check_compatibility() with `offer` in it;
/// the result refers to its index. Pure.
InstallOrder order_installs(const std::vector<PluginOffer>& offers, const PluginOffer& plugin,
                            const VersionOffer& offer, const std::vector<InstalledPlugin>& present);

/// Adds to the offer of one plugin what order_installs() finds for each version that can
/// be installed: `with` has all that comes before it, in order; one that has no order gets its
/// reasons.
void settle(std::vector<PluginOffer>& offers, PluginOffer& plugin,
            const std::vector<InstalledPlugin>& present);

}  // namespace tenon::plugins
