#include "bridge/blobs/table_uploads.hpp"

#include <algorithm>
#include <utility>

#include "blobs/blobs.hpp"
#include "bridge/blobs/blobs_interface.hpp"
#include "bridge/blobs/upload_routes.hpp"
#include "bridge/bridge.hpp"
#include "bridge/http/http_interface.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

void add_table_uploads(std::vector<records::OwnedRoute>& routes, Bridge& bridge,
                       const records::UploadNeeds& needs) {
  if (bridge.blobs().takes_uploads()) return;
  UploadPolicy policy;
  policy.max_bytes = std::min(needs.max_bytes, bridge.services().blobs->limits().blob);
  policy.require = needs.require;
  auto uploads =
      make_upload_routes(*bridge.services().uploads, bridge.plugin_id(), std::move(policy));
  const auto is_taken = [&](const records::OwnedRoute& upload) {
    const auto is_same = [&](const records::OwnedRoute& other) {
      return other.route.method == upload.route.method &&
             other.route.pattern == upload.route.pattern;
    };
    return bridge.http().is_taken(upload.route) ||
           std::any_of(routes.begin(), routes.end(), is_same);
  };
  if (std::any_of(uploads.begin(), uploads.end(), is_taken)) {
    observability::log_warning(
        "no uploads are taken for the files of a plugin's tables: the plugin has a route or a "
        "table in their place",
        {{"plugin", bridge.plugin_id()}, {"path", uploads.front().route.pattern}});
    return;
  }
  std::move(uploads.begin(), uploads.end(), std::back_inserter(routes));
}

}  // namespace tenon::plugins
