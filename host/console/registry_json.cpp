#include "console/registry_json.hpp"

#include <algorithm>

namespace tenon::console {

namespace {

using base::JsonWriter;
using Plugins = std::vector<plugins::PluginOffer>;

const plugins::PluginOffer* find(const Plugins& judged, const std::string& id) {
  const auto found =
      std::find_if(judged.begin(), judged.end(),
                   [&id](const plugins::PluginOffer& plugin) { return plugin.plugin->id == id; });
  return found == judged.end() ? nullptr : &*found;
}

// {"id","name","version","installed"}
void write_step(JsonWriter& json, const std::string& id, const std::string& version,
                const Plugins& judged) {
  const plugins::PluginOffer* plugin = find(judged, id);
  json.begin_object()
      .member("id", id)
      .member("name", plugin ? plugin->plugin->name : id)
      .member("version", version);
  write_text(json, "installed", plugin ? plugin->installed : std::string());
  json.end_object();
}

void write_reasons(JsonWriter& json, const plugins::VersionOffer& verdict) {
  json.key("reasons").begin_array();
  for (const plugins::Reason& reason : verdict.reasons)
    write_reason(json, reason);
  json.end_array();
}

}  // namespace

void write_text(JsonWriter& json, const char* name, const std::string& text) {
  json.key(name);
  if (text.empty())
    json.null();
  else
    json.value(text);
}

void write_reason(JsonWriter& json, const plugins::Reason& reason) {
  json.begin_object()
      .member("code", reason.code)
      .member("message", reason.file.empty() ? reason.message : plugins::describe(reason))
      .end_object();
}

void write_verdict(JsonWriter& json, const plugins::VersionOffer& verdict, const Plugins& judged) {
  write_reasons(json, verdict);
  json.key("with").begin_array();
  for (const plugins::Prerequisite& companion : verdict.with)
    write_step(json, companion.id, companion.version, judged);
  json.end_array();
}

void write_summary(JsonWriter& json, const plugins::PluginOffer& judged, const Plugins& all) {
  const plugins::IndexedPlugin& plugin = *judged.plugin;
  const plugins::VersionOffer* newest = judged.newest_installable();
  json.member("id", plugin.id)
      .member("name", plugin.name)
      .member("description", plugin.description)
      .member("author", plugin.author)
      .member("license", plugin.license)
      .member("icon", plugin.icon)
      .member("latest", plugin.latest().version_text);
  write_text(json, "installed", judged.installed);
  write_text(json, "installable", newest ? newest->version->version_text : std::string());
  // Of the one that can be installed, else of the latest one.
  if (!newest) {
    newest = &*std::find_if(judged.verdicts.begin(), judged.verdicts.end(),
                            [&plugin](const plugins::VersionOffer& verdict) {
                              return verdict.version == &plugin.latest();
                            });
  }
  write_verdict(json, *newest, all);
}

std::string download_json(const plugins::Download& download) {
  std::string text;
  JsonWriter json(text);
  json.begin_object()
      .member("number", download.number)
      .member("id", download.id)
      .member("version", download.version)
      .member("state", to_string(download.state))
      .member("done", download.done)
      .member("total", download.total);
  write_text(json, "package", download.package);
  json.key("error");
  if (download.error)
    write_reason(json, *download.error);
  else
    json.null();
  json.end_object();
  return text;
}

std::string order_json(const plugins::PluginOffer& plugin, const plugins::VersionOffer& verdict,
                       const Plugins& judged) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("steps").begin_array();
  if (verdict.is_installable()) {
    for (const plugins::Prerequisite& companion : verdict.with)
      write_step(json, companion.id, companion.version, judged);
    write_step(json, plugin.plugin->id, verdict.version->version_text, judged);
  }
  json.end_array();
  write_reasons(json, verdict);
  json.end_object();
  return text;
}

}  // namespace tenon::console
