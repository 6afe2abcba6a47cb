#include "bridge/blobs/blobs_interface.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/utf8.hpp"
#include "blobs/image_type.hpp"
#include "blobs/limits.hpp"
#include "blobs/uploads.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/blobs/upload_routes.hpp"
#include "bridge/bridge.hpp"
#include "bridge/http/http_interface.hpp"
#include "bridge/spans.hpp"
#include "http/parser/ascii.hpp"
#include "http/response/download.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* bad_id = "The id is no span, or the out-parameter is NULL.";

template <std::size_t capacity>
void put_blob_text(char (&out)[capacity], std::string_view text) noexcept {
  const std::size_t size = std::min(text.size(), capacity - 1);
  std::memcpy(out, text.data(), size);
  std::memset(out + size, 0, capacity - size);
}

void fill(tenon_blob* taker, const blobs::Blob& blob) noexcept {
  if (!taker) return;
  tenon_blob filled;
  filled.claims = blob.claims;
  filled.bytes = blob.bytes;
  filled.created_ms = blob.created_ms;
  put_blob_text(filled.id, blob.id);
  put_blob_text(filled.type, blob.type);
  copy_out(taker, filled);
}

tenon_code fail_stale_writer(tenon_error* error) noexcept {
  return fail(error, TENON_E_HANDLE, 500, "plugins.stale_handle",
              "The handle is stale or was never given.");
}

tenon_code busy(tenon_error* error, std::string_view what) noexcept {
  return fail(error, TENON_E_BUSY, 503, "blobs.busy", what);
}

tenon_code not_found(tenon_error* error) noexcept {
  return fail(error, TENON_E_NOT_FOUND, 404, "blobs.not_found",
              "There is no such file; it may have been deleted.");
}

// One call at a time works on a writer.
class WriterUse {
 public:
  explicit WriterUse(OpenWriter& writer) noexcept
      : writer_(writer), is_ours_(!writer.is_in_use.exchange(true, std::memory_order_acquire)) {}
  ~WriterUse() {
    if (is_ours_) writer_.is_in_use.store(false, std::memory_order_release);
  }
  WriterUse(const WriterUse&) = delete;
  WriterUse& operator=(const WriterUse&) = delete;
  explicit operator bool() const noexcept { return is_ours_; }

 private:
  OpenWriter& writer_;
  const bool is_ours_;
};

}  // namespace

BlobsInterface::BlobsInterface(Bridge& bridge)
    : bridge_(bridge),
      writers_(HandleKind::blob_writer, max_writers,
               static_cast<std::uint64_t>(base::monotonic_nanoseconds())),
      readers_(HandleKind::blob_reader, max_readers,
               static_cast<std::uint64_t>(base::monotonic_nanoseconds())) {}

blobs::Blobs& BlobsInterface::blobs() const noexcept {
  return *bridge_.services().blobs;
}

const std::string& BlobsInterface::plugin() const noexcept {
  return bridge_.plugin_id();
}

void BlobsInterface::close_all() noexcept {
  writers_.for_each([](auto writer) { writer.close(); });
  readers_.for_each([](auto reader) { reader.close(); });
}

tenon_code BlobsInterface::create(tenon_handle* writer, tenon_error* error) {
  if (!writer) return fail_argument(error, "Where the writer's handle goes is NULL.");
  std::unique_ptr<blobs::BlobWriter> begun = blobs().create(plugin());
  auto opened = writers_.open([&](OpenWriter& item) noexcept { item.writer = std::move(begun); });
  if (!opened.pin) return busy(error, "This plugin writes too many files at once.");
  *writer = opened.handle;
  return TENON_OK;
}

tenon_code BlobsInterface::write(tenon_handle writer, tenon_span bytes, tenon_error* error) {
  if (!is_sound(bytes)) return fail_argument(error, "The bytes have a size and no data.");
  const auto pin = writers_.pin(writer);
  if (!pin) return fail_stale_writer(error);
  const WriterUse use(*pin);
  if (!use) return fail_state(error, "Another call works on this writer.");
  pin->writer->write(view(bytes));
  return TENON_OK;
}

tenon_code BlobsInterface::finish(tenon_handle writer, tenon_blob* blob, tenon_error* error) {
  auto pin = writers_.pin(writer);
  if (!pin) return fail_stale_writer(error);
  const WriterUse use(*pin);
  if (!use) return fail_state(error, "Another call works on this writer.");
  if (!pin.close()) return fail_stale_writer(error);
  fill(blob, pin->writer->finish());
  return TENON_OK;
}

tenon_code BlobsInterface::abort(tenon_handle writer) {
  auto pin = writers_.pin(writer);
  return pin && pin.close() ? TENON_OK : TENON_E_HANDLE;
}

tenon_code BlobsInterface::open(tenon_span id, tenon_handle* reader, tenon_blob* blob,
                                tenon_error* error) {
  if (!is_sound(id) || !reader) return fail_argument(error, bad_id);
  blobs::Blobs::Opened found = blobs().open(plugin(), view(id));
  auto opened =
      readers_.open([&](OpenReader& item) noexcept { item.content = std::move(found.content); });
  if (!opened.pin) return busy(error, "This plugin reads too many files at once.");
  fill(blob, found.blob);
  *reader = opened.handle;
  return TENON_OK;
}

tenon_code BlobsInterface::read(tenon_handle reader, std::uint64_t offset, char* buffer,
                                std::uint64_t capacity, std::uint64_t* size, tenon_error* error) {
  if (!size || (!buffer && capacity != 0))
    return fail_argument(error, "The buffer or where its size goes is NULL.");
  if (capacity > max_read) {
    return fail(error, TENON_E_TOO_LARGE, 500, "plugins.invalid_argument",
                "At most 16 MiB are read at once.");
  }
  const auto pin = readers_.pin(reader);
  if (!pin) return fail_stale_writer(error);
  const bool is_past_end = offset >= pin->content->size();
  *size = is_past_end ? 0 : pin->content->read(offset, buffer, static_cast<std::size_t>(capacity));
  return is_past_end ? TENON_DONE : TENON_OK;
}

tenon_code BlobsInterface::close(tenon_handle reader) {
  auto pin = readers_.pin(reader);
  return pin && pin.close() ? TENON_OK : TENON_E_HANDLE;
}

tenon_code BlobsInterface::claim(tenon_span id, tenon_span key, tenon_error* error) {
  if (!is_sound(id) || !is_sound(key))
    return fail_argument(error, "A span has a size and no data.");
  blobs().claim(plugin(), view(id), view(key));
  return TENON_OK;
}

tenon_code BlobsInterface::release(tenon_span id, tenon_span key, tenon_error* error) {
  if (!is_sound(id) || !is_sound(key))
    return fail_argument(error, "A span has a size and no data.");
  if (view(id).empty())
    blobs().release_all(plugin(), view(key));
  else
    blobs().release(plugin(), view(id), view(key));
  return TENON_OK;
}

tenon_code BlobsInterface::stat(tenon_span id, tenon_blob* blob, tenon_error* error) {
  if (!is_sound(id) || !blob) return fail_argument(error, bad_id);
  const std::optional<blobs::Blob> found = blobs().find(plugin(), view(id));
  if (!found) return not_found(error);
  fill(blob, *found);
  return TENON_OK;
}

tenon_code BlobsInterface::respond(tenon_handle request, tenon_span id, tenon_span name,
                                   std::uint32_t flags, tenon_error* error) {
  if (!is_sound(id) || !is_sound(name))
    return fail_argument(error, "A span has a size and no data.");
  if ((flags & ~TENON_BLOBS_ATTACHMENT) != 0)
    return fail_argument(error, "There are flags that this host does not know.");
  const std::string_view file_name = view(name);
  if (file_name.size() > blobs::max_file_name_bytes || !base::is_valid_utf8(file_name) ||
      !http::is_field_value(file_name))
    return fail_argument(
        error, "The name has more than 255 bytes, is no UTF-8 or has control characters.");
  CallRef call = bridge_.http().find(request);
  if (!call) return fail_stale_writer(error);
  if (call->phase.load() != CallPhase::waiting)
    return fail_state(error, "The response has begun already.");
  const blobs::Blobs::Opened opened = blobs().open(plugin(), view(id));
  http::Response response = http::respond_with_download(
      call->exchange->request(),
      {.etag = "\"" + opened.blob.id + "\"",
       .bytes = opened.blob.bytes,
       .modified = opened.blob.created_ms / 1000,
       .type = opened.blob.type,
       .name = std::string(file_name),
       .is_saved = (flags & TENON_BLOBS_ATTACHMENT) != 0,
       .is_lasting = true,
       .open = [&opened] { return opened.content->duplicate_descriptor(); }});
  if (!call->advance(CallPhase::waiting, CallPhase::over)) return fail_stale_writer(error);
  const bool was_taken = call->exchange->respond(std::move(response));
  call.close();
  return was_taken ? TENON_OK : TENON_E_CLOSED;
}

tenon_code BlobsInterface::accept_uploads(const tenon_blobs_uploads* uploads, tenon_error* error) {
  if (!bridge_.is_setting_up())
    return fail_state(error, "Uploads are accepted inside create or start, on its thread.");
  if (takes_uploads_) return fail_state(error, "Uploads are accepted already.");
  if (!uploads || uploads->size < TENON_NEED(tenon_blobs_uploads, type_count))
    return fail_argument(error, "What is said of uploads is NULL or too small.");
  const tenon_blobs_uploads known = copy_in(uploads);
  if (!is_sound(known.permission) || (known.type_count != 0 && !known.types))
    return fail_argument(error, "A span has a size and no data.");
  if (known.type_count > max_types) return fail_argument(error, "At most 16 types can be named.");
  UploadPolicy policy;
  policy.permission = view(known.permission);
  if (known.access == TENON_HTTP_PERMISSION) {
    policy.access = routing::Access::permission;
    if (!bridge_.manifest().declares(policy.permission)) {
      return fail_argument(
          error, "The permission \"" + policy.permission + "\" is not declared in plugin.json.");
    }
  } else if (known.access != TENON_HTTP_SIGNED_IN || !policy.permission.empty()) {
    return fail_argument(error, "Who may upload is every user, or who has a permission.");
  }
  policy.max_bytes = blobs().limits().blob;
  if (known.max_bytes != 0) policy.max_bytes = std::min(policy.max_bytes, known.max_bytes);
  for (std::uint32_t i = 0; i < known.type_count; ++i) {
    if (!is_sound(known.types[i])) return fail_argument(error, "A span has a size and no data.");
    policy.types.emplace_back(view(known.types[i]));
    if (!blobs::is_image_type(policy.types.back())) {
      return fail_argument(error, "The type \"" + policy.types.back() +
                                      "\" is none that the host finds in a content.");
    }
  }
  add_upload_routes(bridge_.http(), *bridge_.services().uploads, plugin(), std::move(policy));
  takes_uploads_ = true;
  return TENON_OK;
}

tenon_code BlobsInterface::check_uploader(tenon_span id, tenon_span user_id, tenon_error* error) {
  if (!is_sound(id) || !is_sound(user_id))
    return fail_argument(error, "A span has a size and no data.");
  if (bridge_.services().uploads->has_uploaded(plugin(), std::string(view(user_id)), view(id)))
    return TENON_OK;
  return fail(error, TENON_E_DENIED, 403, "blobs.not_uploaded",
              "You have not uploaded this file, or too long ago. Upload it again.");
}

}  // namespace tenon::plugins
