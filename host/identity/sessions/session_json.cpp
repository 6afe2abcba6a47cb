#include "identity/sessions/session_json.hpp"

#include "base/json_writer.hpp"
#include "identity/principal.hpp"
#include "identity/users/permissions.hpp"

namespace tenon::identity {

std::string user_json(const Principal& principal) {
  std::string text;
  base::JsonWriter(text)
      .begin_object()
      .member("id", principal.user_id)
      .member("login", principal.login)
      .member("name", principal.name)
      .member("role", to_string(principal.role))
      .end_object();
  return text;
}

void write_rights(base::JsonWriter& json, const Principal& principal,
                  const Permissions& permissions) {
  json.key("permissions").begin_array();
  for (const std::string& id : permissions.held_by(principal))
    json.value(id);
  json.end_array().key("groups").begin_array();
  for (const std::string& id : principal.groups)
    json.value(id);
  json.end_array();
}

std::string session_json(const Principal& principal, const Permissions& permissions) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().key("user").raw(user_json(principal));
  write_rights(json, principal, permissions);
  json.end_object();
  return text;
}

}  // namespace tenon::identity
