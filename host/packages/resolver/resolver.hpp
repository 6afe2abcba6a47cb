#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "packages/reason.hpp"

namespace tenon::plugins {

struct Manifest;

/// A plugin as the resolver sees it.
struct Candidate {
  const Manifest* manifest = nullptr;
  bool enabled = true;
  bool is_sound = true;  ///< false: refused already for another reason
};

/// The plugins that may start, and their order.
struct Resolution {
  /// Every plugin after those that it requires, and after optional ones where those do not wait for
  /// it; by id where that leaves a choice.
  std::vector<std::string> order;
  std::map<std::string, Reason> refused;  ///< enabled plugins that cannot start
};

/// Orders enabled plugins by what they require and use. Reasons: "plugins.requires_missing",
/// "plugins.requires_version", "plugins.requires_inactive" (disabled, refused, or failed itself),
/// "plugins.requires_cycle", "plugins.conflict" (if both could start otherwise, the one that names
/// the other is refused; if both do, the later by id). If a plugin has several reasons, the message
/// has the words of all. An optional plugin in a wrong version counts as missing.
/// Ids are unique. Pure.
Resolution resolve(std::span<const Candidate> candidates);

/// Returns the refusal of a plugin whose requirement `required` has the wrong version.
Reason wrong_version(const Manifest& manifest, const std::string& required,
                     const std::string& range, const std::string& version);
/// Returns the refusal of a plugin whose requirement is not active.
Reason inactive_requirement(const Manifest& manifest, const std::string& required);
/// Returns whether one of them names the other, in its version, under conflicts.
bool has_conflict(const Manifest& one, const Manifest& other);
/// Returns the refusal of a plugin that has a conflict with another.
Reason conflicting(const Manifest& refused, const Manifest& other);

}  // namespace tenon::plugins
