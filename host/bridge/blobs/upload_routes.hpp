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

/// Who may upload what to a plugin.
struct UploadPolicy {
  routing::Access access = routing::Access::signed_in;  ///< or permission
  std::string permission;
  std::uint64_t max_bytes = 0;     ///< of one upload
  std::vector<std::string> types;  ///< media types that the content must have one of; empty: any
  /// Asked before an upload begins and before it goes on; throws where it may not. May be empty.
  std::function<void(const http::Exchange&)> require = {};
};

/// The routes of resumable uploads of a plugin, which the host answers itself (tus 1.0.0: core,
/// creation, expiration, termination):
///
///   POST   /api/<plugin>/blobs                 creates one
///   HEAD   /api/<plugin>/blobs/uploads/<id>    where it stands; GET says the same as JSON
///   PATCH  /api/<plugin>/blobs/uploads/<id>    brings bytes
///   DELETE /api/<plugin>/blobs/uploads/<id>    cancels it
///
/// A finished one says so with the fields Blob-Id, Blob-Size and, for an image, Blob-Type.
/// `uploads` outlives the routes.
std::vector<records::OwnedRoute> make_upload_routes(blobs::Uploads& uploads,
                                                    const std::string& plugin, UploadPolicy policy);

/// Adds them to those of the plugin. Throws what HttpInterface::add_host_route throws.
void add_upload_routes(HttpInterface& http, blobs::Uploads& uploads, const std::string& plugin,
                       UploadPolicy policy);

}  // namespace tenon::plugins
