#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <tenon/http.h>

#include "bridge/call.hpp"
#include "routing/route.hpp"

namespace tenon::records {
struct OwnedRoute;
}

namespace tenon::plugins {

class BodyFlow;
class Bridge;

/// tenon.http/1 of one activation: its routes, and the requests that are inside the plugin.
class HttpInterface {
 public:
  static constexpr std::uint32_t max_calls = 16'384;  ///< requests inside a plugin; beyond: 503
  static constexpr std::uint64_t default_body_limit =
      1024 * 1024;  ///< bytes, of whole and JSON bodies
  static constexpr std::uint64_t max_whole_body = std::uint64_t{64} * 1024 * 1024;
  static constexpr std::uint64_t max_piece = 1024 * 1024;  ///< bytes of one write
  static constexpr std::size_t max_routes = 1000;

  static const tenon_http table;

  explicit HttpInterface(Bridge& bridge);
  ~HttpInterface();

  /// A route as the plugin registered it. The callback is the interface's to drop.
  struct Registered {
    routing::Route route;
    tenon_http_handler handler;
    std::uint32_t method;  ///< TENON_HTTP_GET …
    bool is_inline;
  };

  /// Returns whether there is a route of this method and path.
  bool is_taken(const routing::Route& route) const;
  /// Adds a route that the host handles itself to those of the plugin. Call it, like add_route,
  /// before make_routes(). Throws base::Error 500 "plugins.route_taken".
  void add_host_route(routing::Route route, std::unique_ptr<http::Handler> handler);

  /// Adds the routes of the plugin's published tables. Call it, like
  /// add_route, before make_routes(). Throws 409 "plugins.route_shadows_table" if the plugin has
  /// one of them itself, and 409 "plugins.too_many_routes".
  void add_table_routes(std::vector<records::OwnedRoute> routes);

  /// Runs one request through a handler of the plugin, on the calling thread. Throws base::Error
  /// 503 if the plugin cannot take it.
  void call(const Registered& registered, const http::ExchangePtr& exchange);

  std::shared_ptr<const routing::RouteSet> make_routes(std::shared_ptr<http::WorkerShare> share);

  /// Empty if the request has its response, has ended, or is not this activation's.
  CallRef find(tenon_handle request) noexcept;
  /// True once a minute: a plugin may cause such a line with each request.
  bool may_log_late_response() noexcept;
  /// Returns the number of requests inside the plugin; reads all slots.
  std::size_t calls() noexcept { return calls_.size(); }

  /// See Bridge::give_up_calls.
  void give_up() noexcept;
  void drop_handlers() noexcept;

 private:
  tenon_code add_route(const tenon_http_route* given, tenon_error* error);
  tenon_code respond(tenon_handle request, const tenon_http_response* given);
  // Out of line: respond() is on the hot path and needs none of its stack.
  [[gnu::noinline]] tenon_code respond_deferred(tenon_handle request,
                                                const tenon_http_response* given);
  tenon_code respond(Call& call, const tenon_http_response* given, http::Response& response);
  // The code for a response to a call that is not waiting for one; a second response is logged.
  [[gnu::cold]] tenon_code refuse_second(const Call& call);
  tenon_code respond_problem(tenon_handle request, const tenon_http_problem* given);
  tenon_code begin(tenon_handle request, const tenon_http_response* head,
                   std::uint64_t content_length, const tenon_callback* writable);
  tenon_code write(tenon_handle request, tenon_span bytes);
  tenon_code end(tenon_handle request, tenon_code how);
  tenon_code read_body(tenon_handle request, const tenon_http_body_sink* sink);
  tenon_code check(tenon_handle request);

  void complete(Call& call, tenon_code code);
  void sweep() noexcept;
  Calls::Opened open_slot(http::Exchange& exchange);

  struct HostRoute {
    routing::Route route;
    std::shared_ptr<http::Handler> handler;
  };

  Bridge& bridge_;
  std::vector<Registered> routes_;
  std::vector<HostRoute> host_routes_;
  Calls calls_;
  std::atomic<bool> is_given_up_{false};
  std::atomic<std::int64_t> late_response_s_;  // when the log last named one
  std::mutex bodies_mutex_;
  std::vector<std::weak_ptr<BodyFlow>> bodies_;  // that are on their way

  friend struct HttpFunctions;
};

}  // namespace tenon::plugins
