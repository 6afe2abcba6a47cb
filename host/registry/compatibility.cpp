#include "registry/compatibility.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include <tenon/abi.h>

#include "base/join.hpp"
#include "packages/elf/elf_file.hpp"

namespace tenon::plugins {

namespace {

std::string abi_text(std::uint32_t major, std::uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

class CompatibilityCheck {
 public:
  CompatibilityCheck(const PackageIndex& index, const HostFacts& facts)
      : index_(index), facts_(facts) {
    for (const PublicKey& key : index.keys)
      trusts_[key.id()] = facts.key ? facts.key(key.id()) : KeyTrust::unknown;
  }

  std::vector<PluginOffer> run() {
    for (const IndexedPlugin& plugin : index_.plugins)
      plugins_.push_back(check_alone(plugin));
    find_installable();
    for (std::size_t i = 0; i < plugins_.size(); ++i) {
      for (std::size_t j = 0; j < plugins_[i].versions.size(); ++j) {
        if (plugins_[i].versions[j].is_installable()) check_requirements(i, j);
      }
    }
    // Only now, for the others were asked what can be installed by itself.
    for (std::size_t i = 0; i < plugins_.size(); ++i) {
      for (std::size_t j = 0; j < plugins_[i].versions.size(); ++j)
        std::move(late_[i][j].begin(), late_[i][j].end(),
                  std::back_inserter(plugins_[i].versions[j].reasons));
    }
    return std::move(plugins_);
  }

 private:
  // Checks everything but its requirements.
  PluginOffer check_alone(const IndexedPlugin& plugin) {
    PluginOffer checked{&plugin, {}, {}};
    const auto installed = facts_.installed.find(plugin.id);
    std::optional<SemanticVersion> present;
    if (installed != facts_.installed.end()) {
      checked.installed = installed->second;
      present = SemanticVersion::parse(installed->second);
    }
    for (const IndexedVersion& version : plugin.versions) {
      VersionOffer offer{&version, {}, {}};
      check_signer(offer);
      check_machine(offer);
      if (present && version.version == *present) {
        offer.reasons.push_back(
            {"plugins.installed", "This version is installed already.", {}, {}});
      } else if (present && version.version < *present) {
        offer.reasons.push_back({"plugins.downgrade",
                                 "The newer version " + checked.installed +
                                     " is installed, whose data an older one may not know.",
                                 {},
                                 {}});
      }
      checked.versions.push_back(std::move(offer));
    }
    return checked;
  }

  void check_signer(VersionOffer& offer) const {
    const std::string& key = offer.version->key;
    const auto trust = trusts_.find(key);
    if (trust != trusts_.end() && trust->second == KeyTrust::trusted) return;
    if (trust != trusts_.end() && trust->second == KeyTrust::revoked) {
      offer.reasons.push_back({"plugins.signer_revoked",
                               "The key " + key +
                                   " signed it, which is revoked here. Look for a version that "
                                   "is signed by another key.",
                               {},
                               {}});
      return;
    }
    offer.reasons.push_back({"plugins.signer_unknown",
                             "The key " + key +
                                 " signed it, which is not trusted here. Trust it, if you know "
                                 "whose it is.",
                             {},
                             {}});
  }

  void check_machine(VersionOffer& offer) const {
    const IndexedVersion& version = *offer.version;
    if (!version.has_library) return;
    const std::string own = abi_text(facts_.abi_major, facts_.abi_minor);
    if (version.abi_major > facts_.abi_major ||
        (version.abi_major == facts_.abi_major && version.needs_minor > facts_.abi_minor)) {
      offer.reasons.push_back({"plugins.abi_too_new",
                               "It needs ABI " + abi_text(version.abi_major, version.needs_minor) +
                                   "; this host has " + own + ". Upgrade the host first.",
                               {},
                               {}});
    } else if (version.abi_major < facts_.abi_major) {
      offer.reasons.push_back(
          {"plugins.abi_too_old",
           "It was built for ABI " + abi_text(version.abi_major, version.abi_minor) +
               ", which this host (" + own + ") no longer has. Ask its author for a newer version.",
           {},
           {}});
    }
    if (std::find(version.architectures.begin(), version.architectures.end(),
                  facts_.architecture) == version.architectures.end()) {
      offer.reasons.push_back({"plugins.wrong_architecture",
                               "It has a library for " + base::join(version.architectures) +
                                   ", none for " + facts_.architecture +
                                   ". Ask its author for one.",
                               {},
                               {}});
    }
  }

  bool is_satisfied_by_installed(const Requirement& requirement) const {
    const auto found = facts_.installed.find(requirement.id);
    if (found == facts_.installed.end()) return false;
    const auto version = SemanticVersion::parse(found->second);
    return version && requirement.range.matches(*version);
  }

  // Returns the newest version of the registry that satisfies it and can be installed; null: none.
  const IndexedVersion* offered(const Requirement& requirement) const {
    const IndexedPlugin* plugin = index_.find(requirement.id);
    if (!plugin) return nullptr;
    const auto at = static_cast<std::size_t>(plugin - index_.plugins.data());
    for (std::size_t j = 0; j < plugin->versions.size(); ++j) {
      if (is_installable_[at][j] && requirement.range.matches(plugin->versions[j].version))
        return &plugin->versions[j];
    }
    return nullptr;
  }

  bool satisfies_requirements(const IndexedVersion& version) const {
    return std::all_of(version.requires_plugins.begin(), version.requires_plugins.end(),
                       [this](const Requirement& requirement) {
                         return is_satisfied_by_installed(requirement) || offered(requirement);
                       });
  }

  // The least set that is closed: begins with what requires nothing that is not here, so that
  // circles stay outside.
  void find_installable() {
    std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>> requirers;
    std::deque<std::pair<std::size_t, std::size_t>> waiting;
    for (std::size_t i = 0; i < plugins_.size(); ++i) {
      is_installable_.emplace_back(plugins_[i].versions.size(), false);
      late_.emplace_back(plugins_[i].versions.size());
      for (std::size_t j = 0; j < plugins_[i].versions.size(); ++j) {
        if (!plugins_[i].versions[j].reasons.empty()) continue;
        waiting.emplace_back(i, j);
        for (const Requirement& requirement : plugins_[i].plugin->versions[j].requires_plugins)
          requirers[requirement.id].emplace_back(i, j);
      }
    }
    while (!waiting.empty()) {
      const auto [i, j] = waiting.front();
      waiting.pop_front();
      const IndexedPlugin& plugin = *plugins_[i].plugin;
      if (is_installable_[i][j] || !satisfies_requirements(plugin.versions[j])) continue;
      is_installable_[i][j] = true;
      const auto& next = requirers[plugin.id];
      waiting.insert(waiting.end(), next.begin(), next.end());
    }
  }

  void check_requirements(std::size_t i, std::size_t j) {
    VersionOffer& offer = plugins_[i].versions[j];
    for (const Requirement& requirement : offer.version->requires_plugins) {
      if (is_satisfied_by_installed(requirement)) continue;
      const IndexedVersion* prerequisite = offered(requirement);
      if (prerequisite && is_installable_[i][j]) {
        offer.with.push_back({requirement.id, prerequisite->version_text});
      } else if (!prerequisite) {
        late_[i][j].push_back(unmet(requirement));
      }
    }
    if (!is_installable_[i][j]) offer.with.clear();
  }

  Reason unmet(const Requirement& requirement) const {
    const std::string wanted = requirement.id + " " + requirement.range.text();
    const auto installed = facts_.installed.find(requirement.id);
    const bool is_here = installed != facts_.installed.end();
    const IndexedPlugin* plugin = index_.find(requirement.id);
    const bool is_offered =
        plugin && std::any_of(plugin->versions.begin(), plugin->versions.end(),
                              [&](const IndexedVersion& version) {
                                return requirement.range.matches(version.version);
                              });
    std::string message = "It requires " + wanted + "; ";
    message += is_here ? "version " + installed->second + " is installed, and "
                       : "it is not installed, and ";
    message += is_offered ? "what the registry has of it cannot be installed here."
                          : "the registry has no such version.";
    return {is_here ? "plugins.requires_version" : "plugins.requires_missing",
            std::move(message),
            {},
            {}};
  }

  const PackageIndex& index_;
  const HostFacts& facts_;
  std::map<std::string, KeyTrust> trusts_;
  std::vector<PluginOffer> plugins_;
  std::vector<std::vector<bool>> is_installable_;       // by plugin and version
  std::vector<std::vector<std::vector<Reason>>> late_;  // what requirements add to the reasons
};

}  // namespace

std::string_view to_string(KeyTrust trust) noexcept {
  switch (trust) {
    case KeyTrust::trusted:
      return "trusted";
    case KeyTrust::revoked:
      return "revoked";
    case KeyTrust::unknown:
      break;
  }
  return "unknown";
}

HostFacts facts_of_this_host() {
  HostFacts facts;
  facts.abi_major = TENON_ABI_MAJOR;
  facts.abi_minor = TENON_ABI_MINOR;
  facts.architecture = host_architecture();
  return facts;
}

const VersionOffer* PluginOffer::newest_installable() const noexcept {
  const VersionOffer* newest = nullptr;
  for (const VersionOffer& offer : versions) {
    if (!offer.is_installable()) continue;
    if (offer.version->version.prerelease.empty()) return &offer;
    if (!newest) newest = &offer;
  }
  return newest;
}

std::vector<PluginOffer> check_compatibility(const PackageIndex& index, const HostFacts& facts) {
  return CompatibilityCheck(index, facts).run();
}

}  // namespace tenon::plugins
