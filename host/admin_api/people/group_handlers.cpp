#include "admin_api/people/group_handlers.hpp"

#include <string_view>
#include <utility>

#include "admin_api/page_query.hpp"
#include "admin_api/people/user_handlers.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "identity/identity.hpp"
#include "identity/users/groups.hpp"
#include "identity/users/users.hpp"
#include "observability/audit.hpp"
#include "routing/context.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

namespace {

identity::MembersChange read_members(std::string_view json) {
  RequestBody body(json);
  identity::MembersChange change;
  change.add = body.texts("add", ChangeMembers::max_ids);
  change.remove = body.texts("remove", ChangeMembers::max_ids);
  body.require_valid();
  return change;
}

void put_on_record(identity::Identity& identity, const http::Exchange& exchange, const char* action,
                   const identity::Group& group, std::string details) {
  identity.audit().record({.actor = routing::context(exchange).principal->user_id,
                           .action = action,
                           .object = group.id,
                           .details = std::move(details)});
}

std::string name_details(const identity::Group& group) {
  std::string details;
  base::JsonWriter(details).begin_object().member("name", group.name).end_object();
  return details;
}

}  // namespace

std::string group_json(const identity::Group& group) {
  std::string text;
  base::JsonWriter(text)
      .begin_object()
      .member("id", group.id)
      .member("name", group.name)
      .member("description", group.description)
      .member("members", group.members)
      .member("created", base::rfc3339(group.created_ms))
      .member("updated", base::rfc3339(group.updated_ms))
      .end_object();
  return text;
}

void ListGroups::handle(const http::ExchangePtr& exchange) {
  const std::string_view query = exchange->request().query;
  const identity::GroupPage page = identity_.groups().list(
      read_limit(query, identity::Groups::max_page), http::query_value(query, "cursor"));
  exchange->respond(http::json_response(200, page_json(page, group_json)));
}

void CreateGroup::handle(const http::ExchangePtr& exchange) {
  RequestBody body(exchange->request().body);
  identity::NewGroup wanted;
  wanted.name = body.text("name");
  wanted.description = body.optional_text("description").value_or("");
  body.require_valid();
  const identity::Group group = identity_.groups().create(wanted);
  put_on_record(identity_, *exchange, "groups.created", group, name_details(group));
  http::Response response = http::json_response(201, group_json(group));
  exchange->respond(std::move(response.with("Location", "/api/core/groups/" + group.id)));
}

void ShowGroup::handle(const http::ExchangePtr& exchange) {
  const auto group = identity_.groups().find(routing::context(*exchange).parameters.values[0]);
  if (!group) throw base::Error(404, "identity.unknown_group", "There is no such group.");
  exchange->respond(http::json_response(200, group_json(*group)));
}

void ChangeGroup::handle(const http::ExchangePtr& exchange) {
  RequestBody body(exchange->request().body);
  identity::GroupChange change;
  change.name = body.optional_text("name");
  change.description = body.optional_text("description");
  body.require_valid();
  const identity::Group group =
      identity_.groups().change(routing::context(*exchange).parameters.values[0], change);
  std::string details;
  base::JsonWriter json(details);
  json.begin_object();
  if (change.name) json.member("name", group.name);
  if (change.description) json.member("description", group.description);
  json.end_object();
  put_on_record(identity_, *exchange, "groups.changed", group, std::move(details));
  exchange->respond(http::json_response(200, group_json(group)));
}

void DeleteGroup::handle(const http::ExchangePtr& exchange) {
  const identity::Group group =
      identity_.groups().remove(routing::context(*exchange).parameters.values[0]);
  put_on_record(identity_, *exchange, "groups.deleted", group, name_details(group));
  http::Response response = http::empty_response(204);
  response.with("Cache-Control", "no-store");
  exchange->respond(std::move(response));
}

void ListMembers::handle(const http::ExchangePtr& exchange) {
  const std::string_view id = routing::context(*exchange).parameters.values[0];
  const std::string_view query = exchange->request().query;
  const std::size_t limit = read_limit(query, identity::Users::max_page);
  if (!identity_.groups().find(id))
    throw base::Error(404, "identity.unknown_group", "There is no such group.");
  const identity::UserPage page =
      identity_.users().members_of(id, limit, http::query_value(query, "cursor"));
  exchange->respond(http::json_response(200, page_json(page, user_json)));
}

void ChangeMembers::handle(const http::ExchangePtr& exchange) {
  const identity::MembersChange change = read_members(exchange->request().body);
  const identity::Group group =
      identity_.groups().change_members(routing::context(*exchange).parameters.values[0], change);
  std::string details;
  base::JsonWriter json(details);
  json.begin_object();
  const auto write = [&](const char* name, const std::vector<std::string>& ids) {
    if (ids.empty()) return;
    json.key(name).begin_array();
    for (const std::string& id : ids)
      json.value(id);
    json.end_array();
  };
  write("added", change.add);
  write("removed", change.remove);
  json.end_object();
  put_on_record(identity_, *exchange, "groups.members_changed", group, std::move(details));
  exchange->respond(http::json_response(200, group_json(group)));
}

}  // namespace tenon::console
