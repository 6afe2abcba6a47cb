#include "admin_api/registry/registry_json.hpp"

#include <algorithm>

namespace tenon::console {

namespace {

using base::JsonWriter;
using Plugins = std::vector<plugins::PluginOffer>;

const plugins::PluginOffer* find(const Plugins& offers, const std::string& id) {
  const auto found =
      std::find_if(offers.begin(), offers.end(),
                   [&id](const plugins::PluginOffer& plugin) { return plugin.plugin->id == id; });
  return found == offers.end() ? nullptr : &*found;
}

// {"id","name","version","installed"}
void write_step(JsonWriter& json, const std::string& id, const std::string& version,
                const Plugins& offers) {
  const plugins::PluginOffer* plugin = find(offers, id);
  json.begin_object()
      .member("id", id)
      .member("name", plugin ? plugin->plugin->name : id)
      .member("version", version);
  write_text(json, "installed", plugin ? plugin->installed : std::string());
  json.end_object();
}

void write_reasons(JsonWriter& json, const plugins::VersionOffer& offer) {
  json.key("reasons").begin_array();
  for (const plugins::Reason& reason : offer.reasons)
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

void write_offer(JsonWriter& json, const plugins::VersionOffer& offer, const Plugins& offers) {
  write_reasons(json, offer);
  json.key("with").begin_array();
  for (const plugins::Prerequisite& prerequisite : offer.with)
    write_step(json, prerequisite.id, prerequisite.version, offers);
  json.end_array();
}

void write_summary(JsonWriter& json, const plugins::PluginOffer& offer, const Plugins& all) {
  const plugins::IndexedPlugin& plugin = *offer.plugin;
  const plugins::VersionOffer* newest = offer.newest_installable();
  json.member("id", plugin.id)
      .member("name", plugin.name)
      .member("description", plugin.description)
      .member("author", plugin.author)
      .member("license", plugin.license)
      .member("icon", plugin.icon)
      .member("latest", plugin.latest().version_text);
  write_text(json, "installed", offer.installed);
  write_text(json, "installable", newest ? newest->version->version_text : std::string());
  // The facts of the installable version, else of the latest one.
  if (!newest) {
    newest = &*std::find_if(offer.versions.begin(), offer.versions.end(),
                            [&plugin](const plugins::VersionOffer& version) {
                              return version.version == &plugin.latest();
                            });
  }
  write_offer(json, *newest, all);
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

std::string order_json(const plugins::PluginOffer& plugin, const plugins::VersionOffer& offer,
                       const Plugins& offers) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("steps").begin_array();
  if (offer.is_installable()) {
    for (const plugins::Prerequisite& prerequisite : offer.with)
      write_step(json, prerequisite.id, prerequisite.version, offers);
    write_step(json, plugin.plugin->id, offer.version->version_text, offers);
  }
  json.end_array();
  write_reasons(json, offer);
  json.end_object();
  return text;
}

}  // namespace tenon::console
