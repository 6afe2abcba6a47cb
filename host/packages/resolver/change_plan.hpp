#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packages/reason.hpp"
#include "packages/resolver/resolver.hpp"

namespace tenon::plugins {

/// A requested change of one plugin.
struct Change {
  enum class Kind : std::uint8_t { install, upgrade, remove, enable, disable };
  Kind kind;
  std::string id;
  const Manifest* manifest = nullptr;  ///< the new one: of install and upgrade only
  /// For upgrades: false if the new generation replaces the old one while that still runs, so that
  /// no other plugin has to stop.
  bool stops_dependants = true;
};

struct Step {
  enum class Kind : std::uint8_t { stop, install, upgrade, remove, enable, disable, start };
  Kind kind;
  std::string id;

  friend bool operator==(const Step&, const Step&) = default;
};

/// The steps of a change, or the reasons against it.
struct ChangePlan {
  std::vector<Step> steps;      ///< in order; none if the change is refused
  std::vector<Reason> refused;  ///< all reasons; none if the change may be done
  /// Sentences for the admin: which plugins will run without an optional plugin.
  std::vector<std::string> notes;
};

/// Plans a change to these plugins, of which those run that resolve() starts. The dependants of a
/// stopped plugin stop before it, the last first, and start again after it. A plugin that could not
/// start until now starts if the change adds what it missed. A change after which a running plugin
/// could not start is refused, with a reason for each. Reasons in addition to those of resolve(),
/// whose messages name the plugin: "plugins.unknown", "plugins.already_installed",
/// "plugins.required_by". Pure.
ChangePlan plan_change(std::span<const Candidate> installed, const Change& change);

/// "stop notes".
std::string describe(const Step& step);

}  // namespace tenon::plugins
