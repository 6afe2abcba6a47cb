#include "identity/principal.hpp"

namespace tenon::identity {

std::string_view to_string(Role role) noexcept {
  return role == Role::admin ? "admin" : "member";
}

std::optional<Role> parse_role(std::string_view name) noexcept {
  if (name == "admin") return Role::admin;
  if (name == "member") return Role::member;
  return std::nullopt;
}

}  // namespace tenon::identity
