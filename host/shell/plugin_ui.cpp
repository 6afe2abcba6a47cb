#include "shell/plugin_ui.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <Poco/JSON/Stringifier.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"

namespace tenon::shell {

namespace {

std::string to_text(const Poco::Dynamic::Var& value) {
  std::ostringstream text;
  Poco::JSON::Stringifier::stringify(value, text, 0, -1, Poco::JSON_WRAP_STRINGS);
  // The item is also part of the boot data in an HTML page.
  std::string json = text.str();
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at))
    json.replace(at, 1, "\\u003c");
  return json;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw base::Error(500, "shell.ui_invalid",
                      path + " cannot be read. Build the plugin's UI again.");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A list of {"href"|name, "integrity"} of the build's manifest, with URLs below /ui/plugins/<id>/.
void write_files(base::JsonWriter& json, std::string_view key, const std::string& base_url,
                 const Poco::JSON::Object& manifest) {
  json.key(key).begin_array();
  const Poco::JSON::Array::Ptr files = manifest.getArray(std::string(key));
  for (std::size_t i = 0; files && i < files->size(); ++i) {
    const Poco::JSON::Object::Ptr file = files->getObject(static_cast<unsigned>(i));
    if (!file) continue;
    json.begin_object()
        .member("href", base_url + file->optValue<std::string>("href", ""))
        .member("integrity", file->optValue<std::string>("integrity", ""))
        .end_object();
  }
  json.end_array();
}

}  // namespace

PluginItem::PluginItem(const PluginUi& ui) : id_(ui.id), contributions_("{}") {
  base::JsonWriter json(head_);
  json.begin_object()
      .member("id", ui.id)
      .member("name", ui.name)
      .member("version", ui.version)
      .member("generation", ui.generation);
  if (ui.directory.empty()) {
    json.key("module").null().key("integrity").null();
    json.key("styles").begin_array().end_array().key("preload").begin_array().end_array();
  } else {
    const std::string path = ui.directory + "/manifest.json";
    Poco::JSON::Object::Ptr manifest;
    try {
      manifest = base::parse_json_object(read_file(path));
    } catch (const base::Error& error) {
      if (error.code() == "shell.ui_invalid") throw;
      throw base::Error(500, "shell.ui_invalid", path + ": " + error.message());
    }
    entry_ = manifest->optValue<std::string>("entry", "");
    if (entry_.empty())
      throw base::Error(500, "shell.ui_invalid",
                        path + " names no \"entry\". Build the plugin's UI again.");
    const std::string base_url = "/ui/plugins/" + ui.id + "/";
    json.member("module", base_url + entry_)
        .member("integrity", manifest->optValue<std::string>("integrity", ""));
    write_files(json, "styles", base_url, *manifest);
    write_files(json, "preload", base_url, *manifest);
  }

  for (const NavigationEntry& entry : ui.navigation) {
    std::string text;
    base::JsonWriter(text)
        .begin_object()
        .member("id", entry.id)
        .member("title", entry.title)
        .member("path", entry.path)
        .member("icon", entry.icon)
        .end_object();
    navigation_.push_back({entry.permission, std::move(text)});
  }
  if (!ui.contributions.empty()) contributions_ = to_text(base::parse_json(ui.contributions));
}

}  // namespace tenon::shell
