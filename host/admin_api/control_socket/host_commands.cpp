#include "admin_api/control_socket/host_commands.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "admin_api/control_socket/commands.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "identity/allowed_hosts.hpp"
#include "identity/identity.hpp"
#include "observability/audit.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

namespace {

void write_host(base::JsonWriter& json, const identity::AllowedHosts::StoredHost& host) {
  json.begin_object()
      .member("name", host.name)
      .member("added", base::rfc3339(host.added_ms))
      .end_object();
}

void audit(identity::Identity& identity, std::string action, const std::string& name) {
  identity.audit().record(
      {.actor = local_actor, .action = std::move(action), .object = name, .details = {}});
}

std::string list_hosts(identity::Identity& identity, std::string_view arguments) {
  RequestBody(arguments).require_valid();
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().key("items").begin_array();
  for (const auto& host : identity.hosts().stored())
    write_host(json, host);
  json.end_array().end_object();
  return text;
}

std::string add_host(identity::Identity& identity, std::string_view arguments) {
  RequestBody body(arguments);
  const std::string given = body.text("name");
  body.require_valid();
  const std::string name = identity::host_name(given);
  if (identity.hosts().add(given)) audit(identity, "hosts.added", name);
  std::string text;
  base::JsonWriter json(text);
  for (const auto& host : identity.hosts().stored()) {
    if (host.name == name) write_host(json, host);
  }
  return text.empty() ? "{}" : text;
}

std::string remove_host(identity::Identity& identity, std::string_view arguments) {
  RequestBody body(arguments);
  const std::string name = body.text("name");
  body.require_valid();
  if (!identity.hosts().remove(name)) {
    throw base::Error(404, "identity.unknown_host",
                      "\"" + name +
                          "\" is not stored. See tenon hosts list; names of http.hosts "
                          "are removed there.");
  }
  audit(identity, "hosts.removed", identity::host_name(name));
  return "{}";
}

}  // namespace

void add_host_commands(Commands& commands, identity::Identity& identity) {
  commands.add("hosts.list",
               [&identity](std::string_view arguments) { return list_hosts(identity, arguments); });
  commands.add("hosts.add",
               [&identity](std::string_view arguments) { return add_host(identity, arguments); });
  commands.add("hosts.remove", [&identity](std::string_view arguments) {
    return remove_host(identity, arguments);
  });
}

}  // namespace tenon::console
