#include "console/registry_routes.hpp"

#include <functional>
#include <string>
#include <utility>

#include "console/registry_desk.hpp"
#include "routing/context.hpp"

namespace tenon::console {

namespace {

// Nothing is asked for in the body; room for an empty object.
constexpr std::uint64_t body_limit = 1024;

class Answer final : public http::Handler {
 public:
  /// Gives the JSON for a request.
  using Work = std::function<std::string(const http::Request&, const routing::CallContext&)>;
  explicit Answer(Work work) : work_(std::move(work)) {}

  void handle(const http::ExchangePtr& exchange) override {
    exchange->answer(
        http::json_response(200, work_(exchange->request(), routing::context(*exchange))));
  }

 private:
  Work work_;
};

class PictureAnswer final : public http::Handler {
 public:
  explicit PictureAnswer(const RegistryDesk& desk) : desk_(desk) {}

  void handle(const http::ExchangePtr& exchange) override {
    const auto& values = routing::context(*exchange).parameters.values;
    Picture picture = desk_.picture(values[0], values[1], values[2]);
    http::Response response;
    response.content_type = std::move(picture.type);
    response.with("Cache-Control", "private, max-age=3600");
    response.body = std::move(picture.content);
    exchange->answer(std::move(response));
  }

 private:
  const RegistryDesk& desk_;
};

}  // namespace

RegistryRoutes::RegistryRoutes(const RegistryDesk& desk, http::WorkerShare& share) {
  const auto add = [&](http::Method method, const char* pattern, const char* summary,
                       Answer::Work work) {
    handlers_.push_back(std::make_unique<Answer>(std::move(work)));
    const bool has_body = method == http::Method::post;
    routes_.push_back({.method = method,
                       .pattern = pattern,
                       .access = routing::Access::admin,
                       .permission = {},
                       .handler = handlers_.back().get(),
                       .body = has_body ? http::BodyMode::json : http::BodyMode::none,
                       .body_limit = has_body ? body_limit : 0,
                       .share = &share,
                       .summary = summary});
  };
  add(http::Method::get, "/api/core/registry",
      "What the registry has, and whether it can be installed here",
      [&desk](const http::Request& request, const routing::CallContext&) {
        return desk.list(request.query);
      });
  add(http::Method::post, "/api/core/registry/refresh", "Read the registry now",
      [&desk](const http::Request&, const routing::CallContext&) { return desk.refresh(); });
  add(http::Method::get, "/api/core/registry/plugins/{id}",
      "One plugin of the registry with all its versions",
      [&desk](const http::Request&, const routing::CallContext& context) {
        return desk.show(std::string(context.parameters.values[0]));
      });
  handlers_.push_back(std::make_unique<PictureAnswer>(desk));
  routing::Route picture = routes_.back();
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
