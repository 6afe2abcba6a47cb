#include "plugins/lifecycle/dependencies.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "plugins/manifest/manifest.hpp"
#include "plugins/reason.hpp"
#include "plugins/resolver/resolver.hpp"

namespace tenon::plugins {

Dependencies::Running Dependencies::requirements_of(const Manifest& manifest) const {
  Running own;
  own.version = manifest.version;
  own.version_text = manifest.version_text;
  for (const Requirement& required : manifest.requires_plugins) {
    const auto other = running_.find(required.id);
    if (other == running_.end() || !other->second.is_available)
      throw Refusal(inactive_requirement(manifest, required.id));
    if (!required.range.matches(other->second.version)) {
      throw Refusal(
          wrong_version(manifest, required.id, required.range.text(), other->second.version_text));
    }
    own.stands_on.emplace(required.id, required.range);
  }
  return own;
}

void Dependencies::join(const Manifest& manifest) {
  const std::lock_guard lock(mutex_);
  Running own = requirements_of(manifest);
  own.joined = ++joined_;
  for (const auto& [id, range] : own.stands_on)
    running_.at(id).carries.insert(manifest.id);
  running_.insert_or_assign(manifest.id, std::move(own));
}

void Dependencies::replace(const Manifest& manifest) {
  const std::lock_guard lock(mutex_);
  Running next = requirements_of(manifest);
  Running& own = running_.at(manifest.id);
  for (const std::string& id : own.carries) {
    const VersionRange& range = running_.at(id).stands_on.at(manifest.id);
    if (range.matches(manifest.version)) continue;
    throw base::Error(409, "plugins.required_by",
                      "\"" + id + "\" requires " + manifest.id + " " + std::string(range.text()) +
                          ", which " + manifest.version_text +
                          " is not. Upgrade or disable that first.");
  }
  for (const auto& [id, range] : own.stands_on)
    running_.at(id).carries.erase(manifest.id);
  for (const auto& [id, range] : next.stands_on)
    running_.at(id).carries.insert(manifest.id);
  next.carries = std::move(own.carries);
  next.is_available = own.is_available;
  own = std::move(next);
  join_again(manifest.id);
}

// What it requires now may have joined after it did.
void Dependencies::join_again(const std::string& id) {
  Running& own = running_.at(id);
  own.joined = ++joined_;
  std::vector<std::pair<unsigned long long, std::string>> carried;
  for (const std::string& other : own.carries)
    carried.emplace_back(running_.at(other).joined, other);
  std::sort(carried.begin(), carried.end());
  for (const auto& [joined, other] : carried)
    join_again(other);
}

void Dependencies::stay(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (const auto own = running_.find(id); own != running_.end()) own->second.is_available = true;
}

void Dependencies::leave(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto own = running_.find(id);
  if (own == running_.end()) return;
  if (!own->second.carries.empty()) {
    std::string names;
    for (const std::string& other : own->second.carries)
      names += (names.empty() ? "" : ", ") + other;
    throw base::Error(409, "plugins.required_by",
                      "\"" + id + "\" is required by " + names + ". Disable that first.");
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
  for (const auto& [other, range] : own->second.stands_on) {
    if (const auto found = running_.find(other); found != running_.end())
      found->second.carries.erase(id);
  }
  running_.erase(own);
}

std::vector<std::string> Dependencies::closing_order() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<unsigned long long, std::string>> all;
  for (const auto& [id, running] : running_)
    all.emplace_back(running.joined, id);
  std::sort(all.rbegin(), all.rend());
  std::vector<std::string> order;
  for (auto& [joined, id] : all)
    order.push_back(std::move(id));
  return order;
}

bool requires_any_of(const Manifest& manifest, const std::vector<std::string>& ids) {
  return std::any_of(manifest.requires_plugins.begin(), manifest.requires_plugins.end(),
                     [&](const Requirement& one) {
                       return std::find(ids.begin(), ids.end(), one.id) != ids.end();
                     });
}

}  // namespace tenon::plugins
