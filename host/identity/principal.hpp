#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::identity {

enum class Role : std::uint8_t { member, admin };

/// "member" or "admin".
std::string_view to_string(Role role) noexcept;
std::optional<Role> parse_role(std::string_view name) noexcept;

/// The user who makes a request. Immutable; shared by all requests of a session.
struct Principal {
  std::string user_id;
  std::string login;
  std::string name;
  Role role = Role::member;
  std::string session_id;  ///< id of the session record (not the cookie's secret), empty for tokens
  std::vector<std::string> groups =
      {};  ///< ids of its groups, sorted; at most Groups::max_groups_per_user
};

/// The person with what their rights rest on: user, role, groups. Differs where any of these does.
std::string rights_text(const Principal& principal);

using PrincipalPtr = std::shared_ptr<const Principal>;

}  // namespace tenon::identity
