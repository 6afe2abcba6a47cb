#include "admin_api/plugins/plugins_json.hpp"

#include <algorithm>

#include "admin_api/plugins/last_crashes.hpp"
#include "base/json_writer.hpp"
#include "lifecycle/plugin_states.hpp"
#include "packages/installed/public_path_store.hpp"
#include "packages/manifest/manifest.hpp"

namespace tenon::console {

namespace {

void write_status_reason(base::JsonWriter& json, const plugins::Reason& reason) {
  json.begin_object()
      .member("code", reason.code)
      .member("message", reason.message)
      .member("file", reason.file)
      .member("path", reason.path)
      .end_object();
}

void write_permissions(base::JsonWriter& json, const plugins::PluginStatus& status) {
  json.key("permissions").begin_array();
  for (const plugins::DeclaredPermission& permission : status.permissions) {
    json.begin_object().member("id", permission.id).member("title", permission.title);
    json.key("roles").begin_array();
    for (const std::string& role : permission.roles)
      json.value(role);
    json.end_array().end_object();
  }
  json.end_array();
}

// Those that it asks for, and those that it has from a version that asked for them.
void write_public_paths(base::JsonWriter& json, const plugins::PluginStatus& status,
                        const std::vector<plugins::PublicPathGrant>& grants) {
  json.key("public_paths").begin_array();
  const auto write = [&json](const plugins::DeclaredPublicPath& path, bool is_granted,
                             const std::string& taken_by) {
    json.begin_object()
        .member("path", path.path)
        .member("route", path.route)
        .member("title", path.title)
        .member("granted", is_granted)
        .member("taken_by", taken_by)
        .end_object();
  };
  const auto has = [&](const std::string& path) {
    return std::any_of(grants.begin(), grants.end(), [&](const plugins::PublicPathGrant& one) {
      return one.plugin == status.id && one.path == path;
    });
  };
  for (const plugins::DeclaredPublicPath& one : status.public_paths) {
    const plugins::PublicPathGrant* taken = find_conflict(grants, status.id, one.path);
    write(one, has(one.path), taken == nullptr ? std::string() : taken->plugin);
  }
  for (const plugins::PublicPathGrant& one : grants) {
    const bool is_declared =
        std::any_of(status.public_paths.begin(), status.public_paths.end(),
                    [&one](const auto& declared) { return declared.path == one.path; });
    if (one.plugin == status.id && !is_declared) write({one.path, {}, {}}, true, {});
  }
  json.end_array();
}

void write_crash(base::JsonWriter& json, const PluginCrash* crash) {
  if (crash == nullptr) {
    json.null();
    return;
  }
  json.begin_object()
      .member("time", crash->time)
      .member("by", crash->by)
      .member("operation", crash->operation)
      .member("request", crash->request)
      .key("trace")
      .begin_array();
  for (const std::string& frame : crash->trace)
    json.value(frame);
  json.end_array().end_object();
}

}  // namespace

std::string path_details(const std::string& path) {
  std::string details;
  base::JsonWriter(details).begin_object().member("path", path).end_object();
  return details;
}

std::string plugin_json(const plugins::PluginStatus& status,
                        const std::vector<plugins::PublicPathGrant>& grants,
                        const PluginNumbers& numbers, const PluginCrash* crash) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object()
      .member("id", status.id)
      .member("name", status.name)
      .member("description", status.description)
      .member("version", status.version)
      .member("author", status.author)
      .member("state", to_string(status.state))
      .member("enabled", status.enabled);
  json.key("reason");
  if (status.reason)
    write_status_reason(json, *status.reason);
  else
    json.null();
  json.key("migration");
  if (status.migration) {
    json.begin_object()
        .member("number", status.migration->number)
        .member("name", status.migration->name)
        .member("done", status.migration->done)
        .member("total", status.migration->total)
        .end_object();
  } else {
    json.null();
  }
  json.member("resident", numbers.resident);
  plugins::write_abi(json, status.has_library, status.abi_major, status.abi_minor);
  json.member("routes", status.routes);
  json.key("tables").begin_array();
  for (const std::string& table : status.tables)
    json.value(table);
  json.end_array();
  write_permissions(json, status);
  json.key("response_headers").begin_array();
  for (const std::string& header : status.response_headers)
    json.value(header);
  json.end_array();
  json.key("outgoing").begin_array();
  for (const std::string& server : status.outgoing)
    json.value(server);
  json.end_array();
  write_public_paths(json, status, grants);
  json.member("requests", numbers.requests)
      .member("errors", numbers.errors)
      .member("ui", status.has_ui)
      .member("signer", status.signer)
      .member("previous", status.previous_version)
      .member("generation", status.generation)
      .key("last_crash");
  write_crash(json, crash);
  json.end_object();
  return text;
}

}  // namespace tenon::console
