#include "admin_api/registry/registry_routes.hpp"

#include <memory>
#include <string>
#include <utility>

#include "admin_api/json_handler.hpp"
#include "admin_api/registry/registry_admin.hpp"
#include "routing/context.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

namespace {

// An id and a version at most.
constexpr std::uint64_t max_registry_body = 1024;

class PictureHandler final : public http::Handler {
 public:
  explicit PictureHandler(const RegistryAdmin& admin) : admin_(admin) {}

  void handle(const http::ExchangePtr& exchange) override {
    const auto& values = routing::context(*exchange).parameters.values;
    Picture picture = admin_.picture(values[0], values[1], values[2]);
    http::Response response;
    response.content_type = std::move(picture.type);
    response.with("Cache-Control", "private, max-age=3600");
    response.body = std::move(picture.content);
    exchange->respond(std::move(response));
  }

 private:
  const RegistryAdmin& admin_;
};

}  // namespace

RegistryRoutes::RegistryRoutes(const RegistryAdmin& admin, http::WorkerShare& share)
    : table_({routing::Access::admin, &share, max_registry_body}) {
  const auto add = [&](http::Method method, const char* pattern, const char* summary,
                       JsonHandler::Work work) {
    table_.add(method, pattern, summary, std::make_unique<JsonHandler>(std::move(work)));
  };
  add(http::Method::get, "/api/core/registry", "List plugins of the registry",
      [&admin](const RequestView& view) { return ok(admin.list(view.request.query)); });
  add(http::Method::post, "/api/core/registry/refresh", "Refresh the registry",
      [&admin](const RequestView&) { return ok(admin.refresh()); });
  add(http::Method::get, "/api/core/registry/plugins/{id}",
      "Get a plugin of the registry with its versions",
      [&admin](const RequestView& view) { return ok(admin.show(view.name)); });
  add(http::Method::post, "/api/core/registry/downloads", "Download a package from the registry",
      [&admin](const RequestView& view) {
        RequestBody body(view.request.body);
        const std::string id = body.text("id");
        const std::string version = body.optional_text("version").value_or("");
        body.require_valid("plugins.validation");
        return http::json_response(202, admin.start_download(id, version));
      });
  add(http::Method::get, "/api/core/registry/downloads/{number}", "Get the progress of a download",
      [&admin](const RequestView& view) { return ok(admin.download(view.name)); });
  add(http::Method::del, "/api/core/registry/downloads/{number}", "Cancel a download",
      [&admin](const RequestView& view) {
        admin.cancel_download(view.name);
        return http::empty_response(204);
      });
  table_.add(http::Method::get, "/api/core/registry/plugins/{id}/screenshots/{version}/{number}",
             "Get a screenshot of a version", std::make_unique<PictureHandler>(admin));
}

}  // namespace tenon::console
