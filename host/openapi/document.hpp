#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "openapi/core_description.hpp"
#include "routing/route.hpp"

namespace tenon::openapi {

/// The facts of the document as a whole.
struct Whole {
  std::string title;
  std::string version;      ///< of the host
  std::string cookie;       ///< name of the session cookie
  std::vector<Tag> owners;  ///< plugins, by id
};

/// Returns an OpenAPI 3.1 document of the routes that `is_shown` lets through: all below /api/, and
/// those of the host that `core/` describes. A set whose gate is closed has no routes in it. Takes
/// a lease on each set while it asks its routes. Deterministic.
std::string document(const std::vector<std::shared_ptr<const routing::RouteSet>>& sets,
                     const Whole& whole,
                     const std::function<bool(const routing::Route&)>& is_shown);

}  // namespace tenon::openapi
