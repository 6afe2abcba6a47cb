#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/frame.hpp"
#include "bridge/http/body_flow.hpp"
#include "bridge/http/http_interface.hpp"
#include "bridge/http/response.hpp"
#include "bridge/spans.hpp"
#include "observability/log.hpp"
#include "openapi/fragment.hpp"
#include "records/service/records.hpp"
#include "routing/context.hpp"

namespace tenon::plugins {

namespace {

constexpr std::size_t max_pattern_bytes = 512;
constexpr std::size_t max_summary_bytes = 200;

// Patterns that differ in the names of parameters only take the same paths.
std::string shape(std::string_view pattern) {
  std::string text;
  while (!pattern.empty()) {
    const std::size_t open = std::min(pattern.find('{'), pattern.size());
    text += pattern.substr(0, open);
    pattern.remove_prefix(open);
    const std::size_t close = pattern.find('}');
    if (close == std::string_view::npos) break;
    text += pattern.substr(0, close).ends_with("...") ? "{...}" : "{}";
    pattern.remove_prefix(close + 1);
  }
  return text;
}

bool read_method(std::uint32_t number, http::Method& method) {
  switch (number) {
    case TENON_HTTP_GET:
      method = http::Method::get;
      return true;
    case TENON_HTTP_POST:
      method = http::Method::post;
      return true;
    case TENON_HTTP_PUT:
      method = http::Method::put;
      return true;
    case TENON_HTTP_PATCH:
      method = http::Method::patch;
      return true;
    case TENON_HTTP_DELETE:
      method = http::Method::del;
      return true;
    default:
      return false;
  }
}

bool read_body_mode(std::uint32_t number, http::BodyMode& mode) {
  switch (number) {
    case TENON_HTTP_BODY_NONE:
      mode = http::BodyMode::none;
      return true;
    case TENON_HTTP_BODY_WHOLE:
      mode = http::BodyMode::whole;
      return true;
    case TENON_HTTP_BODY_JSON:
      mode = http::BodyMode::json;
      return true;
    case TENON_HTTP_BODY_STREAMED:
      mode = http::BodyMode::streamed;
      return true;
    default:
      return false;
  }
}

// Reads the route's own description. Returns why it is invalid; empty if it is valid.
std::string read_operation(const Bridge& bridge, std::string_view text, routing::Route& route) {
  if (text.empty()) return {};
  try {
    openapi::read_fragment_of(bridge.plugin_id(), text);
  } catch (const base::Error& error) {
    return error.message();
  }
  route.operation = [own = std::string(text)] { return own; };
  return {};
}

// Why a route cannot be taken; empty when it can.
std::string read_route(const Bridge& bridge, const tenon_http_route& given, routing::Route& route) {
  if (!read_method(given.method, route.method)) return "A route cannot have this method.";
  if (!is_sound(given.pattern) || !is_sound(given.permission) || !is_sound(given.summary) ||
      !is_sound(given.operation))
    return "A span has a size and no data.";
  if (view(given.pattern).size() > max_pattern_bytes) return "The pattern is too long.";
  if (!view(given.pattern).starts_with('/')) return "The pattern does not begin with '/'.";
  route.pattern = "/api/" + bridge.plugin_id();
  if (view(given.pattern) != "/") route.pattern += view(given.pattern);
  switch (given.access) {
    case TENON_HTTP_PUBLIC:
      route.access = routing::Access::everyone;
      break;
    case TENON_HTTP_SIGNED_IN:
      route.access = routing::Access::signed_in;
      break;
    case TENON_HTTP_PERMISSION:
      route.access = routing::Access::permission;
      break;
    default:
      return "The access of the route is not known.";
  }
  route.permission = view(given.permission);
  if (route.access == routing::Access::permission &&
      !bridge.manifest().declares(route.permission)) {
    return "The permission \"" + route.permission + "\" is not declared in plugin.json.";
  }
  if (route.access != routing::Access::permission && !route.permission.empty())
    return "A permission is given, but the access needs none.";
  if (!read_body_mode(given.body, route.body))
    return "What the route does with a body is not known.";
  if ((given.flags & ~TENON_HTTP_INLINE) != 0)
    return "The route has flags that this host does not know.";
  route.body_limit = given.body_limit;
  if (route.body == http::BodyMode::none && given.body_limit != 0)
    return "A limit is given for a body that is refused.";
  if (route.body == http::BodyMode::streamed && given.body_limit == 0)
    return "A streamed body needs a limit.";
  if (route.body == http::BodyMode::streamed && (given.flags & TENON_HTTP_INLINE) != 0)
    return "An inline route cannot take a streamed body.";
  const bool is_whole = route.body == http::BodyMode::whole || route.body == http::BodyMode::json;
  if (is_whole && given.body_limit > HttpInterface::max_whole_body)
    return "A body of that size must be streamed.";
  if (is_whole && given.body_limit == 0) route.body_limit = HttpInterface::default_body_limit;
  route.summary = view(given.summary).substr(0, max_summary_bytes);
  return read_operation(bridge, view(given.operation), route);
}

// The code for a call that is not waiting for its response.
tenon_code refusal(const Call& call) noexcept {
  return call.phase.load() == CallPhase::streaming ? TENON_E_STATE : TENON_E_HANDLE;
}

// A response that comes too late or a second time. Logged once a minute for each plugin.
[[gnu::cold]] void log_late_response(HttpInterface& http, std::string_view plugin,
                                     std::string_view message) {
  if (!http.may_log_late_response()) return;
  const observability::LogScope scope(observability::current_request_id(), plugin);
  observability::log_warning(message, {{"todo", "respond once to each request"}});
}

class Unused final : public http::Handler {
  void handle(const http::ExchangePtr&) override {}
};

}  // namespace

bool HttpInterface::is_taken(const routing::Route& route) const {
  const std::string form = shape(route.pattern);
  const auto is_same = [&](const auto& other) {
    return other.route.method == route.method && shape(other.route.pattern) == form;
  };
  return std::any_of(routes_.begin(), routes_.end(), is_same) ||
         std::any_of(host_routes_.begin(), host_routes_.end(), is_same);
}

void HttpInterface::add_host_route(routing::Route route, std::unique_ptr<http::Handler> handler) {
  if (is_taken(route)) {
    throw base::Error(500, "plugins.route_taken",
                      std::string(http::to_string(route.method)) + " " + route.pattern +
                          " is registered already.");
  }
  host_routes_.push_back({std::move(route), std::move(handler)});
}

void HttpInterface::add_table_routes(std::vector<records::OwnedRoute> routes) {
  if (routes_.size() + host_routes_.size() + routes.size() > max_routes) {
    throw base::Error(409, "plugins.too_many_routes",
                      "A plugin may have 1,000 routes, those of its published tables included.");
  }
  for (records::OwnedRoute& own : routes) {
    if (is_taken(own.route)) {
      throw base::Error(409, "plugins.route_shadows_table",
                        "The plugin registers " + std::string(http::to_string(own.route.method)) +
                            " " + own.route.pattern +
                            ", which is a route of a table that tables.json publishes.");
    }
    host_routes_.push_back({std::move(own.route), std::move(own.handler)});
  }
}

tenon_code HttpInterface::add_route(const tenon_http_route* given, tenon_error* error) {
  if (!bridge_.is_setting_up())
    return fail_state(error, "Routes are registered inside create or start, on its thread.");
  if (!given || given->size < TENON_NEED(tenon_http_route, handler))
    return fail_argument(error, "The route is NULL or too small.");
  const tenon_http_route known = copy_in(given);
  if (!known.handler.fn) return fail_argument(error, "The route has no handler.");
  if (routes_.size() + host_routes_.size() >= max_routes)
    return fail(error, TENON_E_TOO_LARGE, 500, "plugins.too_many_routes",
                "A plugin may have 1,000 routes.");
  routing::Route route;
  if (const std::string why = read_route(bridge_, known, route); !why.empty())
    return fail_argument(error, why);
  if (is_taken(route))
    return fail_argument(error, std::string(http::to_string(route.method)) + " " + route.pattern +
                                    " is registered already.");
  // The router has the rules of patterns; asked now, the plugin learns of a wrong one where it gave
  // it.
  Unused handler;
  route.handler = &handler;
  try {
    const routing::RouteSet probe(bridge_.plugin_id(), "/api/" + bridge_.plugin_id(), {route});
  } catch (const base::Error& failure) {
    return fail_argument(error, failure.message());
  }
  route.handler = nullptr;
  routes_.push_back(
      {std::move(route), known.handler, known.method, (known.flags & TENON_HTTP_INLINE) != 0});
  return TENON_OK;
}

CallRef HttpInterface::find(tenon_handle request) noexcept {
  Calls::Pin* borrowed = Frame::handler_call(calls_, request);
  CallRef call = borrowed ? CallRef(borrowed) : CallRef(calls_.pin(request));
  if (call && call->is_finished()) return CallRef(Calls::Pin());
  return call;
}

tenon_code HttpInterface::respond(tenon_handle request, const tenon_http_response* given) {
  if (Calls::Pin* borrowed = Frame::handler_call(calls_, request)) [[likely]]
    return respond(**borrowed, given, (*borrowed)->exchange->draft());
  return respond_deferred(request, given);
}

tenon_code HttpInterface::respond_deferred(tenon_handle request, const tenon_http_response* given) {
  Calls::Pin call = calls_.pin(request);
  if (!call) {
    log_late_response(*this, bridge_.plugin_id(),
                      "the plugin responded to a request that has ended");
    return TENON_E_HANDLE;
  }
  const observability::WorkScope scope(&routing::context(*call->exchange).work);
  http::Response own;
  const tenon_code code = respond(*call, given, own);
  if (call->is_finished()) call.close();
  return code;
}

tenon_code HttpInterface::refuse_second(const Call& call) {
  const tenon_code code = refusal(call);
  if (code == TENON_E_HANDLE)
    log_late_response(*this, bridge_.plugin_id(), "the plugin responded twice to one request");
  return code;
}

tenon_code HttpInterface::respond(Call& call, const tenon_http_response* given,
                                  http::Response& response) {
  // Before the draft is touched: the HTTP server may be reading it.
  if (call.phase.load() != CallPhase::waiting) return refuse_second(call);
  std::string_view body;
  if (const tenon_code code = read_response(given, bridge_.manifest(), response, body);
      code != TENON_OK)
    return code;
  if (!call.advance(CallPhase::waiting, CallPhase::over)) return refuse_second(call);
  return call.exchange->respond_with(std::move(response), body) ? TENON_OK : TENON_E_CLOSED;
}

tenon_code HttpInterface::respond_problem(tenon_handle request, const tenon_http_problem* given) {
  CallRef call = find(request);
  if (!call) {
    log_late_response(*this, bridge_.plugin_id(),
                      Frame::handler_call(calls_, request) != nullptr
                          ? "the plugin responded twice to one request"
                          : "the plugin responded to a request that has ended");
    return TENON_E_HANDLE;
  }
  const observability::WorkScope scope(&routing::context(*call->exchange).work);
  http::Response response;
  const tenon_code code =
      read_problem(given, bridge_.manifest(), call->exchange->request().request_id, response);
  if (code != TENON_OK) return code;
  add_development(response, bridge_.plugin_id(), call->exchange->request().request_id);
  if (!call->advance(CallPhase::waiting, CallPhase::over)) return refusal(*call);
  const bool was_taken = call->exchange->respond(std::move(response));
  call.close();
  return was_taken ? TENON_OK : TENON_E_CLOSED;
}

tenon_code HttpInterface::begin(tenon_handle request, const tenon_http_response* head,
                                std::uint64_t content_length, const tenon_callback* writable) {
  tenon_callback callback = writable ? *writable : tenon_callback{};
  const auto refuse = [&callback](tenon_code code) {
    drop(callback);
    return code;
  };
  if (!bridge_.is_in(Phase::active, Phase::quiescing)) return refuse(TENON_E_STATE);
  CallRef call = find(request);
  if (!call) return refuse(TENON_E_HANDLE);
  const observability::WorkScope scope(&routing::context(*call->exchange).work);
  http::Response response;
  std::string_view body;
  if (const tenon_code code = read_response(head, bridge_.manifest(), response, body);
      code != TENON_OK)
    return refuse(code);
  if (!body.empty()) {
    observability::log_error("the host rejected a response of the plugin",
                             {{"field", "body"}, {"reason", "A streamed response begins empty."}});
    return refuse(TENON_E_INVALID);
  }
  if (!call->advance(CallPhase::waiting, CallPhase::streaming)) return refuse(refusal(*call));
  call->writable = callback;
  if (callback.fn) {
    call->exchange->on_writable([bridge = bridge_.shared_from_this(), request] {
      // The pin keeps the lease while the plugin runs; a stream that has ended has none.
      const CallRef found = bridge->http().find(request);
      if (!found || found->phase.load() != CallPhase::streaming) return;
      const Frame frame(bridge->name(), Operation::body, found->exchange->request().request_id,
                        true);
      enter(found->writable.fn, found->writable.ctx);
    });
  }
  const std::uint64_t length =
      content_length == TENON_HTTP_NO_LENGTH ? http::Request::no_length : content_length;
  if (call->exchange->begin(std::move(response), length)) return TENON_OK;
  if (call->advance(CallPhase::streaming, CallPhase::over)) call.close();
  return TENON_E_CLOSED;
}

tenon_code HttpInterface::write(tenon_handle request, tenon_span bytes) {
  if (!is_sound(bytes)) return TENON_E_INVALID;
  if (bytes.size > max_piece) return TENON_E_TOO_LARGE;
  const CallRef call = find(request);
  if (!call) return TENON_E_HANDLE;
  const CallPhase phase = call->phase.load(std::memory_order_acquire);
  if (phase != CallPhase::streaming) {
    return phase == CallPhase::over ? TENON_E_HANDLE : TENON_E_STATE;
  }
  switch (call->exchange->write(view(bytes))) {
    case http::WriteResult::accepted:
      return TENON_OK;
    case http::WriteResult::full:
      return TENON_FULL;
    case http::WriteResult::closed:
      return TENON_E_CLOSED;
  }
  return TENON_E_INTERNAL;
}

tenon_code HttpInterface::end(tenon_handle request, tenon_code how) {
  CallRef call = find(request);
  if (!call) return TENON_E_HANDLE;
  if (!call->advance(CallPhase::streaming, CallPhase::over)) {
    return call->phase.load() == CallPhase::waiting ? TENON_E_STATE : TENON_E_HANDLE;
  }
  tenon_code code = TENON_OK;
  if (how < 0)
    call->exchange->abort();
  else if (!call->exchange->end())
    code = call->exchange->closed() ? TENON_E_CLOSED : TENON_E_INVALID;
  call.close();
  return code;
}

tenon_code HttpInterface::read_body(tenon_handle request, const tenon_http_body_sink* sink) {
  if (!sink) return TENON_E_INVALID;
  tenon_http_body_sink taken = *sink;
  const auto refuse = [&taken](tenon_code code) {
    drop(taken);
    return code;
  };
  if (!taken.data || !taken.end) return refuse(TENON_E_INVALID);
  Calls::Pin call = calls_.pin(request);
  if (!call || call->is_finished()) return refuse(TENON_E_HANDLE);
  if (!Frame::handler_call(calls_, request) || call->has_taken_body) return refuse(TENON_E_STATE);
  if (routing::context(*call->exchange).route->body != http::BodyMode::streamed)
    return refuse(TENON_E_STATE);
  call->has_taken_body = true;
  const http::ExchangePtr exchange = call->exchange;
  const auto flow = std::make_shared<BodyFlow>(bridge_.shared_from_this(), std::move(call), taken);
  {
    const std::lock_guard lock(bodies_mutex_);
    std::erase_if(bodies_, [](const auto& body) { return body.expired(); });
    bodies_.push_back(flow);
  }
  exchange->read_body(make_body_sink(flow));
  return TENON_OK;
}

tenon_code HttpInterface::check(tenon_handle request) {
  const CallRef call = find(request);
  if (!call) return TENON_E_HANDLE;
  return call->exchange->closed() ? TENON_E_CLOSED : TENON_OK;
}

/// The functions of the ABI table. Each finds the interface of the host and catches every
/// exception.
struct HttpFunctions {
  template <typename Body>
  static tenon_code with(const tenon_host* host, tenon_error* error, Body&& body) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge) return fail_argument(error, "The host is NULL.");
    return guarded(error, [&] { return body(*bridge, bridge->http()); });
  }
  template <typename Body>
  static tenon_code when_active(const tenon_host* host, Body&& body) noexcept {
    return with(host, nullptr, [&](Bridge& bridge, HttpInterface& http) -> tenon_code {
      if (!bridge.is_in(Phase::active, Phase::quiescing)) return TENON_E_STATE;
      return body(http);
    });
  }

  static tenon_code add_route(const tenon_host* host, const tenon_http_route* route,
                              tenon_error* error) noexcept {
    return with(host, error,
                [&](Bridge&, HttpInterface& http) { return http.add_route(route, error); });
  }
  static tenon_code respond(const tenon_host* host, tenon_handle request,
                            const tenon_http_response* response) noexcept {
    return when_active(host, [&](HttpInterface& http) { return http.respond(request, response); });
  }
  static tenon_code respond_problem(const tenon_host* host, tenon_handle request,
                                    const tenon_http_problem* problem) noexcept {
    return when_active(host,
                       [&](HttpInterface& http) { return http.respond_problem(request, problem); });
  }
  static tenon_code begin(const tenon_host* host, tenon_handle request,
                          const tenon_http_response* head, std::uint64_t content_length,
                          const tenon_callback* writable) noexcept {
    return with(host, nullptr, [&](Bridge&, HttpInterface& http) {
      return http.begin(request, head, content_length, writable);
    });
  }
  static tenon_code write(const tenon_host* host, tenon_handle request, tenon_span bytes) noexcept {
    return when_active(host, [&](HttpInterface& http) { return http.write(request, bytes); });
  }
  static tenon_code end(const tenon_host* host, tenon_handle request, tenon_code how) noexcept {
    return when_active(host, [&](HttpInterface& http) { return http.end(request, how); });
  }
  static tenon_code read_body(const tenon_host* host, tenon_handle request,
                              const tenon_http_body_sink* sink) noexcept {
    return with(host, nullptr,
                [&](Bridge&, HttpInterface& http) { return http.read_body(request, sink); });
  }
  static tenon_code check(const tenon_host* host, tenon_handle request) noexcept {
    return when_active(host, [&](HttpInterface& http) { return http.check(request); });
  }
};

const tenon_http HttpInterface::table = {sizeof(tenon_http),
                                         0,
                                         &HttpFunctions::add_route,
                                         &HttpFunctions::respond,
                                         &HttpFunctions::respond_problem,
                                         &HttpFunctions::begin,
                                         &HttpFunctions::write,
                                         &HttpFunctions::end,
                                         &HttpFunctions::read_body,
                                         &HttpFunctions::check};

}  // namespace tenon::plugins
