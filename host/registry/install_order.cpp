#include "registry/install_order.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "packages/resolver/change_plan.hpp"

namespace tenon::plugins {

namespace {

Manifest manifest_of(const IndexedPlugin& plugin, const IndexedVersion& version) {
  Manifest manifest;
  manifest.id = plugin.id;
  manifest.name = plugin.name;
  manifest.version = version.version;
  manifest.version_text = version.version_text;
  manifest.has_library = version.has_library;
  manifest.abi_major = version.abi_major;
  manifest.abi_minor = version.abi_minor;
  manifest.requires_plugins = version.requires_plugins;
  return manifest;
}

/// One ordering; one use.
class Ordering {
 public:
  Ordering(const std::vector<PluginOffer>& offers, const std::vector<InstalledPlugin>& present)
      : offers_(offers), present_(present) {}

  InstallOrder run(const PluginOffer& plugin, const VersionOffer& offer) {
    choose(plugin, *offer.version);
    if (!satisfy_requirements() && order_.refused.empty()) {
      order_.refused.push_back(
          {"plugins.requires_conflict",
           "The registry has no versions of what it requires that go together with each other and "
           "with what is installed.",
           {},
           {}});
    }
    if (!order_.steps.empty()) order_.refused.clear();
    return std::move(order_);
  }

 private:
  struct Chosen {
    const IndexedVersion* version;
    Manifest manifest;
  };

  void choose(const PluginOffer& plugin, const IndexedVersion& version) {
    chosen_.push_back({&version, manifest_of(*plugin.plugin, version)});
  }

  const InstalledPlugin* find_present(const std::string& id) const {
    const auto found =
        std::find_if(present_.begin(), present_.end(),
                     [&id](const InstalledPlugin& one) { return one.manifest.id == id; });
    return found == present_.end() ? nullptr : &*found;
  }
  const Chosen* find_chosen(const std::string& id) const {
    const auto found = std::find_if(chosen_.begin(), chosen_.end(),
                                    [&id](const Chosen& one) { return one.manifest.id == id; });
    return found == chosen_.end() ? nullptr : &*found;
  }
  const PluginOffer* find_offer(const std::string& id) const {
    const auto found = std::lower_bound(
        offers_.begin(), offers_.end(), id,
        [](const PluginOffer& one, const std::string& wanted) { return one.plugin->id < wanted; });
    return found == offers_.end() || found->plugin->id != id ? nullptr : &*found;
  }

  // Returns a requirement that no chosen and no present plugin satisfies; null: there is none.
  const Requirement* first_unmet() const {
    for (const Chosen& one : chosen_) {
      for (const Requirement& requirement : one.manifest.requires_plugins) {
        const Chosen* chosen = find_chosen(requirement.id);
        const InstalledPlugin* here = chosen ? nullptr : find_present(requirement.id);
        const SemanticVersion* version = chosen ? &chosen->manifest.version
                                         : here ? &here->manifest.version
                                                : nullptr;
        if (!version || !requirement.range.matches(*version)) return &requirement;
      }
    }
    return nullptr;
  }

  // Returns whether the version suits the chosen plugins and those that stay.
  bool suits_others(const std::string& id, const SemanticVersion& version) const {
    const auto suits = [&](const Manifest& other, const SemanticVersion* before) {
      return std::all_of(other.requires_plugins.begin(), other.requires_plugins.end(),
                         [&](const Requirement& one) {
                           if (one.id != id || one.range.matches(version)) return true;
                           // A plugin that could not start before is no worse off.
                           return before && !one.range.matches(*before);
                         });
    };
    const InstalledPlugin* here = find_present(id);
    return std::all_of(chosen_.begin(), chosen_.end(),
                       [&](const Chosen& one) { return suits(one.manifest, nullptr); }) &&
           std::all_of(present_.begin(), present_.end(), [&](const InstalledPlugin& one) {
             return !one.enabled || find_chosen(one.manifest.id) || one.manifest.id == id ||
                    suits(one.manifest, here ? &here->manifest.version : nullptr);
           });
  }

  // Chooses further versions until every requirement is satisfied; backtracks from a dead end.
  bool satisfy_requirements() {
    const Requirement* unmet = first_unmet();
    if (unmet == nullptr) return put_in_order();
    const std::string id = unmet->id;
    const VersionRange range = unmet->range;
    const PluginOffer* plugin = find_chosen(id) ? nullptr : find_offer(id);
    if (plugin == nullptr) return false;
    for (const bool is_release : {true, false}) {
      for (const VersionOffer& offer : plugin->versions) {
        const IndexedVersion& version = *offer.version;
        if (version.version.prerelease.empty() != is_release || !offer.is_installable() ||
            !range.matches(version.version) || !suits_others(id, version.version))
          continue;
        if (++tried_ > max_versions_tried) return false;
        choose(*plugin, version);
        if (satisfy_requirements()) return true;
        chosen_.pop_back();
      }
    }
    return false;
  }

  bool put_in_order() {
    std::vector<Candidate> after;
    for (const InstalledPlugin& one : present_) {
      if (!find_chosen(one.manifest.id))
        after.push_back({&one.manifest, one.enabled, one.is_sound});
    }
    for (const Chosen& one : chosen_)
      after.push_back({&one.manifest, true, true});
    const Resolution resolution = resolve(after);
    std::vector<const Chosen*> steps;
    for (const std::string& id : resolution.order) {
      if (const Chosen* one = find_chosen(id)) steps.push_back(one);
    }
    for (const Chosen& one : chosen_) {
      const auto refused = resolution.refused.find(one.manifest.id);
      if (refused != resolution.refused.end()) order_.refused = {refused->second};
    }
    return steps.size() == chosen_.size() && try_steps(steps);
  }

  // Checks each step as its installation would be checked.
  bool try_steps(const std::vector<const Chosen*>& steps) {
    std::vector<Candidate> here;
    for (const InstalledPlugin& one : present_)
      here.push_back({&one.manifest, one.enabled, one.is_sound});
    order_.steps.clear();
    for (const Chosen* step : steps) {
      const Manifest& manifest = step->manifest;
      const auto old = std::find_if(here.begin(), here.end(), [&manifest](const Candidate& one) {
        return one.manifest->id == manifest.id;
      });
      const bool is_new = old == here.end();
      ChangePlan plan = plan_change(here, {is_new ? Change::Kind::install : Change::Kind::upgrade,
                                           manifest.id, &manifest, false});
      if (!plan.refused.empty()) {
        order_.steps.clear();
        order_.refused = std::move(plan.refused);
        return false;
      }
      order_.steps.push_back(
          {manifest.id, step->version, is_new ? std::string() : old->manifest->version_text});
      if (is_new)
        here.push_back({&manifest, true, true});
      else
        *old = {&manifest, true, true};
    }
    return true;
  }

  const std::vector<PluginOffer>& offers_;
  const std::vector<InstalledPlugin>& present_;
  std::deque<Chosen> chosen_;
  std::size_t tried_ = 0;
  InstallOrder order_;
};

}  // namespace

InstallOrder order_installs(const std::vector<PluginOffer>& offers, const PluginOffer& plugin,
                            const VersionOffer& offer,
                            const std::vector<InstalledPlugin>& present) {
  if (!offer.is_installable()) return {{}, offer.reasons};
  return Ordering(offers, present).run(plugin, offer);
}

void add_install_orders(std::vector<PluginOffer>& offers, PluginOffer& plugin,
                        const std::vector<InstalledPlugin>& present) {
  const bool is_here = !plugin.installed.empty();
  std::vector<InstallOrder> orders;
  for (const VersionOffer& offer : plugin.versions) {
    // A new plugin without requirements conflicts with no other.
    const bool is_plain = !is_here && offer.version->requires_plugins.empty();
    orders.push_back(is_plain ? InstallOrder{{}, offer.reasons}
                              : order_installs(offers, plugin, offer, present));
  }
  for (std::size_t i = 0; i < orders.size(); ++i) {
    VersionOffer& offer = plugin.versions[i];
    if (!offer.is_installable()) continue;
    offer.reasons = std::move(orders[i].refused);
    offer.with.clear();
    for (std::size_t j = 0; j + 1 < orders[i].steps.size(); ++j) {
      const InstallStep& step = orders[i].steps[j];
      offer.with.push_back({step.id, step.version->version_text});
    }
  }
}

}  // namespace tenon::plugins
