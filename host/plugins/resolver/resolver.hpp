#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "plugins/reason.hpp"

namespace tenon::plugins {

struct Manifest;

/// A plugin that is there, as the resolver looks at it.
struct Candidate {
  const Manifest* manifest = nullptr;
  bool enabled = true;
  bool is_sound = true;  ///< false: refused already for another reason
};

/// Which plugins may start, and when.
struct Resolution {
  std::vector<std::string>
      order;  ///< every plugin after those that it requires; by id where that leaves a choice
  std::map<std::string, Reason> refused;  ///< enabled plugins that cannot start
};

/// Orders enabled plugins by what they require. Reasons: "plugins.requires_missing",
/// "plugins.requires_version", "plugins.requires_inactive" (disabled, refused, or failed itself),
/// "plugins.requires_cycle". Ids are unique. Pure.
Resolution resolve(std::span<const Candidate> candidates);

/// The refusal of a plugin whose requirement `required` is there in the wrong version.
Reason wrong_version(const Manifest& manifest, const std::string& required,
                     const std::string& range, const std::string& version);
/// The refusal of a plugin whose requirement is not active.
Reason inactive_requirement(const Manifest& manifest, const std::string& required);

}  // namespace tenon::plugins
