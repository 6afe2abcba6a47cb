#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "identity/principal.hpp"

namespace tenon::identity {

/// The permission for routes of the host itself; only admins hold it.
inline constexpr std::string_view admin_permission = "core.admin";

/// A permission as a plugin's manifest declares it.
struct Permission {
  std::string id;           ///< "<plugin>.<what>"
  std::string title;        ///< for people
  std::vector<Role> roles;  ///< who holds it; admins hold every permission anyway
};

/// Says which principals hold which permissions. Active plugins declare permissions and remove
/// them. Thread-safe.
class Permissions {
 public:
  /// Different permission ids ever declared in the life of the process; beyond, declare() throws.
  static constexpr std::size_t max_permissions = 4096;

  Permissions();
  ~Permissions();
  Permissions(const Permissions&) = delete;
  Permissions& operator=(const Permissions&) = delete;

  /// Replaces what `plugin` declared before. Throws base::Error 422 "identity.permission_invalid"
  /// when an id does not begin with "<plugin>." or occurs twice; nothing is changed then.
  void declare(std::string_view plugin, std::vector<Permission> permissions);
  /// Removes the plugin's permissions: only admins hold them from now on.
  void remove_plugin(std::string_view plugin);

  /// Takes no lock and waits for nothing.
  bool allows(const Principal& principal, std::string_view permission) const noexcept;

  /// Ids of the declared permissions that the principal holds, sorted.
  std::vector<std::string> held_by(const Principal& principal) const;
  /// All that are declared now, sorted by id.
  std::vector<Permission> declared() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::identity
