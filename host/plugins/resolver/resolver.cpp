#include "plugins/resolver/resolver.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "plugins/manifest/manifest.hpp"

namespace tenon::plugins {

namespace {

using Known = std::unordered_map<std::string, const Candidate*>;

Reason reason(const char* code, std::string message, const std::string& required) {
  return {code, std::move(message), "plugin.json", "requires." + required};
}

// What is wrong with a plugin's requirements when those of the others are not looked at. No code:
// nothing.
Reason check_alone(const Candidate& candidate, const Known& known) {
  for (const Requirement& required : candidate.manifest->requires_plugins) {
    const auto found = known.find(required.id);
    if (found == known.end()) {
      return reason("plugins.requires_missing",
                    "The plugin \"" + required.id + "\" " + required.range.text() +
                        " is required and not installed.",
                    required.id);
    }
    const Candidate& other = *found->second;
    if (!required.range.matches(other.manifest->version)) {
      return wrong_version(*candidate.manifest, required.id, required.range.text(),
                           other.manifest->version_text);
    }
    if (!other.enabled || !other.is_sound)
      return inactive_requirement(*candidate.manifest, required.id);
  }
  return {};
}

// "a → b → a", found by going from a plugin that waits to one that it waits for.
std::string name_cycle(const std::string& start, const Known& known,
                       const std::set<std::string>& waiting) {
  std::vector<std::string> way;
  std::string at = start;
  while (std::find(way.begin(), way.end(), at) == way.end()) {
    way.push_back(at);
    const auto& requirements = known.at(at)->manifest->requires_plugins;
    const auto next = std::find_if(
        requirements.begin(), requirements.end(),
        [&waiting](const Requirement& required) { return waiting.contains(required.id); });
    at = next->id;
  }
  way.erase(way.begin(), std::find(way.begin(), way.end(), at));
  std::string text;
  for (const std::string& id : way)
    text += id + " → ";
  return text + at;
}

}  // namespace

Reason wrong_version(const Manifest&, const std::string& required, const std::string& range,
                     const std::string& version) {
  return reason("plugins.requires_version",
                "The plugin \"" + required + "\" " + range + " is required; version " + version +
                    " is installed.",
                required);
}

Reason inactive_requirement(const Manifest&, const std::string& required) {
  return reason("plugins.requires_inactive",
                "The plugin \"" + required + "\" is required and not active. Enable it first.",
                required);
}

Resolution resolve(std::span<const Candidate> candidates) {
  Resolution resolution;
  Known known;
  for (const Candidate& candidate : candidates) {
    if (candidate.manifest) known.emplace(candidate.manifest->id, &candidate);
  }

  std::set<std::string> waiting;
  std::vector<std::string> failing;
  for (const auto& [id, candidate] : known) {
    if (!candidate->enabled || !candidate->is_sound) continue;
    if (Reason why = check_alone(*candidate, known); !why.code.empty()) {
      resolution.refused.emplace(id, std::move(why));
      failing.push_back(id);
    } else {
      waiting.insert(id);
    }
  }

  std::unordered_map<std::string, std::vector<std::string>> dependants;
  std::unordered_map<std::string, std::size_t> missing;
  for (const auto& [id, candidate] : known) {
    for (const Requirement& required : candidate->manifest->requires_plugins)
      dependants[required.id].push_back(id);
  }
  // A refusal reaches everybody who stands on the refused.
  while (!failing.empty()) {
    const std::string id = std::move(failing.back());
    failing.pop_back();
    for (const std::string& dependant : dependants[id]) {
      if (waiting.erase(dependant) == 0) continue;
      resolution.refused.emplace(dependant,
                                 inactive_requirement(*known.at(dependant)->manifest, id));
      failing.push_back(dependant);
    }
  }

  std::set<std::string> ready;
  for (const std::string& id : waiting) {
    missing[id] = known.at(id)->manifest->requires_plugins.size();
    if (missing[id] == 0) ready.insert(id);
  }
  while (!ready.empty()) {
    const std::string id = *ready.begin();
    ready.erase(ready.begin());
    waiting.erase(id);
    resolution.order.push_back(id);
    for (const std::string& dependant : dependants[id]) {
      if (waiting.contains(dependant) && --missing[dependant] == 0) ready.insert(dependant);
    }
  }
  // What is left waits for itself, or for somebody who does.
  for (const std::string& id : waiting) {
    resolution.refused.emplace(
        id,
        Reason{"plugins.requires_cycle",
               "Plugins require each other in a circle: " + name_cycle(id, known, waiting) + ".",
               "plugin.json", "requires"});
  }
  return resolution;
}

}  // namespace tenon::plugins
