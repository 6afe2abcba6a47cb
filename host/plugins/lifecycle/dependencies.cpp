#include "plugins/lifecycle/dependencies.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "plugins/manifest/manifest.hpp"
#include "plugins/reason.hpp"
#include "plugins/resolver/resolver.hpp"

namespace tenon::plugins {

void Dependencies::join(const Manifest& manifest) {
  const std::lock_guard lock(mutex_);
  Running own;
  own.version = manifest.version;
  own.version_text = manifest.version_text;
  own.joined = ++joined_;
  for (const Requirement& required : manifest.requires_plugins) {
    const auto other = running_.find(required.id);
    if (other == running_.end() || !other->second.is_available)
      throw Refusal(inactive_requirement(manifest, required.id));
    if (!required.range.matches(other->second.version)) {
      throw Refusal(
          wrong_version(manifest, required.id, required.range.text(), other->second.version_text));
    }
    own.stands_on.insert(required.id);
  }
  for (const std::string& id : own.stands_on)
    running_.at(id).carries.insert(manifest.id);
  running_.insert_or_assign(manifest.id, std::move(own));
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
  for (const std::string& other : own->second.stands_on) {
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
