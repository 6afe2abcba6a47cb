#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/blobs.h>
#include <tenon/detail/link.hpp>
#include <tenon/http.hpp>

namespace tenon {

/// Describes a blob.
struct Blob {
  std::string id;           ///< SHA-256 of the content, 64 lower-case hex digits
  std::uint64_t bytes = 0;  ///< size of the content
  std::string type;  ///< media type of an image, detected from the content; empty for other content
  std::int64_t created_ms = 0;  ///< since 1970
  std::uint32_t claims = 0;
};

namespace detail {

inline tenon_blob empty_blob() noexcept {
  tenon_blob raw{};
  raw.size = sizeof raw;
  return raw;
}

inline Blob to_blob(const tenon_blob& raw) {
  return {std::string(text_of(raw.id)), raw.bytes, std::string(text_of(raw.type)), raw.created_ms,
          raw.claims};
}

}  // namespace detail

/// Writes a new blob. The destructor discards the data unless finish() was called. Movable; use it
/// on one thread at a time.
class BlobWriter {
 public:
  BlobWriter(BlobWriter&& other) noexcept
      : link_(other.link_), writer_(std::exchange(other.writer_, 0)) {}
  BlobWriter& operator=(BlobWriter&& other) noexcept {
    if (this != &other) {
      release();
      link_ = other.link_;
      writer_ = std::exchange(other.writer_, 0);
    }
    return *this;
  }
  ~BlobWriter() { release(); }

  /// Appends bytes. Throws Error 413 "blobs.too_large", 507 "blobs.disk_full" or "blobs.quota", 503
  /// "blobs.io".
  void write(std::string_view bytes) {
    require_open();
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_blobs, write, writer_, detail::span(bytes), &error),
                  error);
  }

  /// Completes the blob and returns its description. The blob is on disk and has no claims yet. May
  /// be called once.
  Blob finish() {
    require_open();
    tenon_error error = detail::empty_error();
    tenon_blob raw = detail::empty_blob();
    detail::check(TENON_CALL(*link_, tenon_blobs, finish, std::exchange(writer_, 0), &raw, &error),
                  error);
    return detail::to_blob(raw);
  }

 private:
  friend class Blobs;
  BlobWriter(detail::Link& link, tenon_handle writer) noexcept : link_(&link), writer_(writer) {}
  void release() noexcept {
    if (writer_ == 0) return;
    const tenon_blobs* blobs = link_->find<tenon_blobs>();
    if (blobs != nullptr && blobs->size >= TENON_NEED(tenon_blobs, abort))
      blobs->abort(link_->host(), writer_);
  }
  void require_open() const {
    if (writer_ == 0) throw Misuse("BlobWriter used after finish()");
  }

  detail::Link* link_;
  tenon_handle writer_;
};

/// Reads an open blob. The content stays readable even if the blob is deleted meanwhile. Movable.
class BlobReader {
 public:
  BlobReader(BlobReader&& other) noexcept
      : link_(other.link_),
        reader_(std::exchange(other.reader_, 0)),
        blob_(std::move(other.blob_)) {}
  BlobReader& operator=(BlobReader&& other) noexcept {
    if (this != &other) {
      release();
      link_ = other.link_;
      reader_ = std::exchange(other.reader_, 0);
      blob_ = std::move(other.blob_);
    }
    return *this;
  }
  ~BlobReader() { release(); }

  const Blob& blob() const noexcept { return blob_; }

  /// Fills the buffer from `offset`, at most 16 MiB in one call. Returns the number of bytes read,
  /// which is less than the size of the buffer only at the end.
  std::size_t read(std::uint64_t offset, std::span<char> buffer) {
    tenon_error error = detail::empty_error();
    std::uint64_t size = 0;
    detail::check(TENON_CALL(*link_, tenon_blobs, read, reader_, offset, buffer.data(),
                             buffer.size(), &size, &error),
                  error);
    return static_cast<std::size_t>(size);
  }

  /// Returns the whole content. Throws Error 413 "blobs.too_large" if it has more than `max_bytes`
  /// bytes.
  std::string read_all(std::size_t max_bytes = std::size_t{16} << 20) {
    if (blob_.bytes > max_bytes) throw Error(413, "blobs.too_large", "This file is too large.");
    std::string content(static_cast<std::size_t>(blob_.bytes), '\0');
    constexpr std::size_t piece = std::size_t{1} << 20;
    for (std::size_t at = 0; at < content.size(); at += piece)
      read(at, std::span(content).subspan(at, std::min(piece, content.size() - at)));
    return content;
  }

 private:
  friend class Blobs;
  BlobReader(detail::Link& link, tenon_handle reader, Blob blob) noexcept
      : link_(&link), reader_(reader), blob_(std::move(blob)) {}
  void release() noexcept {
    if (reader_ == 0) return;
    const tenon_blobs* blobs = link_->find<tenon_blobs>();
    if (blobs != nullptr && blobs->size >= TENON_NEED(tenon_blobs, close))
      blobs->close(link_->host(), reader_);
  }

  detail::Link* link_;
  tenon_handle reader_;
  Blob blob_;
};

/// Limits uploads: `{.max_bytes = 20 << 20, .types = {"image/png", "image/jpeg"}}`.
struct UploadOptions {
  std::uint64_t max_bytes = 0;            ///< limit of one upload; 0: limit of the host
  std::vector<std::string_view> types{};  ///< accepted values of Blob::type; none: any content
};

/// Files of the plugin, identified by the SHA-256 of their content. The host deletes a blob without
/// claims after a day, so claim each blob that you want to keep. Claim a blob before you write the
/// row that refers to it; delete the row before you release the claim. Usable from start on; all
/// functions block. Thread-safe.
class Blobs {
 public:
  explicit Blobs(detail::Link& link) noexcept : link_(&link) {}

  /// Creates a writer for a blob that is written in pieces.
  [[nodiscard]] BlobWriter create() {
    require("a blob");
    tenon_error error = detail::empty_error();
    tenon_handle writer = 0;
    detail::check(TENON_CALL(*link_, tenon_blobs, create, &writer, &error), error);
    return {*link_, writer};
  }
  /// Stores `content` as a blob and returns its description.
  Blob put(std::string_view content) {
    BlobWriter writer = create();
    writer.write(content);
    return writer.finish();
  }

  /// Opens a blob for reading. Throws Error 404 "blobs.not_found".
  [[nodiscard]] BlobReader open(std::string_view id) {
    require("a blob");
    tenon_error error = detail::empty_error();
    tenon_handle reader = 0;
    tenon_blob raw = detail::empty_blob();
    detail::check(TENON_CALL(*link_, tenon_blobs, open, detail::span(id), &reader, &raw, &error),
                  error);
    return {*link_, reader, detail::to_blob(raw)};
  }

  /// Returns the description of a blob, or empty if it does not exist.
  std::optional<Blob> find(std::string_view id) {
    require("a blob");
    tenon_error error = detail::empty_error();
    tenon_blob raw = detail::empty_blob();
    const tenon_code code = TENON_CALL(*link_, tenon_blobs, stat, detail::span(id), &raw, &error);
    if (code == TENON_E_NOT_FOUND) return std::nullopt;
    detail::check(code, error);
    return detail::to_blob(raw);
  }

  /// Claims the blob under `key`, such as "notes/17". The claim is on disk when the function
  /// returns. Throws Error 404 "blobs.not_found".
  void claim(std::string_view id, std::string_view key) {
    require("a claim");
    tenon_error error = detail::empty_error();
    detail::check(
        TENON_CALL(*link_, tenon_blobs, claim, detail::span(id), detail::span(key), &error), error);
  }
  /// Releases a claim. A missing claim is not an error.
  void release(std::string_view id, std::string_view key) {
    if (id.empty())
      throw Misuse("release() needs the id of a blob; use release_all() for all claims of a key");
    end_claims(id, key);
  }
  /// Releases all claims of the key.
  void release_all(std::string_view key) { end_claims({}, key); }

  /// Returns whether the user has uploaded the content within a day. Check this before you claim a
  /// blob that a browser names.
  bool has_uploaded(std::string_view id, std::string_view user_id) {
    require("an upload");
    tenon_error error = detail::empty_error();
    const tenon_code code = TENON_CALL(*link_, tenon_blobs, check_uploader, detail::span(id),
                                       detail::span(user_id), &error);
    if (code == TENON_E_DENIED) return false;
    detail::check(code, error);
    return true;
  }

  /// Enables resumable uploads at /api/<plugin>/blobs. Call it in the plugin's constructor or
  /// start, at most once. access::everyone is not allowed.
  void accept_uploads(Access access, const UploadOptions& options = {}) {
    std::vector<tenon_span> types;
    types.reserve(options.types.size());
    for (const std::string_view type : options.types)
      types.push_back(detail::span(type));
    tenon_blobs_uploads raw{};
    raw.size = sizeof raw;
    raw.access = access.kind();
    raw.permission = detail::span(access.permission());
    raw.max_bytes = options.max_bytes;
    raw.types = types.data();
    raw.type_count = static_cast<std::uint32_t>(types.size());
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_blobs, accept_uploads, &raw, &error), error);
  }

 private:
  void require(const char* what) const {
    link_->require(State::starting, State::quiescing, what);
    detail::Link::require_blocking(what);
  }
  void end_claims(std::string_view id, std::string_view key) {
    require("a claim");
    tenon_error error = detail::empty_error();
    detail::check(
        TENON_CALL(*link_, tenon_blobs, release, detail::span(id), detail::span(key), &error),
        error);
  }

  detail::Link* link_;
};

}  // namespace tenon
