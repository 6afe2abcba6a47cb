#include "admin_api/people/user_handlers.hpp"

#include <optional>
#include <string_view>

#include "admin_api/page_query.hpp"
#include "base/clock.hpp"
#include "base/json_writer.hpp"
#include "identity/identity.hpp"
#include "identity/users/users.hpp"
#include "observability/audit.hpp"
#include "routing/context.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

namespace {

std::optional<identity::Role> read_role(RequestBody& body) {
  const std::optional<std::string> name = body.optional_text("role");
  if (!name) return std::nullopt;
  const auto role = identity::parse_role(*name);
  if (!role) body.refuse("role", "invalid", "A role is admin or member.");
  return role;
}

// Returns the changes for the audit, without secret values.
std::string change_details(const identity::UserChange& change) {
  std::string details;
  base::JsonWriter json(details);
  json.begin_object();
  if (change.name) json.member("name", *change.name);
  if (change.role) json.member("role", identity::to_string(*change.role));
  if (change.disabled) json.member("disabled", *change.disabled);
  if (change.password) json.member("new_password", true);
  json.end_object();
  return details;
}

}  // namespace

std::string user_json(const identity::User& user) {
  std::string text;
  base::JsonWriter(text)
      .begin_object()
      .member("id", user.id)
      .member("login", user.login)
      .member("name", user.name)
      .member("role", identity::to_string(user.role))
      .member("disabled", user.disabled)
      .member("created", base::rfc3339(user.created_ms))
      .member("updated", base::rfc3339(user.updated_ms))
      .end_object();
  return text;
}

void ListUsers::handle(const http::ExchangePtr& exchange) {
  const std::string_view query = exchange->request().query;
  const identity::UserPage page = identity_.users().list(
      read_limit(query, identity::Users::max_page), http::query_value(query, "cursor"));
  exchange->respond(http::json_response(200, page_json(page, user_json)));
}

void CreateUser::handle(const http::ExchangePtr& exchange) {
  RequestBody body(exchange->request().body);
  identity::NewUser wanted;
  wanted.login = body.text("login");
  wanted.name = body.optional_text("name").value_or("");
  wanted.role = read_role(body).value_or(identity::Role::member);
  wanted.password = body.text("password");
  body.require_valid();
  const identity::User user = identity_.users().create(wanted);
  std::string details;
  base::JsonWriter(details)
      .begin_object()
      .member("login", user.login)
      .member("role", identity::to_string(user.role))
      .end_object();
  identity_.audit().record({.actor = routing::context(*exchange).principal->user_id,
                            .action = "users.created",
                            .object = user.id,
                            .details = details});
  http::Response response = http::json_response(201, user_json(user));
  exchange->respond(std::move(response.with("Location", "/api/core/users/" + user.id)));
}

void ChangeUser::handle(const http::ExchangePtr& exchange) {
  const routing::CallContext& context = routing::context(*exchange);
  const std::string id(context.parameters.values[0]);
  RequestBody body(exchange->request().body);
  identity::UserChange change;
  change.name = body.optional_text("name");
  change.role = read_role(body);
  change.disabled = body.optional_flag("disabled");
  change.password = body.optional_text("password");
  // A session alone must not be enough to take over its account.
  if (change.password && id == context.principal->user_id) {
    body.refuse("password", "own", "Change your own password in your account, with the old one.");
  }
  body.require_valid();
  const identity::User user = identity_.users().change(id, change);
  identity_.audit().record({.actor = context.principal->user_id,
                            .action = "users.changed",
                            .object = user.id,
                            .details = change_details(change)});
  exchange->respond(http::json_response(200, user_json(user)));
}

}  // namespace tenon::console
