#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "openapi/core_description.hpp"
#include "routing/route.hpp"

namespace tenon::identity {
class Permissions;
}
namespace tenon::routing {
class Router;
}

namespace tenon::openapi {

/// GET /api/core/openapi.json: what the routes of this moment are, as the asker may see them. Owns
/// its handler, and must outlive every RouteSet made with its routes.
class OpenApiRoutes {
 public:
  /// Documents of different users that are kept until the routes change; beyond, all are made
  /// again.
  static constexpr std::size_t max_kept = 32;

  struct Options {
    std::string title;
    std::string version;
    /// The plugins by id with what they are, called when a document is made.
    std::function<std::vector<Tag>()> owners;
  };

  /// All references outlive it; `share` runs what takes its time.
  OpenApiRoutes(Options options, const routing::Router& router,
                const identity::Permissions& permissions, http::WorkerShare& share);
  ~OpenApiRoutes();
  OpenApiRoutes(const OpenApiRoutes&) = delete;
  OpenApiRoutes& operator=(const OpenApiRoutes&) = delete;

  std::vector<routing::Route> routes() const;
  /// The document of an admin at this moment, one line. Thread-safe.
  std::string document() const;

 private:
  class Handler;
  std::unique_ptr<Handler> handler_;
  http::WorkerShare& share_;
};

}  // namespace tenon::openapi
