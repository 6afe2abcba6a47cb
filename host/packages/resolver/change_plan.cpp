#include "packages/resolver/change_plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "packages/manifest/manifest.hpp"

namespace tenon::plugins {

namespace {

using Kind = Change::Kind;

std::string quoted(const std::string& id) {
  return "\"" + id + "\"";
}

const Manifest* manifest_of(std::span<const Candidate> all, const std::string& id) {
  const auto found = std::find_if(all.begin(), all.end(), [&id](const Candidate& candidate) {
    return candidate.manifest && candidate.manifest->id == id;
  });
  return found == all.end() ? nullptr : found->manifest;
}

bool contains(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::vector<Candidate> after(std::span<const Candidate> installed, const Change& change) {
  std::vector<Candidate> all;
  for (const Candidate& candidate : installed) {
    if (!candidate.manifest) continue;
    Candidate next = candidate;
    if (candidate.manifest->id == change.id) {
      if (change.kind == Kind::remove) continue;
      if (change.kind == Kind::upgrade) next = {change.manifest, candidate.enabled, true};
      if (change.kind == Kind::enable) next.enabled = true;
      if (change.kind == Kind::disable) next.enabled = false;
    }
    all.push_back(next);
  }
  if (change.kind == Kind::install) all.push_back({change.manifest, true, true});
  return all;
}

// The reason for a running plugin that could not start after the change.
Reason cannot_start(const Change& change, const Manifest& plugin, const Reason& why) {
  const auto required =
      std::find_if(plugin.requires_plugins.begin(), plugin.requires_plugins.end(),
                   [&change](const Requirement& one) { return one.id == change.id; });
  if (required == plugin.requires_plugins.end() || why.code == "plugins.conflict" ||
      why.code == "plugins.requires_cycle") {
    return {why.code, quoted(plugin.id) + " could not start then. " + why.message, why.file,
            why.path};
  }
  std::string text =
      quoted(plugin.id) + " requires " + quoted(change.id) + " " + required->range.text();
  if (change.kind == Kind::upgrade) {
    text += ", and would get " + change.manifest->version_text + ". Upgrade " + quoted(plugin.id) +
            " first, or disable it.";
  } else {
    text += ". Disable or remove " + quoted(plugin.id) + " first.";
  }
  return {"plugins.required_by", std::move(text), {}, {}};
}

/// One planning; one use.
class Planner {
 public:
  Planner(std::span<const Candidate> installed, const Change& change)
      : change_(change),
        installed_(installed),
        changed_(after(installed, change)),
        before_(resolve(installed_)),
        after_(resolve(changed_)) {}

  ChangePlan run() {
    if (check_subject() && check_change()) {
      note_optional();
      make_steps();
    }
    return std::move(plan_);
  }

 private:
  bool check_subject() {
    const bool is_there = manifest_of(installed_, change_.id) != nullptr;
    if (change_.kind == Kind::install && is_there) {
      plan_.refused.push_back({"plugins.already_installed",
                               quoted(change_.id) + " is installed already. Upgrade it.",
                               {},
                               {}});
    } else if (change_.kind != Kind::install && !is_there) {
      plan_.refused.push_back(
          {"plugins.unknown", "There is no plugin " + quoted(change_.id) + ".", {}, {}});
    }
    return plan_.refused.empty();
  }

  bool check_change() {
    const bool must_start = change_.kind == Kind::install || change_.kind == Kind::enable ||
                            change_.kind == Kind::upgrade;
    if (const auto own = after_.refused.find(change_.id); must_start && own != after_.refused.end())
      plan_.refused.push_back(own->second);
    for (const std::string& id : before_.order) {
      if (id == change_.id) continue;
      const auto refused = after_.refused.find(id);
      if (refused == after_.refused.end()) continue;
      plan_.refused.push_back(cannot_start(change_, *manifest_of(installed_, id), refused->second));
    }
    return plan_.refused.empty();
  }

  // Whether a plugin works with an optional one among these.
  static bool works_with(const Requirement& optional, std::span<const Candidate> all,
                         const Resolution& resolution) {
    return contains(resolution.order, optional.id) &&
           optional.range.matches(manifest_of(all, optional.id)->version);
  }

  void note_optional() {
    for (const std::string& id : after_.order) {
      for (const Requirement& optional : manifest_of(changed_, id)->optional_plugins) {
        if (works_with(optional, changed_, after_)) continue;
        const Manifest* other = manifest_of(changed_, optional.id);
        const bool is_lost = contains(before_.order, id) && optional.id == change_.id &&
                             works_with(optional, installed_, before_);
        const bool is_new = (id == change_.id && other) ||
                            (optional.id == change_.id && contains(after_.order, optional.id));
        if (!is_lost && !is_new) continue;
        std::string text = quoted(id) + " works with " + quoted(optional.id) + " " +
                           optional.range.text() + ", and will do without it: ";
        if (!other)
          text += "it is removed.";
        else if (!contains(after_.order, optional.id))
          text += "it does not run.";
        else
          text += "version " + other->version_text + " will be there.";
        plan_.notes.push_back(std::move(text));
      }
    }
  }

  // Returns the running plugins among the subject and its dependants, indirect ones too.
  std::set<std::string> find_stopped() const {
    std::set<std::string> stopped;
    if (!contains(before_.order, change_.id)) return stopped;
    const bool is_swap = change_.kind == Kind::upgrade && !change_.stops_dependants;
    if (change_.kind == Kind::enable || is_swap) return stopped;
    stopped.insert(change_.id);
    for (const std::string& id : before_.order) {
      const auto& required = manifest_of(installed_, id)->requires_plugins;
      if (std::any_of(required.begin(), required.end(),
                      [&stopped](const Requirement& one) { return stopped.contains(one.id); }))
        stopped.insert(id);
    }
    return stopped;
  }

  void make_steps() {
    const std::set<std::string> stopped = find_stopped();
    for (auto id = before_.order.rbegin(); id != before_.order.rend(); ++id) {
      if (stopped.contains(*id)) plan_.steps.push_back({Step::Kind::stop, *id});
    }
    constexpr Step::Kind kinds[] = {Step::Kind::install, Step::Kind::upgrade, Step::Kind::remove,
                                    Step::Kind::enable, Step::Kind::disable};
    plan_.steps.push_back({kinds[static_cast<std::size_t>(change_.kind)], change_.id});
    for (const std::string& id : after_.order) {
      if (stopped.contains(id) || !contains(before_.order, id))
        plan_.steps.push_back({Step::Kind::start, id});
    }
  }

  const Change& change_;
  const std::span<const Candidate> installed_;
  const std::vector<Candidate> changed_;
  const Resolution before_;
  const Resolution after_;
  ChangePlan plan_;
};

}  // namespace

ChangePlan plan_change(std::span<const Candidate> installed, const Change& change) {
  return Planner(installed, change).run();
}

std::string describe(const Step& step) {
  constexpr const char* words[] = {"stop",   "install", "upgrade", "remove",
                                   "enable", "disable", "start"};
  return words[static_cast<std::size_t>(step.kind)] + (" " + step.id);
}

}  // namespace tenon::plugins
