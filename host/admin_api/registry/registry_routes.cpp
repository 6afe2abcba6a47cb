#include "admin_api/registry/registry_routes.hpp"

#include <functional>
#include <string>
#include <utility>

#include "admin_api/registry/registry_admin.hpp"
#include "routing/context.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

namespace {

// An id and a version at most.
constexpr std::uint64_t max_registry_body = 1024;

class RegistryHandler final : public http::Handler {
 public:
  /// Returns the JSON for a request; empty for a response without content.
  using Work = std::function<std::string(const http::Request&, const routing::CallContext&)>;
  explicit RegistryHandler(Work work, int status) : work_(std::move(work)), status_(status) {}

  void handle(const http::ExchangePtr& exchange) override {
    std::string json = work_(exchange->request(), routing::context(*exchange));
    exchange->respond(json.empty() ? http::empty_response(204)
                                   : http::json_response(status_, std::move(json)));
  }

 private:
  Work work_;
  int status_;
};

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

RegistryRoutes::RegistryRoutes(const RegistryAdmin& admin, http::WorkerShare& share) {
  const auto add = [&](http::Method method, const char* pattern, const char* summary,
                       RegistryHandler::Work work, int status = 200) {
    handlers_.push_back(std::make_unique<RegistryHandler>(std::move(work), status));
    const bool has_body = method == http::Method::post;
    routes_.push_back({.method = method,
                       .pattern = pattern,
                       .access = routing::Access::admin,
                       .permission = {},
                       .handler = handlers_.back().get(),
                       .body = has_body ? http::BodyMode::json : http::BodyMode::none,
                       .body_limit = has_body ? max_registry_body : 0,
                       .share = &share,
                       .summary = summary});
  };
  add(http::Method::get, "/api/core/registry",
      "What the registry has, and whether it can be installed here",
      [&admin](const http::Request& request, const routing::CallContext&) {
        return admin.list(request.query);
      });
  add(http::Method::post, "/api/core/registry/refresh", "Read the registry now",
      [&admin](const http::Request&, const routing::CallContext&) { return admin.refresh(); });
  add(http::Method::get, "/api/core/registry/plugins/{id}",
      "One plugin of the registry with all its versions",
      [&admin](const http::Request&, const routing::CallContext& context) {
        return admin.show(std::string(context.parameters.values[0]));
      });
  add(
      http::Method::post, "/api/core/registry/downloads", "Download a package from the registry",
      [&admin](const http::Request& request, const routing::CallContext&) {
        RequestBody body(request.body);
        const std::string id = body.text("id");
        const std::string version = body.optional_text("version").value_or("");
        body.require_valid("plugins.validation");
        return admin.start_download(id, version);
      },
      202);
  add(http::Method::get, "/api/core/registry/downloads/{number}",
      "How far a package is on its way from the registry",
      [&admin](const http::Request&, const routing::CallContext& context) {
        return admin.download(context.parameters.values[0]);
      });
  add(http::Method::del, "/api/core/registry/downloads/{number}",
      "Give up a package on its way from the registry",
      [&admin](const http::Request&, const routing::CallContext& context) {
        admin.cancel_download(context.parameters.values[0]);
        return std::string();
      });
  handlers_.push_back(std::make_unique<PictureHandler>(admin));
  routing::Route picture = routes_.front();
  picture.pattern = "/api/core/registry/plugins/{id}/screenshots/{version}/{number}";
  picture.handler = handlers_.back().get();
  picture.summary = "A screenshot of a version";
  routes_.push_back(std::move(picture));
}

RegistryRoutes::~RegistryRoutes() = default;

std::vector<routing::Route> RegistryRoutes::routes() const {
  return routes_;
}

}  // namespace tenon::console
