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

// Who may know what is installed here and how it is.
bool is_trusted(const http::Exchange& exchange) {
  const auto& principal = routing::context(exchange).principal;
  const std::string_view peer = exchange.request().peer;
  return (principal && principal->role == identity::Role::admin) || peer.starts_with("127.") ||
         peer == "::1";
}

class Health final : public http::Handler {
 public:
  void handle(const http::ExchangePtr& exchange) override { exchange->answer(text(200, "ok\n")); }
};

class Readiness final : public http::Handler {
 public:
  Readiness(std::function<bool()> is_ready, HealthRoutes::Troubles troubles)
      : is_ready_(std::move(is_ready)), troubles_(std::move(troubles)) {}
  void handle(const http::ExchangePtr& exchange) override {
    if (!is_ready_()) {
      exchange->answer(text(503, "not ready\n"));
      return;
    }
    std::string body = "ready\n";
    // Still 200: the rest serves, and to send people away would take it from them, too.
    if (const auto troubles = troubles_(); !troubles.empty()) {
      body += "degraded\n";
      if (is_trusted(*exchange)) {
        for (const std::string& trouble : troubles)
          body += trouble + "\n";
      }
    }
    exchange->answer(text(200, std::move(body)));
  }

 private:
  std::function<bool()> is_ready_;
  HealthRoutes::Troubles troubles_;
};

class Scrape final : public http::Handler {
 public:
  explicit Scrape(const observability::Metrics& metrics) : metrics_(metrics) {}
  void handle(const http::ExchangePtr& exchange) override {
    if (!is_trusted(*exchange)) {
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

HealthRoutes::HealthRoutes(const observability::Metrics& metrics, std::function<bool()> is_ready,
                           Troubles troubles) {
  handlers_.push_back(std::make_unique<Health>());
  handlers_.push_back(std::make_unique<Readiness>(std::move(is_ready), std::move(troubles)));
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
