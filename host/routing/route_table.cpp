#include "routing/route_table.hpp"

#include <utility>

namespace tenon::routing {

Route& RouteTable::add(http::Method method, std::string pattern, std::string summary,
                       std::unique_ptr<http::Handler> handler) {
  using http::Method;
  const bool has_body =
      defaults_.json_limit != 0 &&
      (method == Method::post || method == Method::put || method == Method::patch);
  Route route;
  route.method = method;
  route.pattern = std::move(pattern);
  route.access = defaults_.access;
  route.handler = handler.get();
  route.body = has_body ? http::BodyMode::json : http::BodyMode::none;
  route.body_limit = has_body ? defaults_.json_limit : 0;
  route.share = defaults_.share;
  route.summary = std::move(summary);
  handlers_.push_back(std::move(handler));
  routes_.push_back(std::move(route));
  return routes_.back();
}

}  // namespace tenon::routing
