#include "bridge/abi_error.hpp"
#include "bridge/blobs/blobs_interface.hpp"
#include "bridge/bridge.hpp"
#include "bridge/frame.hpp"

namespace tenon::plugins {

/// The functions of the ABI table. Each finds the interface of the host, checks the state, and
/// catches every exception.
struct BlobsFunctions {
  template <typename Body>
  static tenon_code with(const tenon_host* host, tenon_error* error, Body&& body) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge) return fail_argument(error, "The host is NULL.");
    return guarded(error, [&] { return body(*bridge, bridge->blobs()); });
  }
  template <typename Body>
  static tenon_code blocking(const tenon_host* host, tenon_error* error, Phase first,
                             Body&& body) noexcept {
    return with(host, error, [&](Bridge& bridge, BlobsInterface& blobs) -> tenon_code {
      if (!bridge.is_in(first, Phase::quiescing))
        return fail_state(error, "Not in this state of the plugin's life.");
      if (!Frame::may_block())
        return fail_state(error, "Inline routes and queued writes must not wait for the disk.");
      return body(blobs);
    });
  }
  template <typename Body>
  static tenon_code blocking(const tenon_host* host, tenon_error* error, Body&& body) noexcept {
    return blocking(host, error, Phase::starting, body);
  }

  static tenon_code create(const tenon_host* host, tenon_handle* writer,
                           tenon_error* error) noexcept {
    return blocking(host, error,
                    [&](BlobsInterface& blobs) { return blobs.create(writer, error); });
  }
  static tenon_code write(const tenon_host* host, tenon_handle writer, tenon_span bytes,
                          tenon_error* error) noexcept {
    return blocking(host, error,
                    [&](BlobsInterface& blobs) { return blobs.write(writer, bytes, error); });
  }
  static tenon_code finish(const tenon_host* host, tenon_handle writer, tenon_blob* blob,
                           tenon_error* error) noexcept {
    return blocking(host, error,
                    [&](BlobsInterface& blobs) { return blobs.finish(writer, blob, error); });
  }
  static tenon_code abort(const tenon_host* host, tenon_handle writer) noexcept {
    return with(host, nullptr, [&](Bridge&, BlobsInterface& blobs) { return blobs.abort(writer); });
  }
  static tenon_code open(const tenon_host* host, tenon_span id, tenon_handle* reader,
                         tenon_blob* blob, tenon_error* error) noexcept {
    return blocking(host, error,
                    [&](BlobsInterface& blobs) { return blobs.open(id, reader, blob, error); });
  }
  static tenon_code read(const tenon_host* host, tenon_handle reader, std::uint64_t offset,
                         char* buffer, std::uint64_t capacity, std::uint64_t* size,
                         tenon_error* error) noexcept {
    return blocking(host, error, [&](BlobsInterface& blobs) {
      return blobs.read(reader, offset, buffer, capacity, size, error);
    });
  }
  static tenon_code close(const tenon_host* host, tenon_handle reader) noexcept {
    return with(host, nullptr, [&](Bridge&, BlobsInterface& blobs) { return blobs.close(reader); });
  }
  static tenon_code claim(const tenon_host* host, tenon_span id, tenon_span key,
                          tenon_error* error) noexcept {
    return blocking(host, error,
                    [&](BlobsInterface& blobs) { return blobs.claim(id, key, error); });
  }
  static tenon_code release(const tenon_host* host, tenon_span id, tenon_span key,
                            tenon_error* error) noexcept {
    return blocking(host, error,
                    [&](BlobsInterface& blobs) { return blobs.release(id, key, error); });
  }
  static tenon_code stat(const tenon_host* host, tenon_span id, tenon_blob* blob,
                         tenon_error* error) noexcept {
    return blocking(host, error,
                    [&](BlobsInterface& blobs) { return blobs.stat(id, blob, error); });
  }
  static tenon_code respond(const tenon_host* host, tenon_handle request, tenon_span id,
                            tenon_span name, std::uint32_t flags, tenon_error* error) noexcept {
    return blocking(host, error, Phase::active, [&](BlobsInterface& blobs) {
      return blobs.respond(request, id, name, flags, error);
    });
  }
  static tenon_code accept_uploads(const tenon_host* host, const tenon_blobs_uploads* uploads,
                                   tenon_error* error) noexcept {
    return with(host, error, [&](Bridge&, BlobsInterface& blobs) {
      return blobs.accept_uploads(uploads, error);
    });
  }
  static tenon_code check_uploader(const tenon_host* host, tenon_span id, tenon_span user_id,
                                   tenon_error* error) noexcept {
    return blocking(host, error, [&](BlobsInterface& blobs) {
      return blobs.check_uploader(id, user_id, error);
    });
  }
};

const tenon_blobs BlobsInterface::table = {sizeof(tenon_blobs),
                                           0,
                                           &BlobsFunctions::create,
                                           &BlobsFunctions::write,
                                           &BlobsFunctions::finish,
                                           &BlobsFunctions::abort,
                                           &BlobsFunctions::open,
                                           &BlobsFunctions::read,
                                           &BlobsFunctions::close,
                                           &BlobsFunctions::claim,
                                           &BlobsFunctions::release,
                                           &BlobsFunctions::stat,
                                           &BlobsFunctions::respond,
                                           &BlobsFunctions::accept_uploads,
                                           &BlobsFunctions::check_uploader};

}  // namespace tenon::plugins
