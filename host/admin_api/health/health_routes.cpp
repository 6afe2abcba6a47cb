#include "admin_api/health/health_routes.hpp"

#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "http/parser/forwarded.hpp"
#include "identity/allowed_hosts.hpp"
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

// Behind a proxy of this machine everybody has its address, and a page of another site that points
// its name here (DNS rebinding) has the visitor's.
bool is_this_machine(const http::Request& request, const identity::AllowedHosts& hosts) {
  return http::is_loopback(request.peer) && request.peer_kind == http::PeerKind::client &&
         hosts.is_known(request.field("host"));
}

// Returns whether the client may see what is installed here and its state.
bool is_trusted(const http::Exchange& exchange, const identity::AllowedHosts& hosts) {
  const auto& principal = routing::context(exchange).principal;
  return (principal && principal->role == identity::Role::admin) ||
         is_this_machine(exchange.request(), hosts);
}

class Health final : public http::Handler {
 public:
  void handle(const http::ExchangePtr& exchange) override { exchange->respond(text(200, "ok\n")); }
};

class Readiness final : public http::Handler {
 public:
  Readiness(const identity::AllowedHosts& hosts, std::function<bool()> is_ready,
            HealthRoutes::Troubles troubles)
      : hosts_(hosts), is_ready_(std::move(is_ready)), troubles_(std::move(troubles)) {}
  void handle(const http::ExchangePtr& exchange) override {
    if (!is_ready_()) {
      exchange->respond(text(503, "not ready\n"));
      return;
    }
    std::string body = "ready\n";
    // Still 200: the rest serves, and to send people away would take it from them, too.
    if (const auto troubles = troubles_(); !troubles.empty()) {
      body += "degraded\n";
      if (is_trusted(*exchange, hosts_)) {
        for (const std::string& trouble : troubles)
          body += trouble + "\n";
      }
    }
    exchange->respond(text(200, std::move(body)));
  }

 private:
  const identity::AllowedHosts& hosts_;
  std::function<bool()> is_ready_;
  HealthRoutes::Troubles troubles_;
};

class Scrape final : public http::Handler {
 public:
  Scrape(const observability::Metrics& metrics, const identity::AllowedHosts& hosts)
      : metrics_(metrics), hosts_(hosts) {}
  void handle(const http::ExchangePtr& exchange) override {
    if (!is_trusted(*exchange, hosts_)) {
      throw base::Error(403, "console.metrics_local",
                        "/metrics is for this machine and for admins. Scrape it from here, by "
                        "address and not through a proxy, or sign in as an admin.");
    }
    http::Response response = text(200, metrics_.prometheus());
    response.content_type = observability::prometheus_media_type;
    exchange->respond(std::move(response));
  }

 private:
  const observability::Metrics& metrics_;
  const identity::AllowedHosts& hosts_;
};

}  // namespace

HealthRoutes::HealthRoutes(const observability::Metrics& metrics,
                           const identity::AllowedHosts& hosts, std::function<bool()> is_ready,
                           Troubles troubles)
    : table_({.access = routing::Access::everyone}) {
  using http::Method;
  // Load balancers request these two under any name; neither shows details then.
  table_.add(Method::get, "/healthz", "Check that the process responds", std::make_unique<Health>())
      .any_host = true;
  table_
      .add(Method::get, "/readyz", "Check that requests are served",
           std::make_unique<Readiness>(hosts, std::move(is_ready), std::move(troubles)))
      .any_host = true;
  table_.add(Method::get, "/metrics", "Get metrics for Prometheus",
             std::make_unique<Scrape>(metrics, hosts));
}

}  // namespace tenon::console
