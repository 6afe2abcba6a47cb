#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "records/service/records.hpp"
#include "routing/route.hpp"

namespace tenon::blobs {
class Uploads;
}

namespace tenon::plugins {

class HttpInterface;

/// The rules of uploads to a plugin: which users, which content.
struct UploadPolicy {
  routing::Access access = routing::Access::signed_in;  ///< or permission
  std::string permission;
  std::uint64_t max_bytes = 0;     ///< of one upload
  std::vector<std::string> types;  ///< media types that the content must have one of; empty: any
  /// Called before an upload begins and before it continues; throws if it may not. May be empty.
  std::function<void(const http::Exchange&)> require = {};
};

/// Returns the routes of resumable uploads of a plugin, which the host handles itself (tus 1.0.0:
/// core, creation, expiration, termination):
///
///   POST   /api/<plugin>/blobs                 creates one
///   HEAD   /api/<plugin>/blobs/uploads/<id>    its offset; GET returns it as JSON
///   PATCH  /api/<plugin>/blobs/uploads/<id>    appends bytes
///   DELETE /api/<plugin>/blobs/uploads/<id>    cancels it
///
/// The response of a finished upload has the fields Blob-Id, Blob-Size and, for an image,
/// Blob-Type. `uploads` outlives the routes.
std::vector<records::OwnedRoute> make_upload_routes(blobs::Uploads& uploads,
                                                    const std::string& plugin, UploadPolicy policy);

/// Adds the upload routes to the routes of the plugin. Throws what HttpInterface::add_host_route
/// throws.
void add_upload_routes(HttpInterface& http, blobs::Uploads& uploads, const std::string& plugin,
                       UploadPolicy policy);

}  // namespace tenon::plugins
