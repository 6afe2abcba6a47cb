#include "console/plugins_commands.hpp"

#include <string>
#include <string_view>

#include "console/commands.hpp"
#include "console/plugins_desk.hpp"
#include "console/plugins_json.hpp"
#include "console/request_body.hpp"
#include "plugins/lifecycle/stored_plugins.hpp"

namespace tenon::console {

namespace {

constexpr const char* local_actor = "local";

std::string read_id(std::string_view arguments) {
  RequestBody body(arguments);
  std::string id = body.text("id");
  body.require_valid("plugins.validation");
  return id;
}

}  // namespace

void add_plugin_commands(Commands& commands, PluginsDesk& desk) {
  commands.add("plugin.list", [&desk](std::string_view) { return desk.list(); });
  commands.add("plugin.enable", [&desk](std::string_view arguments) {
    return desk.enable(read_id(arguments), local_actor);
  });
  commands.add("plugin.disable", [&desk](std::string_view arguments) {
    return desk.disable(read_id(arguments), local_actor);
  });
}

void add_stored_plugin_commands(Commands& commands, plugins::StoredPlugins& stored) {
  commands.add("plugin.list", [&stored](std::string_view) {
    std::string text = "{\"items\":[";
    for (const auto& status : stored.list()) {
      if (!text.ends_with('[')) text += ',';
      text += plugin_json(*status, {});
    }
    return text + "],\"next\":null}";
  });
  commands.add("plugin.enable", [&stored](std::string_view arguments) {
    return plugin_json(stored.set_enabled(read_id(arguments), true), {});
  });
  commands.add("plugin.disable", [&stored](std::string_view arguments) {
    return plugin_json(stored.set_enabled(read_id(arguments), false), {});
  });
}

}  // namespace tenon::console
