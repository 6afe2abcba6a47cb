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

std::string rights_text(const Principal& principal) {
  std::string text = principal.user_id + " " + std::string(to_string(principal.role));
  for (const std::string& group : principal.groups)
    text += " " + group;
  return text;
}

}  // namespace tenon::identity
