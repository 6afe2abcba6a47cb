#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/deferred.hpp>
#include <tenon/detail/link.hpp>
#include <tenon/http.h>
#include <tenon/request.hpp>

namespace tenon::detail {

/// Returns the names of a pattern's parameters, in order; "rest" for "{rest...}".
inline std::vector<std::string> names_of(std::string_view pattern) {
  std::vector<std::string> names;
  for (std::size_t open = pattern.find('{'); open != std::string_view::npos;
       open = pattern.find('{', open + 1)) {
    const std::size_t close = pattern.find('}', open);
    if (close == std::string_view::npos) break;
    std::string_view name = pattern.substr(open + 1, close - open - 1);
    if (name.ends_with("...")) name.remove_suffix(3);
    names.emplace_back(name);
  }
  return names;
}

/// The part of a route that does not depend on the type of its handler.
struct Route {
  Link* link;
  std::vector<std::string> names;
  bool is_inline;
};

class InlineScope {
 public:
  explicit InlineScope(bool is_inline) noexcept : before_(in_inline_route) {
    in_inline_route = is_inline;
  }
  InlineScope(const InlineScope&) = delete;
  InlineScope& operator=(const InlineScope&) = delete;
  ~InlineScope() { in_inline_route = before_; }

 private:
  bool before_;
};

/// The handler's right to respond, which it shares with the Deferred that it may have made.
class ResponseRight {
 public:
  explicit ResponseRight(const Request& request) noexcept : request_(&request) {}

  /// Returns true if the handler may respond, also when called again; false if the Deferred has
  /// responded.
  bool take() noexcept {
    Pending* const pending = request_->pending().get();
    is_taken_ = is_taken_ || pending == nullptr || pending->claim();
    return is_taken_;
  }

 private:
  const Request* request_;
  bool is_taken_ = false;
};

/// Sends the response of the handler. Throws Misuse if it must not be sent.
inline tenon_code send_response(Link& link, const Request& request, ResponseRight& right,
                                Response& response) {
  if (response.kind() == Response::Kind::deferred) {
    if (request.pending() != nullptr) return TENON_PENDING;
    throw Misuse("the handler returned Response::deferred() without calling defer()");
  }
  if (!right.take())
    throw Misuse("two responses to one request: from the Deferred and from the handler");
  const tenon_code code = send(link, request.handle(), response);
  if (is_refusal(code)) throw Misuse(refusal_of(code));
  // The client may have disconnected, or the host may have ended the request: nothing is left to
  // do.
  return code == TENON_PENDING ? TENON_PENDING : TENON_OK;
}

/// Sends the response to a failure of the handler: a problem document, or a code for which the host
/// responds with 500.
inline tenon_code send_failure(Link& link, const Request& request, ResponseRight& right,
                               const Error& error) {
  if (error.status() >= 500) {
    link.report(TENON_LOG_ERROR, "a handler failed: " + error.code(), error.message(),
                request.handle());
  }
  if (!right.take()) return TENON_OK;
  const tenon_code code = send_problem(link, request.handle(), public_error(error));
  return is_refusal(code) ? TENON_E_INTERNAL : TENON_OK;
}

/// Runs the handler of a route. No exception leaves this function.
inline tenon_code serve(Route& route, const tenon_http_request* raw,
                        Response (*handle)(Route&, const Request&)) noexcept {
  Link& link = *route.link;
  const State state = link.state();
  if (raw == nullptr || raw->size < TENON_NEED(tenon_http_request, user_id) ||
      (state != State::active && state != State::quiescing)) {
    link.report(TENON_LOG_ERROR, "the host called a route while the plugin was not active", {});
    return TENON_E_STATE;
  }
  const InlineScope scope(route.is_inline);
  const Request request(link, *raw, route.names);
  ResponseRight right(request);
  try {
    try {
      Response response = handle(route, request);
      return send_response(link, request, right, response);
    } catch (const Error& error) {
      return send_failure(link, request, right, error);
#ifndef TENON_WITHOUT_JSON
    } catch (const Json::exception& error) {
      // The client's body has another form than the handler expects.
      if (!request.has_read_json()) throw;
      link.report(TENON_LOG_INFO, "the body of a request has the wrong format", error.what(),
                  raw->handle);
      return send_failure(link, request, right, wrong_body(error));
#endif
    }
  } catch (const std::exception& error) {
    link.report(TENON_LOG_ERROR, "a handler failed", error.what(), raw->handle);
  } catch (...) {
    link.report(TENON_LOG_ERROR, "a handler threw an exception that is not a std::exception", {},
                raw->handle);
  }
  // The host responds with 500. A Deferred that still exists must not respond.
  return right.take() ? TENON_E_INTERNAL : TENON_OK;
}

template <class F>
struct HandledRoute : Route {
  HandledRoute(Route route, F function) : Route(std::move(route)), handler(std::move(function)) {}

  static tenon_code fn(void* ctx, const tenon_http_request* raw) noexcept {
    return serve(*static_cast<HandledRoute*>(ctx), raw, &call);
  }

  static Response call(Route& route, const Request& request) {
    F& handler = static_cast<HandledRoute&>(route).handler;
    if constexpr (std::is_void_v<std::invoke_result_t<F&, const Request&>>) {
      handler(request);
      return request.pending() == nullptr ? Response::empty() : Response::deferred();
    } else {
      return handler(request);
    }
  }

  static void drop(void* ctx) noexcept { delete static_cast<HandledRoute*>(ctx); }

  F handler;
};

}  // namespace tenon::detail
