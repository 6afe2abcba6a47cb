#include "routing/dispatcher.hpp"

#include <string>
#include <utility>

#include "base/error.hpp"
#include "identity/authenticator.hpp"
#include "identity/csrf.hpp"
#include "identity/permissions.hpp"
#include "observability/access_log.hpp"
#include "observability/log.hpp"
#include "observability/request_metrics.hpp"
#include "routing/context.hpp"
#include "routing/router.hpp"

namespace tenon::routing {

namespace {

http::Plan answer(http::Response response) {
  http::Plan plan;
  plan.answer = std::move(response);
  return plan;
}

http::Plan refuse(const base::Error& error, const http::Request& request) {
  return answer(http::problem_response(error, request.request_id));
}

http::Plan refuse_unknown(const http::Request& request) {
  return refuse({404, "http.not_found", "There is nothing at " + std::string(request.path) + "."},
                request);
}

http::Plan answer_method(const http::Request& request, std::string_view allowed) {
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
  return answer(std::move(response));
}

}  // namespace

Dispatcher::Dispatcher(const Router& router, const identity::Authenticator& authenticator,
                       const identity::Permissions& permissions, observability::Metrics& metrics)
    : router_(router),
      authenticator_(authenticator),
      permissions_(permissions),
      unrouted_(std::make_unique<observability::RequestMetrics>(metrics, "core", "unrouted")) {}

Dispatcher::~Dispatcher() = default;

http::Plan Dispatcher::plan(const http::Request& request) {
  const Section* section = router_.current().find(request.path);
  if (!section) return refuse_unknown(request);
  if (section->unavailable) return refuse(*section->unavailable, request);

  const RouteSet& set = *section->routes;
  RouteSet::Match match = set.match(request.method, request.path);
  if (match.allowed.empty()) return refuse_unknown(request);
  if (!match.route) return answer_method(request, match.allowed);
  const Route& route = *match.route;

  if (!identity::is_same_origin({request.method_name, request.field("sec-fetch-site"),
                                 request.field("origin"), request.field("host")})) {
    return refuse({403, "identity.cross_origin",
                   "This request comes from another site. Open this installation's own address and "
                   "try again."},
                  request);
  }
  identity::PrincipalPtr principal = authenticator_.authenticate(
      {request.field("cookie"), request.field("authorization"), request.secure});
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
  // The snapshot may be older than the withdrawal; the gate is what counts.
  if (!set.gate().enter()) {
    return refuse({503, "plugins.draining", "This plugin is being changed. Try again in a moment."},
                  request);
  }

  auto context = std::make_unique<CallContext>();
  context->lease = Lease(&set.gate());
  context->set = &set;
  context->route = &route;
  context->record = section->records[static_cast<std::size_t>(&route - set.routes().data())];
  context->parameters = match.parameters;
  context->principal = std::move(principal);

  http::Plan plan;
  plan.handler = route.handler;
  plan.share = route.share;
  plan.body = route.body;
  plan.body_limit = route.body_limit;
  plan.attachment = std::move(context);
  return plan;
}

void Dispatcher::finished(const http::AccessRecord& record) noexcept {
  const auto* call = static_cast<const CallContext*>(record.attachment);
  if (call)
    call->record->metrics->observe(record.status, record.duration_ns);
  else
    unrouted_->observe(record.status, record.duration_ns);
  if (!record.request || !observability::log().enabled(observability::Level::info)) return;
  const http::Request& request = *record.request;
  observability::write_access(
      observability::log(),
      {.method = request.method_name,
       .path = request.path,
       .peer = request.peer,
       .request_id = request.request_id,
       .plugin = call && call->record->owner != "core" ? std::string_view(call->record->owner)
                                                       : std::string_view(),
       .user_id = call && call->principal ? std::string_view(call->principal->user_id)
                                          : std::string_view(),
       .status = record.status,
       .bytes = record.bytes_sent,
       .duration_ns = record.duration_ns});
}

void Dispatcher::failed(const http::Request& request, std::string_view what) noexcept {
  observability::log().write(
      observability::Level::error, "a handler failed",
      {{"path", request.path}, {"request_id", request.request_id}, {"reason", what}});
}

void Dispatcher::accepting_paused(std::string_view why) noexcept {
  observability::log_warning("accepting connections pauses", {{"reason", why}});
}

}  // namespace tenon::routing
