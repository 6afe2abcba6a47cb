#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "http/connection/application.hpp"
#include "observability/request_metrics.hpp"

namespace tenon::identity {
class AllowedHosts;
class Authenticator;
class Permissions;
class ProxyNotice;
}  // namespace tenon::identity

namespace tenon::observability {
class Metrics;
class Recorder;
class Trace;
class Tracer;
struct Work;
}  // namespace tenon::observability

namespace tenon::routing {

class RouteSet;
class Router;

class CallContext;

/// Checks of every request beyond its route and its principal. Null: not checked.
struct RequestChecks {
  const identity::AllowedHosts* hosts = nullptr;  ///< others are refused
  identity::ProxyNotice* proxies = nullptr;       ///< is notified of proxies that are not trusted
  /// Is notified of a request whose inline handler blocks an I/O thread, on another I/O thread. May
  /// be empty.
  std::function<void(const observability::Work&)> stalled = {};
};

/// Plans every request for the HTTP server: names the principal, finds the route, takes the lease,
/// checks host, origin and permission. Everything it refers to must outlive it. Both functions run
/// on I/O threads and never block.
class Dispatcher final : public http::Application {
 public:
  /// Adds its counts to `metrics`, which is written to text only while the dispatcher lives.
  /// `tracer` may be null: nothing is traced.
  Dispatcher(const Router& router, const identity::Authenticator& authenticator,
             const identity::Permissions& permissions, observability::Metrics& metrics,
             observability::Tracer* tracer = nullptr, const RequestChecks& checks = {});
  ~Dispatcher() override;

  http::Plan plan(const http::Request& request) override;
  void finished(const http::AccessRecord& record) noexcept override;
  void failed(const http::Request& request, std::string_view what) noexcept override;
  void stalled(const http::Request& request, http::Attachment* attachment) noexcept override;
  void accepting_paused(std::string_view why) noexcept override;

 private:
  /// `overtaken`: the routes found before, whose gate was closed; null: this is the first look.
  http::Plan make_plan(const http::Request& request, const RouteSet* overtaken = nullptr);
  http::Plan make_traced_plan(const http::Request& request);
  std::unique_ptr<observability::Trace> begin_trace(const http::Request& request) noexcept;
  bool is_recorded(const http::Plan& plan) const noexcept;
  http::Plan refuse_host(const http::Request& request);

  const Router& router_;
  const identity::Authenticator& authenticator_;
  const identity::Permissions& permissions_;
  observability::RequestMetrics unrouted_;
  observability::Tracer* const tracer_;
  const std::unique_ptr<observability::Tracer> recording_tracer_;
  observability::Recorder& recorder_;
  const RequestChecks checks_;
  std::atomic<std::int64_t> host_warning_ns_;  // when the log last named a refused host
};

}  // namespace tenon::routing
