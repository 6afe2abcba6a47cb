#include "admin_api/plugins/packages_routes.hpp"

#include <memory>
#include <string>
#include <utility>

#include "admin_api/json_handler.hpp"
#include "admin_api/plugins/package_admin.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "packages/archive/limits.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

namespace {

constexpr std::uint64_t max_package_body = 64 * 1024;

bool is_json(const http::Request& request) {
  return request.field("content-type").starts_with("application/json");
}

http::Response install(PackageAdmin& admin, const RequestView& view) {
  const std::string data = http::query_value(view.request.query, "data");
  // A path is for the command line of this machine.
  if (data.starts_with('/')) {
    throw base::Error(422, "plugins.validation", "Name an export of the data.",
                      {{"data", "invalid", "This is the name of an export."}});
  }
  if (!is_json(view.request))
    return ok(admin.install(std::string(view.request.body), {}, data, view.user));
  RequestBody body(view.request.body);
  const std::string package = body.text("package");
  const auto consents = body.texts("consents", PackageAdmin::max_consents);
  body.require_valid("plugins.validation");
  return ok(admin.install_kept(package, consents, data, view.user));
}

http::Response plan(PackageAdmin& admin, const RequestView& view) {
  if (!is_json(view.request)) return ok(admin.plan(std::string(view.request.body)));
  RequestBody body(view.request.body);
  const std::string package = body.text("package");
  body.require_valid("plugins.validation");
  return ok(admin.plan_kept(package));
}

http::Response remove(PackageAdmin& admin, const RequestView& view) {
  const std::string exported =
      admin.remove(view.name, http::query_value(view.request.query, "data"), view.user);
  if (exported.empty()) return http::empty_response(204);
  std::string json;
  base::JsonWriter(json).begin_object().member("export", exported).end_object();
  return ok(std::move(json));
}

http::Response trust(PackageAdmin& admin, const RequestView& view) {
  RequestBody body(view.request.body);
  const std::string key = body.text("key");
  const std::string name = body.optional_text("name").value_or("");
  body.require_valid("plugins.validation");
  return http::json_response(201, admin.trust(key, name, view.user));
}

http::Response revoke(PackageAdmin& admin, const RequestView& view) {
  RequestBody body(view.request.body);
  const std::string reason = body.optional_text("reason").value_or("");
  body.require_valid("plugins.validation");
  return ok(admin.revoke(view.name, reason, view.user));
}

http::Response rollback(PackageAdmin& admin, const RequestView& view) {
  std::string data;
  if (!view.request.body.empty()) {
    RequestBody body(view.request.body);
    data = body.optional_text("data").value_or("");
    body.require_valid("plugins.validation");
  }
  return ok(admin.rollback(view.name, data, view.user));
}

}  // namespace

PackagesRoutes::PackagesRoutes(PackageAdmin& admin, OperationTracker& changes,
                               http::WorkerShare& share)
    : plugins_({routing::Access::admin, &share, max_package_body}),
      keys_({routing::Access::admin, &share, max_package_body}) {
  using http::Method;
  const auto add = [](routing::RouteTable& table, Method method, const char* pattern,
                      const char* summary, JsonHandler::Work work,
                      OperationTracker* slow = nullptr) -> routing::Route& {
    return table.add(method, pattern, summary,
                     std::make_unique<JsonHandler>(std::move(work), slow));
  };
  const auto takes_package = [](routing::Route& route) {
    route.body = http::BodyMode::whole;
    route.body_limit = plugins::PackageLimits::packed;
  };
  takes_package(add(
      plugins_, Method::post, "/api/core/plugins", "Install or upgrade a plugin from a package",
      [&admin](const RequestView& view) { return install(admin, view); }, &changes));
  takes_package(add(plugins_, Method::post, "/api/core/plugins/plan",
                    "Plan the installation of a package",
                    [&admin](const RequestView& view) { return plan(admin, view); }));
  add(
      plugins_, Method::del, "/api/core/plugins/{id}", "Remove an installed plugin",
      [&admin](const RequestView& view) { return remove(admin, view); }, &changes);
  add(plugins_, Method::get, "/api/core/plugins/{id}/rollback", "Plan a rollback",
      [&admin](const RequestView& view) { return ok(admin.plan_rollback(view.name)); });
  add(
      plugins_, Method::post, "/api/core/plugins/{id}/rollback",
      "Roll back to the previous version",
      [&admin](const RequestView& view) { return rollback(admin, view); }, &changes);
  add(keys_, Method::get, "/api/core/keys", "List keys that sign packages",
      [&admin](const RequestView&) { return ok(admin.keys()); });
  add(keys_, Method::post, "/api/core/keys", "Trust a key",
      [&admin](const RequestView& view) { return trust(admin, view); });
  add(keys_, Method::post, "/api/core/keys/{number}/revoke",
      "Revoke a key, so that nothing it signed is loaded",
      [&admin](const RequestView& view) { return revoke(admin, view); });
  add(keys_, Method::del, "/api/core/keys/{number}", "Delete a trusted key",
      [&admin](const RequestView& view) {
        admin.forget(view.name, view.user);
        return http::empty_response(204);
      });
}

}  // namespace tenon::console
