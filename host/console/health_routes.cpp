#include "console/health_routes.hpp"

#include <string>
#include <utility>

#include "base/error.hpp"
#include "observability/metrics.hpp"
#include "routing/context.hpp"

namespace tenon::console {

namespace {

http::Response text(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.with("Cache-Control", "no-store");
  response.body = std::move(body);
  return response;
}

class Health final : public http::Handler {
 public:
  void handle(const http::ExchangePtr& exchange) override { exchange->answer(text(200, "ok\n")); }
};

class Readiness final : public http::Handler {
 public:
  explicit Readiness(std::function<bool()> is_ready) : is_ready_(std::move(is_ready)) {}
  void handle(const http::ExchangePtr& exchange) override {
    exchange->answer(is_ready_() ? text(200, "ready\n") : text(503, "not ready\n"));
  }

 private:
  std::function<bool()> is_ready_;
};

class Scrape final : public http::Handler {
 public:
  explicit Scrape(const observability::Metrics& metrics) : metrics_(metrics) {}
  void handle(const http::ExchangePtr& exchange) override {
    const auto& principal = routing::context(*exchange).principal;
    const bool is_admin = principal && principal->role == identity::Role::admin;
    const std::string_view peer = exchange->request().peer;
    if (!is_admin && !peer.starts_with("127.") && peer != "::1") {
      throw base::Error(403, "console.metrics_local",
                        "/metrics is for this machine and for admins. Scrape it from here, or sign "
                        "in as an admin.");
    }
    http::Response response = text(200, metrics_.prometheus());
    response.content_type = observability::prometheus_media_type;
    exchange->answer(std::move(response));
  }

 private:
  const observability::Metrics& metrics_;
};

}  // namespace

HealthRoutes::HealthRoutes(const observability::Metrics& metrics, std::function<bool()> is_ready) {
  handlers_.push_back(std::make_unique<Health>());
  handlers_.push_back(std::make_unique<Readiness>(std::move(is_ready)));
  handlers_.push_back(std::make_unique<Scrape>(metrics));
}

HealthRoutes::~HealthRoutes() = default;

std::vector<routing::Route> HealthRoutes::routes() const {
  const char* const patterns[] = {"/healthz", "/readyz", "/metrics"};
  const char* const summaries[] = {"The process answers", "Requests are served",
                                   "Figures for Prometheus"};
  std::vector<routing::Route> routes;
  for (std::size_t i = 0; i < handlers_.size(); ++i) {
    routing::Route route;
    route.pattern = patterns[i];
    route.summary = summaries[i];
    route.access = routing::Access::everyone;
    route.handler = handlers_[i].get();
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace tenon::console
