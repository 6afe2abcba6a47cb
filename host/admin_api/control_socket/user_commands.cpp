#include "admin_api/control_socket/user_commands.hpp"

#include <optional>
#include <string>
#include <utility>

#include "admin_api/control_socket/commands.hpp"
#include "admin_api/people/user_handlers.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json_writer.hpp"
#include "identity/identity.hpp"
#include "identity/users/users.hpp"
#include "observability/audit.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

namespace {

constexpr std::size_t made_up_password_bytes = 15;  // 120 random bits, 20 characters

void audit(identity::Identity& identity, std::string action, const identity::User& user) {
  identity.audit().record(
      {.actor = "local", .action = std::move(action), .object = user.id, .details = {}});
}

identity::User required_user(identity::Identity& identity, const std::string& login) {
  auto user = identity.users().find_by_login(login);
  if (!user) throw base::Error(404, "identity.unknown_user", "There is no user \"" + login + "\".");
  return *std::move(user);
}

std::string result_json(const identity::User& user, const std::optional<std::string>& made_up) {
  std::string text = user_json(user);
  if (made_up) {
    text.pop_back();
    base::JsonWriter(text).member("password", *made_up).end_object();
  }
  return text;
}

std::string add_user(identity::Identity& identity, std::string_view arguments) {
  RequestBody body(arguments);
  identity::NewUser wanted;
  wanted.login = body.text("login");
  wanted.name = body.optional_text("name").value_or("");
  const auto role = identity::parse_role(body.text("role"));
  if (!role) body.refuse("role", "invalid", "A role is admin or member.");
  const std::optional<std::string> password = body.optional_text("password");
  body.require_valid();
  std::optional<std::string> made_up;
  if (!password) made_up = base::random_token(made_up_password_bytes);
  wanted.role = *role;
  wanted.password = password ? *password : *made_up;
  const identity::User user = identity.users().create(wanted);
  audit(identity, "users.created", user);
  return result_json(user, made_up);
}

std::string list_users(identity::Identity& identity, std::string_view arguments) {
  RequestBody(arguments).require_valid();
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().key("items").begin_array();
  std::string cursor;
  do {
    identity::UserPage page = identity.users().list(identity::Users::max_page, cursor);
    for (const identity::User& user : page.items)
      json.raw(user_json(user));
    cursor = std::move(page.next);
  } while (!cursor.empty());
  json.end_array().end_object();
  return text;
}

std::string set_disabled(identity::Identity& identity, std::string_view arguments, bool disabled) {
  RequestBody body(arguments);
  const std::string login = body.text("login");
  body.require_valid();
  identity::UserChange change;
  change.disabled = disabled;
  const identity::User user = identity.users().change(required_user(identity, login).id, change);
  audit(identity, disabled ? "users.disabled" : "users.enabled", user);
  return result_json(user, std::nullopt);
}

std::string reset_password(identity::Identity& identity, std::string_view arguments) {
  RequestBody body(arguments);
  const std::string login = body.text("login");
  const std::optional<std::string> password = body.optional_text("password");
  body.require_valid();
  std::optional<std::string> made_up;
  if (!password) made_up = base::random_token(made_up_password_bytes);
  identity::UserChange change;
  change.password = password ? password : made_up;
  const identity::User user = identity.users().change(required_user(identity, login).id, change);
  audit(identity, "users.reset_password", user);
  return result_json(user, made_up);
}

}  // namespace

void add_user_commands(Commands& commands, identity::Identity& identity) {
  commands.add("user.add",
               [&identity](std::string_view arguments) { return add_user(identity, arguments); });
  commands.add("user.list",
               [&identity](std::string_view arguments) { return list_users(identity, arguments); });
  commands.add("user.disable", [&identity](std::string_view arguments) {
    return set_disabled(identity, arguments, true);
  });
  commands.add("user.enable", [&identity](std::string_view arguments) {
    return set_disabled(identity, arguments, false);
  });
  commands.add("user.reset_password", [&identity](std::string_view arguments) {
    return reset_password(identity, arguments);
  });
}

}  // namespace tenon::console
