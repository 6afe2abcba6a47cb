#include "admin_api/plugins/export_admin.hpp"

#include "base/clock.hpp"
#include "base/json_writer.hpp"
#include "installer/exports/received_export.hpp"
#include "installer/plugin_installer.hpp"
#include "observability/audit.hpp"

namespace tenon::console {

namespace {

using base::JsonWriter;

void write_item(JsonWriter& json, const plugins::ExportItem& item) {
  json.begin_object().member("name", item.name).member("bytes", item.bytes);
  json.key("facts");
  if (!item.facts) {
    json.null();
  } else {
    const plugins::ExportFacts& facts = *item.facts;
    std::int64_t records = 0;
    for (const data::TableRows& one : facts.tables)
      records += one.rows;
    json.begin_object()
        .member("plugin", facts.plugin)
        .member("version", facts.version)
        .member("taken", base::rfc3339(facts.taken_ms))
        .member("data_version", facts.data_version)
        .member("migration", facts.migration)
        .member("records", records)
        .member("files", facts.files)
        .member("file_bytes", facts.file_bytes);
    json.key("tables").begin_array();
    for (const data::TableRows& one : facts.tables)
      json.begin_object().member("table", one.table).member("records", one.rows).end_object();
    json.end_array().end_object();
  }
  json.key("reason");
  if (!item.reason) {
    json.null();
  } else {
    json.begin_object()
        .member("code", item.reason->code)
        .member("message", item.reason->message)
        .end_object();
  }
  json.end_object();
}

}  // namespace

std::string ExportAdmin::list(const std::string& plugin) const {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("items").begin_array();
  for (const plugins::ExportItem& item : packages_.exports().list()) {
    if (plugin.empty() || (item.facts && item.facts->plugin == plugin)) write_item(json, item);
  }
  json.end_array().key("next").null().end_object();
  return text;
}

std::string ExportAdmin::show(const std::string& name) const {
  std::string text;
  JsonWriter json(text);
  write_item(json, packages_.exports().one(name));
  return text;
}

std::string ExportAdmin::take_out(const std::string& name, const std::string& actor) {
  std::string file = packages_.exports().find(name);
  audit_.record(
      {.actor = actor, .action = "plugins.export_downloaded", .object = name, .details = {}});
  return file;
}

std::unique_ptr<plugins::ReceivedExport> ExportAdmin::receive(std::uint64_t bytes) {
  return packages_.receive_export(bytes);
}

std::string ExportAdmin::received(plugins::ReceivedExport& came, const std::string& plugin,
                                  const std::string& actor, std::string& name) {
  const plugins::ExportItem item = came.finish(plugin);
  name = item.name;
  audit_.record(
      {.actor = actor, .action = "plugins.export_uploaded", .object = name, .details = {}});
  std::string text;
  JsonWriter json(text);
  write_item(json, item);
  return text;
}

void ExportAdmin::remove(const std::string& name, const std::string& actor) {
  packages_.remove_export(name);
  audit_.record(
      {.actor = actor, .action = "plugins.export_removed", .object = name, .details = {}});
}

}  // namespace tenon::console
