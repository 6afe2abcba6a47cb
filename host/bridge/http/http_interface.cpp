#include "bridge/http/http_interface.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <time.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/frame.hpp"
#include "bridge/http/body_flow.hpp"
#include "bridge/http/response.hpp"
#include "bridge/spans.hpp"
#include "http/workers/worker_pool.hpp"
#include "observability/log.hpp"
#include "records/service/records.hpp"
#include "routing/context.hpp"

namespace tenon::plugins {

namespace {

// Fields that fit on the stack; the HTTP server's default for the number of fields.
constexpr std::size_t usual_fields = 100;
constexpr std::int64_t sweep_after_s = 60;
constexpr std::int64_t late_response_pause_s = 60;

// Seconds of a clock that costs next to nothing and is exact to some milliseconds.
std::int64_t coarse_seconds() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec;
}

base::Error draining() {
  return {503, "plugins.draining", "This plugin is being changed. Try again in a moment."};
}

// The request as the plugin sees it: spans into the HTTP server's memory; only pointers are copied.
class RequestView {
 public:
  RequestView(const http::Exchange& exchange, std::uint32_t method) {
    const http::Request& from = exchange.request();
    const routing::CallContext& context = routing::context(exchange);
    tenon_http_field* fields = few_.data();
    if (from.fields.size() > few_.size()) {
      many_ = std::make_unique_for_overwrite<tenon_http_field[]>(from.fields.size());
      fields = many_.get();
    }
    for (std::size_t i = 0; i < from.fields.size(); ++i) {
      fields[i].name = span(from.fields[i].name);
      fields[i].value = span(from.fields[i].value);
    }
    for (std::size_t i = 0; i < context.parameters.count; ++i)
      params_[i] = span(context.parameters.values[i]);

    request_.size = sizeof(tenon_http_request);
    request_.method = method;
    request_.path = span(from.path);
    request_.query = span(from.query);
    request_.body = span(from.body);
    request_.content_length = from.content_length;
    request_.fields = fields;
    request_.params = params_.data();
    request_.field_count = static_cast<std::uint32_t>(from.fields.size());
    request_.param_count = static_cast<std::uint32_t>(context.parameters.count);
    request_.request_id = span(from.request_id);
    request_.peer = span(from.peer);
    request_.user_id = context.principal ? span(context.principal->user_id) : tenon_span{};
  }
  const tenon_http_request* with(tenon_handle handle) noexcept {
    request_.handle = handle;
    return &request_;
  }
  std::string_view request_id() const noexcept { return view(request_.request_id); }

 private:
  // Left as they are: only what is counted is filled.
  std::array<tenon_http_field, usual_fields> few_;
  std::array<tenon_span, routing::Parameters::max> params_;
  std::unique_ptr<tenon_http_field[]> many_;
  tenon_http_request request_;
};

// A call that is about to be entered.
struct Beginning {
  http::Exchange& exchange;
  void operator()(Call& call) const noexcept {
    call.exchange = &exchange;
    call.phase.store(CallPhase::waiting, std::memory_order_relaxed);
  }
};

// Responds to a request that arrived while the plugin's calls were given up.
void turn_away(Call& call) {
  if (!call.advance(CallPhase::waiting, CallPhase::over)) return;
  call.exchange->respond(http::problem_response(draining(), call.exchange->request().request_id));
}

// Lets a call go when its handler has returned: it ends here, or becomes one that is kept.
class HandlerEnd {
 public:
  explicit HandlerEnd(Calls::Pin& call) noexcept : call_(call) {}
  ~HandlerEnd() {
    const auto keep = [](Call& call) noexcept { call.keep(coarse_seconds()); };
    if (call_->is_finished()) {
      call_.end(keep);
    } else {
      keep(*call_);
      call_.reset();
    }
  }
  HandlerEnd(const HandlerEnd&) = delete;
  HandlerEnd& operator=(const HandlerEnd&) = delete;

 private:
  Calls::Pin& call_;
};

class RouteHandler final : public http::Handler {
 public:
  RouteHandler(HttpInterface& http, const HttpInterface::Registered& registered)
      : http_(http), registered_(registered) {}
  void handle(const http::ExchangePtr& exchange) override { http_.call(registered_, exchange); }

 private:
  HttpInterface& http_;
  const HttpInterface::Registered& registered_;
};

// Returns whether requests below `path` can reach a route as requests of a public path.
bool has_public_route(const std::vector<routing::Route>& routes, const std::string& path) {
  return std::any_of(routes.begin(), routes.end(), [&path](const routing::Route& route) {
    return route.access == routing::Access::everyone &&
           (route.method == http::Method::get || route.method == http::Method::post) &&
           (route.pattern == path || route.pattern.starts_with(path + "/"));
  });
}

// A set of routes with what it points to.
struct Published {
  std::shared_ptr<Bridge> bridge;
  std::shared_ptr<http::WorkerShare> share;
  std::vector<std::unique_ptr<RouteHandler>> handlers;
  std::vector<std::shared_ptr<http::Handler>> host_handlers;
  std::unique_ptr<routing::RouteSet> set;
};

}  // namespace

HttpInterface::HttpInterface(Bridge& bridge)
    : bridge_(bridge),
      calls_(HandleKind::request, max_calls,
             static_cast<std::uint64_t>(base::monotonic_nanoseconds())),
      late_response_s_(coarse_seconds() - late_response_pause_s) {}

HttpInterface::~HttpInterface() = default;

std::shared_ptr<const routing::RouteSet> HttpInterface::make_routes(
    std::shared_ptr<http::WorkerShare> share) {
  auto published = std::make_shared<Published>();
  published->bridge = bridge_.shared_from_this();
  published->share = std::move(share);
  std::vector<routing::Route> routes;
  routes.reserve(routes_.size());
  for (const Registered& registered : routes_) {
    published->handlers.push_back(std::make_unique<RouteHandler>(*this, registered));
    routes.push_back(registered.route);
    routes.back().handler = published->handlers.back().get();
    routes.back().share = published->share.get();
    routes.back().is_inline = registered.is_inline;
  }
  for (const HostRoute& own : host_routes_) {
    published->host_handlers.push_back(own.handler);
    routes.push_back(own.route);
    routes.back().handler = own.handler.get();
    routes.back().share = published->share.get();
  }
  const std::string prefix = "/api/" + bridge_.plugin_id();
  std::vector<routing::PublicPath> public_paths;
  for (const DeclaredPublicPath& one : bridge_.manifest().public_paths) {
    public_paths.push_back({one.path, prefix + one.route});
    if (!has_public_route(routes, public_paths.back().route)) {
      observability::log_warning(
          "a public path leads to no route that everyone may call",
          {{"plugin", bridge_.plugin_id()}, {"path", one.path}, {"route", one.route}});
    }
  }
  published->set = std::make_unique<routing::RouteSet>(bridge_.plugin_id(), prefix,
                                                       std::move(routes), public_paths);
  const routing::RouteSet* set = published->set.get();
  return {std::move(published), set};
}

bool HttpInterface::may_log_late_response() noexcept {
  const std::int64_t now = coarse_seconds();
  std::int64_t last = late_response_s_.load(std::memory_order_relaxed);
  return now - last >= late_response_pause_s &&
         late_response_s_.compare_exchange_strong(last, now, std::memory_order_relaxed);
}

Calls::Opened HttpInterface::open_slot(http::Exchange& exchange) {
  sweep();
  Calls::Opened opened = calls_.open(Beginning{exchange});
  if (!opened.pin) {
    throw base::Error(503, "plugins.busy",
                      "This plugin has too many unfinished requests. Try again in a moment.");
  }
  return opened;
}

void HttpInterface::call(const Registered& registered, const http::ExchangePtr& exchange) {
  RequestView request(*exchange, registered.method);
  Calls::Opened opened = calls_.reuse(Beginning{*exchange});
  if (!opened.pin) [[unlikely]]
    opened = open_slot(*exchange);
  const HandlerEnd end{opened.pin};
  // After the call was opened: either give_up() saw the call, or this sees that it ran.
  if (is_given_up_.load(std::memory_order_seq_cst)) return turn_away(*opened.pin);
  tenon_code code = TENON_E_INTERNAL;
  {
    const Frame frame(bridge_.name(), request.request_id(), !registered.is_inline, opened.pin,
                      opened.handle);
    code = enter(registered.handler.fn, tenon_code{TENON_E_INTERNAL}, registered.handler.ctx,
                 request.with(opened.handle));
  }
  if (code != TENON_PENDING && !opened.pin->is_finished()) complete(*opened.pin, code);
  // The last pin may be released here, and with its lease everything that this object uses.
}

void HttpInterface::complete(Call& call, tenon_code code) {
  http::Exchange* exchange = call.exchange;
  const observability::LogScope scope(exchange->request().request_id, bridge_.plugin_id());
  if (call.advance(CallPhase::streaming, CallPhase::over)) {
    exchange->abort();
    observability::log_warning("a handler returned without ending its streamed response",
                               {{"code", code}});
  } else if (call.advance(CallPhase::waiting, CallPhase::over)) {
    if (code == TENON_OK) {
      observability::log_error("a handler returned without a response");
      exchange->respond(http::problem_response(
          {500, "http.no_answer", "The plugin did not respond."}, exchange->request().request_id));
    } else {
      observability::log_warning("a handler failed", {{"code", code}});
      http::Response response = http::problem_response(
          {500, "plugins.handler_failed", "The plugin could not do this; the log may say why."},
          exchange->request().request_id);
      add_development(response, bridge_.plugin_id(), exchange->request().request_id);
      exchange->respond(std::move(response));
    }
  }
}

void HttpInterface::sweep() noexcept {
  const std::int64_t now = coarse_seconds();
  calls_.for_each([now](Calls::Pin call) {
    const CallPhase phase = call->phase.load(std::memory_order_seq_cst);
    if (phase == CallPhase::over ||
        now - call->pending_since_s.load(std::memory_order_relaxed) < sweep_after_s)
      return;
    // The HTTP server has long responded 503 to a call that still waits, and a stream without a
    // client has no reader.
    if (phase == CallPhase::streaming && !call->exchange->closed()) return;
    if (!call->advance(phase, CallPhase::over)) return;
    if (phase == CallPhase::waiting) {
      call->exchange->respond(
          http::problem_response({503, "http.timeout", "The plugin took too long."},
                                 call->exchange->request().request_id));
    }
    call.close();
  });
}

void HttpInterface::give_up() noexcept {
  is_given_up_.store(true, std::memory_order_seq_cst);
  calls_.for_each([](Calls::Pin call) {
    turn_away(*call);
    if (call->advance(CallPhase::streaming, CallPhase::over)) call->exchange->abort();
    call.close();
  });
  std::vector<std::weak_ptr<BodyFlow>> bodies;
  {
    const std::lock_guard lock(bodies_mutex_);
    bodies.swap(bodies_);
  }
  for (const auto& body : bodies) {
    if (const auto flow = body.lock()) flow->end(TENON_E_CLOSED);
  }
}

void HttpInterface::drop_handlers() noexcept {
  const Frame frame(bridge_.name(), Operation::stop, {}, true);
  for (Registered& registered : routes_)
    drop(registered.handler);
  // Those of tables with callbacks own the bridge.
  host_routes_.clear();
}

}  // namespace tenon::plugins
