#include "identity/users/permissions.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"

namespace tenon::identity {

namespace {

using Mask = std::uint8_t;

Mask bit(Role role) noexcept {
  return static_cast<Mask>(1U << static_cast<unsigned>(role));
}

Mask mask_of(const std::vector<Role>& roles) noexcept {
  Mask mask = 0;
  for (const Role role : roles)
    mask = static_cast<Mask>(mask | bit(role));
  return mask;
}

base::Error invalid(const std::string& message) {
  return {422, "identity.permission_invalid", message};
}

}  // namespace

// Readers walk hash chains whose links only ever grow at the head, so they need neither a lock nor
// a count of readers; a removed permission keeps its entry and loses its roles. max_permissions
// bounds what that costs.
class Permissions::Implementation {
 public:
  ~Implementation() {
    for (const auto& chain : chains_) {
      for (Entry* entry = chain.load(std::memory_order_relaxed); entry != nullptr;) {
        delete std::exchange(entry, entry->next);
      }
    }
  }

  void declare(std::string_view plugin, std::vector<Permission> permissions) {
    std::sort(permissions.begin(), permissions.end(),
              [](const auto& a, const auto& b) { return a.id < b.id; });
    const std::string prefix = std::string(plugin) + ".";
    for (std::size_t i = 0; i < permissions.size(); ++i) {
      const std::string& id = permissions[i].id;
      if (!id.starts_with(prefix) || id.size() == prefix.size()) {
        throw invalid("The permission \"" + id + "\" of " + std::string(plugin) +
                      " must begin with \"" + prefix + "\".");
      }
      if (i > 0 && permissions[i - 1].id == id)
        throw invalid("The permission \"" + id + "\" is declared twice.");
    }

    const std::lock_guard lock(mutex_);
    const auto is_new = [this](const Permission& permission) {
      return find(permission.id) == nullptr;
    };
    if (entries_ + static_cast<std::size_t>(
                       std::count_if(permissions.begin(), permissions.end(), is_new)) >
        max_permissions) {
      throw invalid("More than " + std::to_string(max_permissions) +
                    " permissions were declared since the start.");
    }
    std::vector<Permission>& declared = declared_[std::string(plugin)];
    for (const Permission& old : declared) {
      const auto stays = [&](const Permission& permission) { return permission.id == old.id; };
      if (std::none_of(permissions.begin(), permissions.end(), stays)) set(old.id, 0);
    }
    for (const Permission& permission : permissions)
      set(permission.id, mask_of(permission.roles));
    declared = std::move(permissions);
  }

  void remove_plugin(std::string_view plugin) {
    const std::lock_guard lock(mutex_);
    const auto found = declared_.find(plugin);
    if (found == declared_.end()) return;
    for (const Permission& permission : found->second)
      set(permission.id, 0);
    declared_.erase(found);
  }

  bool allows(Role role, std::string_view permission) const noexcept {
    const Entry* entry = find(permission);
    return entry != nullptr && (entry->roles.load(std::memory_order_acquire) & bit(role)) != 0;
  }

  template <typename Visit>
  void each_declared(const Visit& visit) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [plugin, permissions] : declared_) {
      for (const Permission& permission : permissions)
        visit(permission);
    }
  }

 private:
  struct Entry {
    std::string id;
    std::atomic<Mask> roles{0};
    Entry* next = nullptr;
  };

  std::size_t chain_of(std::string_view id) const noexcept {
    return std::hash<std::string_view>{}(id) % chains_.size();
  }

  Entry* find(std::string_view id) const noexcept {
    Entry* entry = chains_[chain_of(id)].load(std::memory_order_acquire);
    while (entry != nullptr && entry->id != id)
      entry = entry->next;
    return entry;
  }

  void set(const std::string& id, Mask roles) {
    if (Entry* entry = find(id)) {
      entry->roles.store(roles, std::memory_order_release);
      return;
    }
    auto& chain = chains_[chain_of(id)];
    auto* entry = new Entry{id, roles, chain.load(std::memory_order_relaxed)};
    chain.store(entry, std::memory_order_release);
    ++entries_;
  }

  std::array<std::atomic<Entry*>, 1024> chains_{};
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<Permission>, std::less<>> declared_;
  std::size_t entries_ = 0;
};

Permissions::Permissions() : implementation_(std::make_unique<Implementation>()) {}
Permissions::~Permissions() = default;

void Permissions::declare(std::string_view plugin, std::vector<Permission> permissions) {
  implementation_->declare(plugin, std::move(permissions));
}

void Permissions::remove_plugin(std::string_view plugin) {
  implementation_->remove_plugin(plugin);
}

bool Permissions::allows(const Principal& principal, std::string_view permission) const noexcept {
  return principal.role == Role::admin || implementation_->allows(principal.role, permission);
}

std::vector<std::string> Permissions::held_by(const Principal& principal) const {
  std::vector<std::string> ids;
  implementation_->each_declared([&](const Permission& permission) {
    if (allows(principal, permission.id)) ids.push_back(permission.id);
  });
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<Permission> Permissions::declared() const {
  std::vector<Permission> all;
  implementation_->each_declared([&](const Permission& permission) { all.push_back(permission); });
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return all;
}

}  // namespace tenon::identity
