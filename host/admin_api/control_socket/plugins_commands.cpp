#include "admin_api/control_socket/plugins_commands.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "admin_api/control_socket/commands.hpp"
#include "admin_api/plugins/export_admin.hpp"
#include "admin_api/plugins/package_admin.hpp"
#include "admin_api/plugins/plugin_admin.hpp"
#include "admin_api/plugins/plugins_json.hpp"
#include "admin_api/plugins/settings_admin.hpp"
#include "base/json_writer.hpp"
#include "lifecycle/stored_plugins.hpp"
#include "observability/audit.hpp"
#include "packages/reason.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

namespace {

std::string read_id(std::string_view arguments) {
  RequestBody body(arguments);
  std::string id = body.text("id");
  body.require_valid("plugins.validation");
  return id;
}

std::pair<std::string, std::string> read_id_and_path(std::string_view arguments) {
  RequestBody body(arguments);
  std::string id = body.text("id");
  std::string path = body.text("path");
  body.require_valid("plugins.validation");
  return {std::move(id), std::move(path)};
}

}  // namespace

void add_plugin_commands(Commands& commands, PluginAdmin& admin) {
  commands.add("plugin.list", [&admin](std::string_view) { return admin.list(); });
  commands.add("plugin.show",
               [&admin](std::string_view arguments) { return admin.show(read_id(arguments)); });
  commands.add("plugin.enable", [&admin](std::string_view arguments) {
    return admin.enable(read_id(arguments), local_actor);
  });
  commands.add("plugin.disable", [&admin](std::string_view arguments) {
    return admin.disable(read_id(arguments), local_actor);
  });
  commands.add("plugin.grant_path", [&admin](std::string_view arguments) {
    const auto [id, path] = read_id_and_path(arguments);
    return admin.grant_path(id, path, local_actor);
  });
  commands.add("plugin.revoke_path", [&admin](std::string_view arguments) {
    const auto [id, path] = read_id_and_path(arguments);
    admin.revoke_path(id, path, local_actor);
    return std::string("{}");
  });
  commands.add("plugin.reload", [&admin](std::string_view arguments) {
    return admin.reload(read_id(arguments), local_actor);
  });
}

void add_settings_commands(Commands& commands, SettingsAdmin& admin) {
  commands.add("plugin.settings",
               [&admin](std::string_view arguments) { return admin.show(read_id(arguments)); });
  commands.add("plugin.set_setting", [&admin](std::string_view arguments) {
    RequestBody body(arguments);
    const std::string id = body.text("id");
    const std::string key = body.text("key");
    const std::string json = body.text("json");
    body.require_valid("plugins.validation");
    return admin.set(id, key, json, local_actor);
  });
}

void add_stored_plugin_commands(Commands& commands, plugins::StoredPlugins& stored,
                                observability::Audit& audit) {
  commands.add("plugin.list", [&stored](std::string_view) {
    const auto grants = stored.public_paths().grants();
    std::string text = "{\"items\":[";
    for (const auto& status : stored.list()) {
      if (!text.ends_with('[')) text += ',';
      text += plugin_json(*status, *grants, {});
    }
    return text + "],\"next\":null}";
  });
  commands.add("plugin.show", [&stored](std::string_view arguments) {
    return stored_plugin_json(stored, read_id(arguments));
  });
  commands.add("plugin.enable", [&stored](std::string_view arguments) {
    return plugin_json(stored.set_enabled(read_id(arguments), true),
                       *stored.public_paths().grants(), {});
  });
  commands.add("plugin.disable", [&stored](std::string_view arguments) {
    return plugin_json(stored.set_enabled(read_id(arguments), false),
                       *stored.public_paths().grants(), {});
  });
  commands.add("plugin.grant_path", [&stored, &audit](std::string_view arguments) {
    const auto [id, path] = read_id_and_path(arguments);
    stored.public_paths().grant(stored.find(id), path, local_actor);
    audit.record({.actor = local_actor,
                  .action = "plugins.public_path_granted",
                  .object = id,
                  .details = path_details(path)});
    return stored_plugin_json(stored, id);
  });
  commands.add("plugin.revoke_path", [&stored, &audit](std::string_view arguments) {
    const auto [id, path] = read_id_and_path(arguments);
    stored.public_paths().revoke(id, path);
    audit.record({.actor = local_actor,
                  .action = "plugins.public_path_revoked",
                  .object = id,
                  .details = path_details(path)});
    return std::string("{}");
  });
  commands.add("plugin.reload",
               [](std::string_view) -> std::string { throw plugins::no_server(); });
}

std::string stored_plugin_json(const plugins::StoredPlugins& stored, const std::string& id) {
  return plugin_json(stored.find(id), *stored.public_paths().grants(), {});
}

void add_package_commands(Commands& commands, PackageAdmin& admin) {
  // One text by its name.
  const auto add = [&commands](const char* name, const char* argument, auto work) {
    commands.add(name, [argument, work](std::string_view arguments) -> std::string {
      RequestBody body(arguments);
      const std::string value = body.text(argument);
      body.require_valid("plugins.validation");
      return work(value);
    });
  };
  // Two.
  const auto add_two = [&commands](const char* name, const char* first, const char* second,
                                   auto work) {
    commands.add(name, [first, second, work](std::string_view arguments) -> std::string {
      RequestBody body(arguments);
      const std::string one = body.text(first);
      const std::string other = body.optional_text(second).value_or("");
      body.require_valid("plugins.validation");
      return work(one, other);
    });
  };
  commands.add("plugin.install", [&admin](std::string_view arguments) {
    RequestBody body(arguments);
    const std::string file = body.text("file");
    const auto consents = body.texts("consents", PackageAdmin::max_consents);
    const std::string data = body.optional_text("data").value_or("");
    body.require_valid("plugins.validation");
    return admin.install_file(file, consents, data, local_actor);
  });
  add("plugin.plan_install", "file",
      [&admin](const std::string& file) { return admin.plan_file(file); });
  add_two("plugin.rollback", "id", "data",
          [&admin](const std::string& id, const std::string& data) {
            return admin.rollback(id, data, local_actor);
          });
  add("plugin.plan_rollback", "id",
      [&admin](const std::string& id) { return admin.plan_rollback(id); });
  add("plugin.reset_data", "id",
      [&admin](const std::string& id) { return admin.reset_data(id, local_actor); });
  add_two("plugin.remove", "id", "data", [&admin](const std::string& id, const std::string& data) {
    std::string result;
    base::JsonWriter(result)
        .begin_object()
        .member("export", admin.remove(id, data, local_actor))
        .end_object();
    return result;
  });
  commands.add("plugin.keys", [&admin](std::string_view) { return admin.keys(); });
  add_two("plugin.trust", "key", "name", [&admin](const std::string& key, const std::string& name) {
    return admin.trust(key, name, local_actor);
  });
  add_two("plugin.revoke", "key", "reason",
          [&admin](const std::string& key, const std::string& reason) {
            return admin.revoke(key, reason, local_actor);
          });
  add("plugin.forget", "key", [&admin](const std::string& key) {
    admin.forget(key, local_actor);
    return std::string("{}");
  });
}

void add_export_commands(Commands& commands, ExportAdmin& admin) {
  commands.add("plugin.exports", [&admin](std::string_view) { return admin.list({}); });
  commands.add("plugin.delete_export", [&admin](std::string_view arguments) -> std::string {
    RequestBody body(arguments);
    const std::string name = body.text("name");
    body.require_valid("plugins.validation");
    admin.remove(name, local_actor);
    return "{}";
  });
}

}  // namespace tenon::console
