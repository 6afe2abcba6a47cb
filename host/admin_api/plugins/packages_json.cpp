#include "admin_api/plugins/packages_json.hpp"

#include "base/clock.hpp"
#include "base/json_writer.hpp"
#include "installer/plugin_installer.hpp"

namespace tenon::console {

namespace {

using base::JsonWriter;

void write_texts(JsonWriter& json, const char* name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts)
    json.value(text);
  json.end_array();
}

}  // namespace

std::string plan_json(const plugins::PackagePlan& plan) {
  std::string text;
  JsonWriter json(text);
  json.begin_object()
      .member("id", plan.id)
      .member("name", plan.name)
      .member("change", to_string(plan.kind))
      .member("from", plan.from)
      .member("to", plan.to)
      .member("package", plan.package)
      .member("packed", plan.packed_bytes)
      .member("unpacked", plan.unpacked_bytes);
  json.key("signer")
      .begin_object()
      .member("key", plan.signer)
      .member("name", plan.signer_name)
      .member("trust", to_string(plan.trust))
      .end_object();
  json.key("permissions").begin_array();
  for (const plugins::DeclaredPermission& one : plan.permissions) {
    json.begin_object().member("id", one.id).member("title", one.title);
    write_texts(json, "roles", one.roles);
    json.end_object();
  }
  json.end_array();
  write_texts(json, "new_permissions", plan.new_permissions);
  write_texts(json, "gone_permissions", plan.gone_permissions);
  write_texts(json, "response_headers", plan.response_headers);
  write_texts(json, "outgoing", plan.outgoing);
  json.key("public_paths").begin_array();
  for (const plugins::DeclaredPublicPath& one : plan.public_paths) {
    json.begin_object()
        .member("path", one.path)
        .member("route", one.route)
        .member("title", one.title)
        .end_object();
  }
  json.end_array();
  json.key("requires").begin_array();
  for (const plugins::Requirement& one : plan.requirements)
    json.begin_object().member("id", one.id).member("range", one.range.text()).end_object();
  json.end_array();
  json.key("consents").begin_array();
  for (const plugins::Consent& one : plan.consents)
    json.begin_object().member("code", one.code).member("message", one.message).end_object();
  json.end_array();
  json.key("refusals").begin_array();
  for (const plugins::Reason& one : plan.refusals) {
    json.begin_object()
        .member("code", one.code)
        .member("message", one.message)
        .member("path", one.path)
        .end_object();
  }
  json.end_array();
  json.key("data");
  if (plan.data)
    json.raw(plan.data->to_json());
  else
    json.null();
  json.end_object();
  return text;
}

std::string rollback_json(const plugins::RollbackPlan& plan) {
  std::string text;
  JsonWriter json(text);
  json.begin_object()
      .member("id", plan.id)
      .member("from", plan.from)
      .member("to", plan.to)
      .member("left", base::rfc3339(plan.remaining_ms))
      .member("restores_data", plan.has_snapshot)
      .member("may_keep_data", plan.may_keep_data)
      .key("changes");
  if (plan.changes) {
    json.begin_array();
    for (const data::TableChanges& one : *plan.changes) {
      json.begin_object()
          .member("table", one.table)
          .member("added", one.added)
          .member("changed", one.changed)
          .member("removed", one.removed)
          .member("new_values", one.new_values)
          .member("whole", one.is_whole);
      write_texts(json, "not_compared", one.not_compared);
      json.key("records").begin_object();
      write_texts(json, "added", one.added_ids);
      write_texts(json, "changed", one.changed_ids);
      write_texts(json, "removed", one.removed_ids);
      json.end_object().end_object();
    }
    json.end_array();
  } else {
    json.null();
  }
  json.end_object();
  return text;
}

std::string key_json(const plugins::KnownKey& key) {
  std::string text;
  JsonWriter(text)
      .begin_object()
      .member("number", key.number)
      .member("key", key.key)
      .member("name", key.name)
      .member("trust", to_string(key.trust))
      .member("reason", key.reason)
      .member("changed", base::rfc3339(key.changed_ms))
      .member("changed_by", key.changed_by)
      .end_object();
  return text;
}

}  // namespace tenon::console
