#include "admin_api/plugins/plugins_routes.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "admin_api/json_handler.hpp"
#include "admin_api/plugins/inspector_json.hpp"
#include "admin_api/plugins/plugin_admin.hpp"
#include "admin_api/plugins/settings_admin.hpp"
#include "routing/context.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

namespace {

// Enough for an empty object, and for a public path.
constexpr std::uint64_t max_plugin_body = 1024;
constexpr std::uint64_t tables_limit = 1024 * 1024;

// A tables.json in the body, and what it would do.
class Plan final : public http::Handler {
 public:
  explicit Plan(PluginAdmin& admin) : admin_(admin) {}
  void handle(const http::ExchangePtr& exchange) override {
    const std::string plugin(routing::context(*exchange).parameters.values[0]);
    exchange->respond(
        http::json_response(200, admin_.plan(plugin, std::string(exchange->request().body))));
  }

 private:
  PluginAdmin& admin_;
};

std::string read_path(const RequestView& view) {
  RequestBody body(view.request.body);
  std::string path = body.text("path");
  body.require_valid("plugins.validation");
  return path;
}

}  // namespace

PluginsRoutes::PluginsRoutes(PluginAdmin& admin, SettingsAdmin& settings, OperationTracker& changes,
                             http::WorkerShare& share)
    : table_({routing::Access::admin, &share, max_plugin_body}) {
  const auto add = [this](http::Method method, const char* pattern, const char* summary,
                          JsonHandler::Work work, OperationTracker* slow = nullptr) {
    table_.add(method, pattern, summary, std::make_unique<JsonHandler>(std::move(work), slow));
  };
  add(http::Method::get, "/api/core/plugins", "List plugins",
      [&admin](const RequestView&) { return ok(admin.list()); });
  add(http::Method::get, "/api/core/plugins/{id}", "Get a plugin",
      [&admin](const RequestView& view) { return ok(admin.show(view.name)); });
  add(
      http::Method::post, "/api/core/plugins/{id}/enable", "Enable a plugin",
      [&admin](const RequestView& view) { return ok(admin.enable(view.name, view.user)); },
      &changes);
  add(
      http::Method::post, "/api/core/plugins/{id}/disable",
      "Disable a plugin after its current requests",
      [&admin](const RequestView& view) { return ok(admin.disable(view.name, view.user)); },
      &changes);
  add(
      http::Method::post, "/api/core/plugins/{id}/reload", "Load the files of a plugin again",
      [&admin](const RequestView& view) { return ok(admin.reload(view.name, view.user)); },
      &changes);
  add(http::Method::post, "/api/core/plugins/{id}/grant-path", "Serve a plugin at a public path",
      [&admin](const RequestView& view) {
        return ok(admin.grant_path(view.name, read_path(view), view.user));
      });
  add(http::Method::post, "/api/core/plugins/{id}/revoke-path",
      "Stop serving a plugin at a public path", [&admin](const RequestView& view) {
        admin.revoke_path(view.name, read_path(view), view.user);
        return http::empty_response(204);
      });
  add(http::Method::get, "/api/core/plugins/{id}/inspector",
      "Get the recent log, requests and statements of a plugin", [&admin](const RequestView& view) {
        admin.find(view.name);
        return ok(inspect(view.name, view.request.query));
      });
  add(http::Method::get, "/api/core/plugins/{id}/plan", "Plan the activation of a plugin",
      [&admin](const RequestView& view) { return ok(admin.plan(view.name, std::nullopt)); });
  table_
      .add(http::Method::post, "/api/core/plugins/{id}/plan",
           "Plan another tables.json for a plugin", std::make_unique<Plan>(admin))
      .body_limit = tables_limit;
  add(http::Method::get, "/api/core/plugins/{id}/settings", "Get the settings of a plugin",
      [&settings](const RequestView& view) { return ok(settings.show(view.name)); });
  table_
      .add(http::Method::put, "/api/core/plugins/{id}/settings", "Replace the settings of a plugin",
           std::make_unique<JsonHandler>([&settings](const RequestView& view) {
             return ok(settings.replace(view.name, view.request.body, view.user));
           }))
      .body_limit = SettingsAdmin::max_body_bytes;
}

}  // namespace tenon::console
