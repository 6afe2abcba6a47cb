#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "routing/route.hpp"

namespace tenon::routing {

/// The routes of a room with the handlers that they own. It must outlive every RouteSet made with
/// its routes. One thread until it is complete, then any.
class RouteTable {
 public:
  /// The members that add() sets in each route.
  struct Defaults {
    Access access = Access::signed_in;
    http::WorkerShare* share = nullptr;  ///< as Route::share
    std::uint64_t json_limit = 0;  ///< largest JSON body of POST, PUT and PATCH, bytes; 0: none
  };
  explicit RouteTable(const Defaults& defaults) : defaults_(defaults) {}
  RouteTable(const RouteTable&) = delete;
  RouteTable& operator=(const RouteTable&) = delete;

  /// Adds a route. Returns it for changes of what differs from the defaults, until the next call.
  Route& add(http::Method method, std::string pattern, std::string summary,
             std::unique_ptr<http::Handler> handler);

  const std::vector<Route>& routes() const noexcept { return routes_; }

 private:
  const Defaults defaults_;
  std::vector<std::unique_ptr<http::Handler>> handlers_;
  std::vector<Route> routes_;
};

}  // namespace tenon::routing
