#include "routing/dispatcher.hpp"

#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "http/parser/forwarded.hpp"
#include "identity/allowed_hosts.hpp"
#include "identity/proxy_notice.hpp"
#include "identity/sessions/authenticator.hpp"
#include "identity/sessions/csrf.hpp"
#include "identity/users/permissions.hpp"
#include "observability/access_log.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "observability/recorder.hpp"
#include "observability/slow_log.hpp"
#include "observability/tracer.hpp"
#include "routing/context.hpp"
#include "routing/router.hpp"

namespace tenon::routing {

namespace {

http::Plan plan_response(http::Response response) {
  http::Plan plan;
  plan.response = std::make_unique<http::Response>(std::move(response));
  return plan;
}

http::Plan refuse(const base::Error& error, const http::Request& request) {
  return plan_response(http::problem_response(error, request.request_id));
}

http::Plan refuse_unknown(const http::Request& request) {
  return refuse({404, "http.not_found", "There is nothing at " + std::string(request.path) + "."},
                request);
}

http::Plan method_response(const http::Request& request, std::string_view allowed) {
  http::Response response;
  if (request.method == http::Method::options) {
    response = http::empty_response(204);
  } else {
    response =
        http::problem_response({405, "http.method_not_allowed",
                                std::string(request.path) + " takes " + std::string(allowed) +
                                    ", not " + std::string(request.method_name) + "."},
                               request.request_id);
  }
  response.with("Allow", std::string(allowed));
  return plan_response(std::move(response));
}

// Between two lines of the log that name a refused host.
constexpr std::int64_t host_warning_pause_ns = 60'000'000'000;

// Of these methods is_same_origin() says so, whatever the fields say.
bool is_safe(http::Method method) noexcept {
  return method == http::Method::get || method == http::Method::head ||
         method == http::Method::options;
}

// Empty for the host's own routes.
std::string_view plugin_of(const RouteRecord& record) {
  return record.owner == "core" ? std::string_view() : std::string_view(record.owner);
}

// On a full disk an admin frees space: by a route of the host, or by a DELETE in a plugin.
bool may_use_reserve(http::Method method, const CallContext& context) {
  return context.principal && context.principal->role == identity::Role::admin &&
         (method == http::Method::del || plugin_of(*context.record).empty());
}

// For the exporter, which writes it when the request's memory is gone.
void describe(observability::Trace& trace, const http::AccessRecord& record,
              const RouteRecord* route) noexcept try {
  observability::TracedRequest& traced = trace.request;
  traced.end = record.ended_ns;
  traced.begin = record.ended_ns - record.duration_ns;
  traced.status = record.status;
  if (record.request) {
    traced.method = record.request->method_name;
    traced.path = record.request->path;
    traced.request_id = record.request->request_id;
    traced.peer = record.request->peer;
  }
  if (!route) return;
  traced.route = route->pattern;
  traced.plugin = route->owner;
} catch (...) {  // no memory: the trace says less
}

}  // namespace

Dispatcher::Dispatcher(const Router& router, const identity::Authenticator& authenticator,
                       const identity::Permissions& permissions, observability::Metrics& metrics,
                       observability::Tracer* tracer, const RequestChecks& checks)
    : router_(router),
      authenticator_(authenticator),
      permissions_(permissions),
      tracer_(tracer),
      recording_tracer_(std::make_unique<observability::Tracer>()),
      recorder_(observability::recorder()),
      checks_(checks),
      host_warning_ns_(base::monotonic_nanoseconds() - host_warning_pause_ns) {
  metrics.add_collector([this](observability::MetricsSink& sink) {
    unrouted_.collect(sink, "core", "unrouted", "any");
  });
}

Dispatcher::~Dispatcher() = default;

http::Plan Dispatcher::plan(const http::Request& request) {
  return tracer_ == nullptr && !recorder_.is_recording() ? make_plan(request)
                                                         : make_traced_plan(request);
}

std::unique_ptr<observability::Trace> Dispatcher::begin_trace(
    const http::Request& request) noexcept {
  if (tracer_ == nullptr) return nullptr;
  std::string_view parent;
  int parents = 0;
  for (const http::Field& field : request.fields) {
    if (field.name != "traceparent") continue;
    parent = field.value;
    ++parents;
  }
  return tracer_->begin(parents == 1 ? parent : std::string_view());
}

// Whether an inspector of the request's plugin is open.
bool Dispatcher::is_recorded(const http::Plan& plan) const noexcept {
  const auto* const context = static_cast<const CallContext*>(plan.attachment.get());
  return context != nullptr && context->record != nullptr &&
         recorder_.is_watched(plugin_of(*context->record));
}

http::Plan Dispatcher::make_traced_plan(const http::Request& request) {
  std::unique_ptr<observability::Trace> trace = begin_trace(request);
  http::Plan plan = make_plan(request);
  // One that is held is traced when it is planned again.
  if (plan.hold) return plan;
  if (!trace) {
    if (!is_recorded(plan)) return plan;
    static_cast<CallContext&>(*plan.attachment)
        .set_trace(std::make_unique<observability::Trace>(nullptr), *recording_tracer_);
    return plan;
  }
  if (!plan.attachment) plan.attachment = std::make_unique<CallContext>();
  static_cast<CallContext&>(*plan.attachment).set_trace(std::move(trace), *tracer_);
  return plan;
}

// 421 (RFC 9110, section 15.5.20): this server is not the one that the client means.
http::Plan Dispatcher::refuse_host(const http::Request& request) {
  const std::string_view host = request.field("host");
  const std::string name = identity::host_name(host);
  std::int64_t last = host_warning_ns_.load(std::memory_order_relaxed);
  const std::int64_t now = base::monotonic_nanoseconds();
  if (now - last >= host_warning_pause_ns &&
      host_warning_ns_.compare_exchange_strong(last, now, std::memory_order_relaxed)) {
    observability::log_warning(
        "a request for another host name was refused",
        {{"host", host},
         {"peer", request.peer},
         {"todo",
          "if this is a name of this installation: tenon hosts add NAME, or add it to "
          "http.hosts"}});
  }
  return refuse(
      {421, "identity.unknown_host",
       "\"" + std::string(host) +
           "\" is not a host name of this server. If it should be, run \"tenon hosts add " +
           (name.empty() ? "NAME" : name) +
           "\" on the server, or add the name to http.hosts in tenon.conf and restart."},
      request);
}

http::Plan Dispatcher::make_plan(const http::Request& request, const RouteSet* overtaken) {
  auto [section, match] = router_.current().match(request.method, request.path);
  if (checks_.hosts != nullptr && checks_.hosts->is_enforced() &&
      !(match.route && match.route->any_host) && !checks_.hosts->is_known(request.field("host")))
    return refuse_host(request);
  if (request.peer_kind == http::PeerKind::untrusted_proxy && checks_.proxies != nullptr &&
      checks_.proxies->is_due() && http::is_local_network(request.peer))
    checks_.proxies->note(request.peer);
  if (!section) return refuse_unknown(request);
  if (section->hold) {
    // Principal and permission are checked when it is planned again.
    http::Plan plan;
    plan.hold = section->hold;
    return plan;
  }
  if (section->unavailable) return refuse(*section->unavailable, request);

  const RouteSet& set = *section->routes;
  if (match.allowed.empty()) return refuse_unknown(request);
  if (!match.route) return method_response(request, match.allowed);
  const Route& route = *match.route;

  if (!is_safe(request.method) &&
      !identity::is_same_origin({request.method_name, request.field("sec-fetch-site"),
                                 request.field("origin"), request.field("host")})) {
    return refuse({403, "identity.cross_origin",
                   "This request comes from another site. Open this installation's own address and "
                   "try again."},
                  request);
  }
  const identity::Credentials credentials{request.field("cookie"), request.field("authorization"),
                                          request.secure};
  identity::PrincipalPtr principal;
  if (!credentials.cookie.empty() || !credentials.authorization.empty())
    principal = authenticator_.authenticate(credentials);
  if (route.access != Access::everyone) {
    if (!principal) return refuse(authenticator_.challenge(), request);
    const bool allowed =
        route.access == Access::signed_in ||
        (route.access == Access::admin && principal->role == identity::Role::admin) ||
        (route.access == Access::permission && permissions_.allows(*principal, route.permission));
    if (!allowed) {
      const std::string what = route.access == Access::admin
                                   ? std::string("the role admin")
                                   : "the permission \"" + route.permission + "\"";
      return refuse({403, "identity.forbidden", "This needs " + what + ". Ask an admin for it."},
                    request);
    }
  }
  // The snapshot may be older than unpublish(); the gate decides. If new routes were published
  // meanwhile, or a hold, the current snapshot has them.
  if (!set.gate().enter()) {
    if (&set != overtaken) return make_plan(request, &set);
    return refuse({503, "plugins.draining", "This plugin is being changed. Try again in a moment."},
                  request);
  }

  auto context = std::make_unique<CallContext>();
  context->lease = Lease(&set.gate());
  context->set = &set;
  context->route = &route;
  context->record = section->records[static_cast<std::size_t>(&route - set.routes().data())];
  if (match.parameters.count > 0) context->parameters = match.parameters;
  context->principal = std::move(principal);
  context->work = {request.request_id, plugin_of(*context->record), context->record->label, nullptr,
                   may_use_reserve(request.method, *context)};

  http::Plan plan;
  plan.handler = route.handler;
  plan.time = &context->record->time;
  if (!route.is_inline || plan.time->has_stalled()) plan.share = route.share;
  plan.body = route.body;
  plan.body_limit = route.body_limit;
  plan.attachment = std::move(context);
  return plan;
}

void Dispatcher::finished(const http::AccessRecord& record) noexcept {
  const auto* call = static_cast<const CallContext*>(record.attachment);
  const RouteRecord* route = call ? call->record : nullptr;
  if (route)
    route->metrics.observe(record.status, record.duration_ns);
  else
    unrouted_.observe(record.status, record.duration_ns);
  if (call && call->trace) {
    if (call->principal) call->trace->request.user_id = call->principal->user_id;
    describe(*call->trace, record, route);
  }
  const bool is_slow = observability::is_slow_request(record.duration_ns);
  observability::Log& access = observability::log();
  const bool is_logged = access.has_access_lines() && access.enabled(observability::Level::info);
  if (!record.request || !(is_slow || is_logged)) return;
  const http::Request& request = *record.request;
  const observability::AccessEntry entry{
      .method = request.method_name,
      .path = request.path,
      .peer = request.peer,
      .request_id = request.request_id,
      .plugin = route ? plugin_of(*route) : std::string_view(),
      .user_id =
          call && call->principal ? std::string_view(call->principal->user_id) : std::string_view(),
      .status = record.status,
      .bytes = record.bytes_sent,
      .duration_ns = record.duration_ns,
      .route = route ? std::string_view(route->label) : std::string_view(),
      .trace = call ? call->trace.get() : nullptr};
  observability::write_access(access, entry);
  if (is_slow) observability::note_slow_request(entry);
}

void Dispatcher::failed(const http::Request& request, std::string_view what) noexcept {
  // The thread may have left the request's work already.
  observability::Work work;
  if (const observability::Work* outer = observability::current_work(); outer != nullptr)
    work = *outer;
  work.request_id = request.request_id;
  const observability::WorkScope scope(&work);
  observability::log().write(observability::Level::error, "a handler failed",
                             {{"path", request.path}, {"reason", what}});
}

void Dispatcher::stalled(const http::Request& request, http::Attachment* attachment) noexcept {
  const auto* call = static_cast<const CallContext*>(attachment);
  observability::Work work;
  if (call && call->record) work = call->work;
  work.request_id = request.request_id;
  const observability::WorkScope scope(&work);
  observability::log_warning("an inline handler blocks an I/O thread",
                             {{"next", "requests of this route run on workers from now on"}});
  if (checks_.stalled) checks_.stalled(work);
}

void Dispatcher::accepting_paused(std::string_view why) noexcept {
  observability::log_warning("accepting connections pauses", {{"reason", why}});
}

}  // namespace tenon::routing
