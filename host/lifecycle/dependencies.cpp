#include "lifecycle/dependencies.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "base/join.hpp"
#include "packages/reason.hpp"
#include "packages/resolver/resolver.hpp"

namespace tenon::plugins {

void Dependencies::check_conflicts(const Manifest& manifest) const {
  const std::lock_guard lock(mutex_);
  refuse_conflict(manifest);
}

void Dependencies::refuse_conflict(const Manifest& manifest) const {
  std::set<std::string> others = naming_;
  for (const Requirement& named : manifest.conflicts)
    others.insert(named.id);
  others.erase(manifest.id);
  for (const std::string& id : others) {
    const auto other = running_.find(id);
    if (other != running_.end() && has_conflict(manifest, other->second.manifest))
      throw Refusal(conflicting(manifest, other->second.manifest));
  }
}

std::set<std::string> Dependencies::requirements_of(const Manifest& manifest) const {
  std::set<std::string> ids;
  for (const Requirement& required : manifest.requires_plugins) {
    const auto other = running_.find(required.id);
    if (other == running_.end() || !other->second.is_available)
      throw Refusal(inactive_requirement(manifest, required.id));
    if (!required.range.matches(other->second.manifest.version)) {
      throw Refusal(wrong_version(manifest, required.id, required.range.text(),
                                  other->second.manifest.version_text));
    }
    ids.insert(required.id);
  }
  refuse_conflict(manifest);
  return ids;
}

void Dependencies::join(const Manifest& manifest) {
  const std::lock_guard lock(mutex_);
  Running own;
  own.manifest = manifest;
  own.joined = ++joined_;
  own.required = requirements_of(manifest);
  for (const std::string& id : own.required)
    running_.at(id).required_by.insert(manifest.id);
  running_.insert_or_assign(manifest.id, std::move(own));
  note_conflicts(manifest);
}

void Dependencies::note_conflicts(const Manifest& manifest) {
  if (manifest.conflicts.empty())
    naming_.erase(manifest.id);
  else
    naming_.insert(manifest.id);
}

void Dependencies::replace(const Manifest& manifest) {
  const std::lock_guard lock(mutex_);
  std::set<std::string> ids = requirements_of(manifest);
  Running& own = running_.at(manifest.id);
  for (const std::string& id : own.required_by) {
    for (const Requirement& required : running_.at(id).manifest.requires_plugins) {
      if (required.id != manifest.id || required.range.matches(manifest.version)) continue;
      throw base::Error(409, "plugins.required_by",
                        "\"" + id + "\" requires " + manifest.id + " " + required.range.text() +
                            ", which " + manifest.version_text +
                            " is not. Upgrade or disable that first.");
    }
  }
  for (const std::string& id : own.required)
    running_.at(id).required_by.erase(manifest.id);
  for (const std::string& id : ids)
    running_.at(id).required_by.insert(manifest.id);
  own.required = std::move(ids);
  own.manifest = manifest;
  note_conflicts(manifest);
}

void Dependencies::stay(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (const auto own = running_.find(id); own != running_.end()) own->second.is_available = true;
}

void Dependencies::leave(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto own = running_.find(id);
  if (own == running_.end()) return;
  if (!own->second.required_by.empty()) {
    throw base::Error(409, "plugins.required_by",
                      "\"" + id + "\" is required by " + base::join(own->second.required_by) +
                          ". Disable that first.");
  }
  own->second.is_available = false;
}

void Dependencies::force_leave(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (const auto own = running_.find(id); own != running_.end()) own->second.is_available = false;
}

void Dependencies::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto own = running_.find(id);
  if (own == running_.end()) return;
  for (const std::string& other : own->second.required) {
    if (const auto found = running_.find(other); found != running_.end())
      found->second.required_by.erase(id);
  }
  running_.erase(own);
  naming_.erase(id);
}

std::vector<std::string> Dependencies::closing_order() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::set<std::string>> users;
  std::map<unsigned long long, std::string, std::greater<>> left;  // the latest first
  for (const auto& [id, running] : running_) {
    left.emplace(running.joined, id);
    users[id].insert(running.required_by.begin(), running.required_by.end());
    for (const Requirement& optional : running.manifest.optional_plugins)
      users[optional.id].insert(id);
  }
  std::vector<std::string> order;
  while (!left.empty()) {
    auto next = std::find_if(left.begin(), left.end(),
                             [&](const auto& one) { return users[one.second].empty(); });
    // Plugins that use each other: only what is required counts among them.
    if (next == left.end()) {
      next = std::find_if(left.begin(), left.end(), [&](const auto& one) {
        const auto& required_by = running_.at(one.second).required_by;
        return std::none_of(required_by.begin(), required_by.end(),
                            [&](const std::string& id) { return users[one.second].contains(id); });
      });
    }
    for (auto& [id, all] : users)
      all.erase(next->second);
    order.push_back(std::move(next->second));
    left.erase(next);
  }
  return order;
}

bool requires_any_of(const Manifest& manifest, const std::vector<std::string>& ids) {
  return std::any_of(manifest.requires_plugins.begin(), manifest.requires_plugins.end(),
                     [&](const Requirement& one) {
                       return std::find(ids.begin(), ids.end(), one.id) != ids.end();
                     });
}

}  // namespace tenon::plugins
