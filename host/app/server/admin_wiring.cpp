#include "app/server/admin_wiring.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admin_api/control_socket/host_commands.hpp"
#include "admin_api/control_socket/plugins_commands.hpp"
#include "admin_api/control_socket/registry_commands.hpp"
#include "admin_api/control_socket/user_commands.hpp"
#include "app/commands/registry_setup.hpp"
#include "app/server/core_wiring.hpp"
#include "app/server/plugin_wiring.hpp"
#include "app/version.hpp"
#include "base/json_writer.hpp"
#include "observability/recorder.hpp"
#include "packages/elf/elf_file.hpp"
#include "routing/request_body.hpp"

namespace tenon::app {

namespace {

/// Returns what the API description says of each plugin.
std::vector<openapi::Tag> tags_of(const plugins::Listing& plugins) {
  std::vector<openapi::Tag> tags;
  for (const auto& status : plugins) {
    if (status->is_duplicate) continue;
    tags.push_back(
        {status->id,
         status->description.empty() ? status->name : status->name + ": " + status->description,
         status->license});
  }
  return tags;
}

/// Returns the path of a plugin's library; empty if it has none.
std::string library_of(const plugins::Listing& plugins, const std::string& id) {
  for (const auto& status : plugins)
    if (status->id == id && status->has_library)
      return status->folder + "/" + plugins::library_path(id);
  return {};
}

routing::Route search_route(records::GlobalSearch& search, http::WorkerShare& share) {
  routing::Route route;
  route.pattern = "/api/core/search";
  route.handler = &search;
  route.share = &share;
  route.summary = "Search the tables of all plugins";
  return route;
}

std::string error_json(std::string_view plugin, const observability::LogRecord& record) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object()
      .member("plugin", plugin)
      .member("message", record.message)
      .member("route", record.route)
      .member("request_id", record.request_id)
      .key("details")
      .begin_object();
  for (const auto& [name, value] : record.fields)
    json.member(name, value);
  json.end_object().end_object();
  return text;
}

}  // namespace

AdminWiring::AdminWiring(CoreWiring& core, PluginWiring& plugins)
    : account_routes(core.identity, *core.admin_share),
      jobs_routes(core.jobs, core.identity.audit(), *core.admin_share),
      presence_routes(core.live.presence(), *core.admin_share),
      operations(*core.admin_share),
      crash_reporter(core.handover.restart, last_crashes,
                     [&plugins](const std::string& id) {
                       return library_of(*plugins.lifecycle.listing(), id);
                     }),
      stall_reporter([&plugins](const std::string& id) {
        return library_of(*plugins.lifecycle.listing(), id);
      }),
      plugin_admin(plugins.lifecycle, core.router, core.identity.audit(), last_crashes),
      settings_admin(
          plugins.lifecycle.settings(),
          [&plugins](const std::string& id) { return plugins.lifecycle.settings_schema(id); },
          core.identity.audit()),
      plugins_routes(plugin_admin, settings_admin, operations, *core.admin_share),
      package_admin(
          plugins.packages, [this](const std::string& plugin) { return plugin_admin.show(plugin); },
          core.identity.audit(), core.settings.data),
      packages_routes(package_admin, operations, *core.admin_share),
      export_admin(plugins.packages, core.identity.audit()),
      exports_routes(export_admin, *core.admin_share),
      index_cache(make_index_cache(core.settings, core.directory.file("registry"))),
      downloads(index_cache.get(), core.directory.file("registry"), keep_in(package_admin)),
      registry_admin(
          index_cache.get(), downloads, [&plugins] { return plugins.packages.present(); },
          [&plugins](const std::string& number) {
            return standing_of(plugins.packages.keyring(), number);
          }),
      registry_routes(registry_admin, *core.admin_share),
      openapi_routes({core.settings.name, host_version,
                      [&plugins] { return tags_of(*plugins.lifecycle.listing()); }},
                     core.router, core.identity.permissions(), *core.admin_share) {
  add_commands(core, plugins);
  publish_routes(core, plugins);
  if (core.settings.is_development) {
    observability::recorder().set_development(
        [&plugins](std::string_view plugin, const observability::LogRecord& record) {
          plugins.shell.show_error(error_json(plugin, record));
        });
  }
}

AdminWiring::~AdminWiring() {
  observability::recorder().set_development({});
}

void AdminWiring::add_commands(CoreWiring& core, PluginWiring& plugins) {
  console::add_user_commands(commands, core.identity);
  console::add_host_commands(commands, core.identity);
  console::add_plugin_commands(commands, plugin_admin);
  console::add_settings_commands(commands, settings_admin);
  console::add_package_commands(commands, package_admin);
  console::add_export_commands(commands, export_admin);
  console::add_registry_commands(commands, registry_admin, package_admin);
  commands.add("development.report", [&plugins](std::string_view arguments) {
    console::RequestBody body(arguments);
    const std::string title = body.optional_text("title").value_or("");
    const std::string message = body.optional_text("message").value_or("");
    const std::string code = body.optional_text("code").value_or("");
    body.require_valid("development.validation");
    plugins.shell.show_report(title, message, code);
    return std::string("{}");
  });
  commands.add("development.open", [&plugins](std::string_view arguments) {
    console::RequestBody body(arguments);
    const std::string path = body.text("path");
    body.require_valid("development.validation");
    plugins.shell.open_in_pages(path);
    return std::string("{}");
  });
  commands.add("development.sign_in", [&plugins](std::string_view arguments) {
    console::RequestBody body(arguments);
    const std::string login = body.text("login");
    const std::string password = body.text("password");
    body.require_valid("development.validation");
    plugins.shell.sign_pages_in(login, password);
    return std::string("{}");
  });
  commands.add("openapi", [this](std::string_view) { return openapi_routes.document(); });
}

void AdminWiring::publish_routes(CoreWiring& core, PluginWiring& plugins) {
  // For any method, if no longer prefix has the path.
  core.router.unpublish("/api",
                        {404, "plugins.unknown",
                         "This is the path of no plugin that is here. Install it, or look at how "
                         "its id is written."});
  core.router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core", account_routes.routes()));
  std::vector<routing::Route> of_plugins = plugins_routes.routes();
  const auto& of_packages = packages_routes.plugin_routes();
  of_plugins.insert(of_plugins.end(), of_packages.begin(), of_packages.end());
  core.router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/plugins", std::move(of_plugins)));
  core.router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/keys", packages_routes.key_routes()));
  core.router.publish(std::make_shared<routing::RouteSet>("core", "/api/core/changes",
                                                          std::vector{operations.route()}));
  core.router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/exports", exports_routes.routes()));
  core.router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/registry", registry_routes.routes()));
  core.router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/jobs", jobs_routes.routes()));
  core.router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/presence", presence_routes.routes()));
  core.router.publish(std::make_shared<routing::RouteSet>("core", "/api/core/openapi.json",
                                                          openapi_routes.routes()));
  core.router.publish(std::make_shared<routing::RouteSet>(
      "core", "/api/core/search", std::vector{search_route(plugins.search, *core.admin_share)}));
}

}  // namespace tenon::app
