#include "admin_api/plugins/plugins_routes.hpp"

#include <optional>
#include <string>
#include <utility>

#include "admin_api/json_handler.hpp"
#include "admin_api/plugins/plugin_admin.hpp"
#include "routing/context.hpp"

namespace tenon::console {

namespace {

// The body has no members; the limit allows an empty object.
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

}  // namespace

PluginsRoutes::PluginsRoutes(PluginAdmin& admin, OperationTracker& changes,
                             http::WorkerShare& share)
    : share_(share) {
  const auto add = [this](http::Method method, const char* pattern, const char* summary,
                          JsonHandler::Work work, OperationTracker* slow = nullptr) {
    handlers_.push_back(std::make_unique<JsonHandler>(std::move(work), slow));
    const bool has_body = method == http::Method::post;
    routes_.push_back({.method = method,
                       .pattern = pattern,
                       .access = routing::Access::admin,
                       .permission = {},
                       .handler = handlers_.back().get(),
                       .body = has_body ? http::BodyMode::json : http::BodyMode::none,
                       .body_limit = has_body ? max_plugin_body : 0,
                       .share = &share_,
                       .summary = summary});
  };
  add(http::Method::get, "/api/core/plugins", "List the plugins with their states",
      [&admin](const RequestView&) { return ok(admin.list()); });
  add(http::Method::get, "/api/core/plugins/{id}", "One plugin",
      [&admin](const RequestView& view) { return ok(admin.show(view.name)); });
  add(
      http::Method::post, "/api/core/plugins/{id}/enable", "Enable a plugin",
      [&admin](const RequestView& view) { return ok(admin.enable(view.name, view.user)); },
      &changes);
  add(
      http::Method::post, "/api/core/plugins/{id}/disable",
      "Disable a plugin; its requests in flight are finished first",
      [&admin](const RequestView& view) { return ok(admin.disable(view.name, view.user)); },
      &changes);
  add(http::Method::get, "/api/core/plugins/{id}/plan",
      "What activating a plugin would do to its data",
      [&admin](const RequestView& view) { return ok(admin.plan(view.name, std::nullopt)); });
  handlers_.push_back(std::make_unique<Plan>(admin));
  routes_.push_back({.method = http::Method::post,
                     .pattern = "/api/core/plugins/{id}/plan",
                     .access = routing::Access::admin,
                     .permission = {},
                     .handler = handlers_.back().get(),
                     .body = http::BodyMode::json,
                     .body_limit = tables_limit,
                     .share = &share_,
                     .summary = "What another tables.json would do to a plugin's data"});
}

PluginsRoutes::~PluginsRoutes() = default;

std::vector<routing::Route> PluginsRoutes::routes() const {
  return routes_;
}

}  // namespace tenon::console
