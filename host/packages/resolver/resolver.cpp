#include "packages/resolver/resolver.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "packages/manifest/manifest.hpp"

namespace tenon::plugins {

namespace {

using Known = std::unordered_map<std::string, const Candidate*>;

Reason reason(const char* code, std::string message, const std::string& required) {
  return {code, std::move(message), "plugin.json", "requires." + required};
}

// The first reason, with the words of all.
void add(Reason& all, Reason next) {
  if (all.code.empty())
    all = std::move(next);
  else
    all.message += " " + next.message;
}

// Checks a plugin's own requirements, without those of the others. An empty code: satisfied.
Reason check_alone(const Candidate& candidate, const Known& known) {
  Reason all;
  for (const Requirement& required : candidate.manifest->requires_plugins) {
    const auto found = known.find(required.id);
    if (found == known.end()) {
      add(all, reason("plugins.requires_missing",
                      "The plugin \"" + required.id + "\" " + required.range.text() +
                          " is required and not installed. Install it first.",
                      required.id));
      continue;
    }
    const Candidate& other = *found->second;
    if (!required.range.matches(other.manifest->version)) {
      add(all, wrong_version(*candidate.manifest, required.id, required.range.text(),
                             other.manifest->version_text));
    } else if (!other.enabled || !other.is_sound) {
      add(all, inactive_requirement(*candidate.manifest, required.id));
    }
  }
  return all;
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

const Requirement* conflict(const Manifest& one, const Manifest& other) {
  for (const Requirement& named : one.conflicts) {
    if (named.id == other.id && named.range.matches(other.version)) return &named;
  }
  return nullptr;
}

/// Finds the order, and refuses; one use.
class Resolver {
 public:
  explicit Resolver(std::span<const Candidate> candidates) {
    for (const Candidate& candidate : candidates) {
      if (candidate.manifest) known_.emplace(candidate.manifest->id, &candidate);
    }
    for (const auto& [id, candidate] : known_) {
      for (const Requirement& required : candidate->manifest->requires_plugins)
        dependants_[required.id].push_back(id);
    }
  }

  Resolution run() {
    for (const auto& [id, candidate] : known_) {
      if (candidate->enabled && candidate->is_sound) startable_.insert(id);
    }
    const std::set<std::string> wanted = startable_;
    for (const std::string& id : wanted) {
      if (Reason why = check_alone(*known_.at(id), known_); !why.code.empty())
        refuse(id, std::move(why));
    }
    refuse_circles();
    refuse_conflicts();
    order();
    return std::move(resolution_);
  }

 private:
  // A refusal also refuses every plugin that requires the refused one.
  void refuse(const std::string& refused, Reason why) {
    if (startable_.erase(refused) == 0) return;
    resolution_.refused.emplace(refused, std::move(why));
    std::vector<std::string> failing{refused};
    while (!failing.empty()) {
      const std::string id = std::move(failing.back());
      failing.pop_back();
      for (const std::string& dependant : dependants_[id]) {
        if (startable_.erase(dependant) == 0) continue;
        resolution_.refused.emplace(dependant,
                                    inactive_requirement(*known_.at(dependant)->manifest, id));
        failing.push_back(dependant);
      }
    }
  }

  // Plugins that remain after all that can start have started wait for themselves, or for a plugin
  // that does.
  void refuse_circles() {
    std::set<std::string> waiting = startable_;
    std::unordered_map<std::string, std::size_t> missing;
    std::vector<std::string> ready;
    for (const std::string& id : startable_) {
      missing[id] = known_.at(id)->manifest->requires_plugins.size();
      if (missing[id] == 0) ready.push_back(id);
    }
    while (!ready.empty()) {
      const std::string id = std::move(ready.back());
      ready.pop_back();
      waiting.erase(id);
      for (const std::string& dependant : dependants_[id]) {
        if (waiting.contains(dependant) && --missing[dependant] == 0) ready.push_back(dependant);
      }
    }
    for (const std::string& id : waiting) {
      startable_.erase(id);
      resolution_.refused.emplace(
          id, Reason{"plugins.requires_cycle",
                     "Plugins require each other in a circle: " + name_cycle(id, known_, waiting) +
                         ". Disable one of them.",
                     "plugin.json", "requires"});
    }
  }

  void refuse_conflicts() {
    const std::set<std::string> sound = startable_;
    for (const std::string& id : sound) {
      const Manifest& own = *known_.at(id)->manifest;
      Reason all;
      for (const Requirement& named : own.conflicts) {
        if (!sound.contains(named.id)) continue;
        const Manifest& other = *known_.at(named.id)->manifest;
        // Of two that name each other one may run.
        if (!conflict(own, other) || (id < named.id && conflict(other, own))) continue;
        add(all, conflicting(own, other));
      }
      if (!all.code.empty()) refuse(id, std::move(all));
    }
  }

  // Optional plugins come first as far as no circle is made of them.
  void order() {
    std::map<std::string, std::set<std::string>> awaited;
    for (const std::string& id : startable_) {
      const Manifest& own = *known_.at(id)->manifest;
      auto& others = awaited[id];
      for (const Requirement& required : own.requires_plugins)
        others.insert(required.id);
      for (const Requirement& optional : own.optional_plugins) {
        if (startable_.contains(optional.id) &&
            optional.range.matches(known_.at(optional.id)->manifest->version))
          others.insert(optional.id);
      }
    }
    std::unordered_map<std::string, std::vector<std::string>> waiting_for;
    std::set<std::string> ready;
    for (const auto& [id, others] : awaited) {
      if (others.empty()) ready.insert(id);
      for (const std::string& other : others)
        waiting_for[other].push_back(id);
    }
    while (!awaited.empty()) {
      if (ready.empty()) ready.insert(give_up_optional(awaited));
      const std::string id = *ready.begin();
      ready.erase(ready.begin());
      if (awaited.erase(id) == 0) continue;
      resolution_.order.push_back(id);
      for (const std::string& other : waiting_for[id]) {
        const auto found = awaited.find(other);
        if (found != awaited.end() && found->second.erase(id) != 0 && found->second.empty())
          ready.insert(other);
      }
    }
  }

  // All plugins wait: finds a circle, and removes optional plugins from its members until one waits
  // for no other. There is one, because a circle has no required plugin. Returns the one that may
  // start.
  std::string give_up_optional(std::map<std::string, std::set<std::string>>& awaited) const {
    while (true) {
      std::vector<std::string> way;
      std::string at = awaited.begin()->first;
      while (std::find(way.begin(), way.end(), at) == way.end()) {
        way.push_back(at);
        at = *awaited.at(at).begin();
      }
      way.erase(way.begin(), std::find(way.begin(), way.end(), at));
      for (std::size_t i = 0; i < way.size(); ++i) {
        const std::string& next = way[(i + 1) % way.size()];
        if (known_.at(way[i])->manifest->is_required(next)) continue;
        auto& others = awaited.at(way[i]);
        others.erase(next);
        if (others.empty()) return way[i];
        break;
      }
    }
  }

  Known known_;
  std::unordered_map<std::string, std::vector<std::string>> dependants_;
  std::set<std::string> startable_;
  Resolution resolution_;
};

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

bool has_conflict(const Manifest& one, const Manifest& other) {
  return conflict(one, other) || conflict(other, one);
}

Reason conflicting(const Manifest& refused, const Manifest& other) {
  const Requirement* own = conflict(refused, other);
  const Manifest& naming = own ? refused : other;
  const Requirement* named = own ? own : conflict(other, refused);
  return {"plugins.conflict",
          "\"" + refused.id + "\" and \"" + other.id + "\" " + other.version_text +
              " cannot run together: \"" + naming.id + "\" names \"" + named->id + "\" " +
              named->range.text() + " under conflicts. Disable \"" + other.id + "\", or keep \"" +
              refused.id + "\" disabled.",
          "plugin.json", "conflicts." + named->id};
}

Resolution resolve(std::span<const Candidate> candidates) {
  return Resolver(candidates).run();
}

}  // namespace tenon::plugins
