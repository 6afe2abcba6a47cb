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

/// What is known of a blob.
struct Blob {
  std::string id;           ///< SHA-256 of the content, 64 lower-case hex digits
  std::uint64_t bytes = 0;  ///< of the content
  std::string type;         ///< media type of an image, found in its content; empty for all else
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

/// A blob that is being written. What was written is dropped with the object unless it is finished.
/// Movable; one thread at a time.
class BlobWriter {
 public:
  BlobWriter(BlobWriter&& other) noexcept
      : link_(other.link_), writer_(std::exchange(other.writer_, 0)) {}
  BlobWriter& operator=(BlobWriter&& other) noexcept {
    if (this != &other) {
      let_go();
      link_ = other.link_;
      writer_ = std::exchange(other.writer_, 0);
    }
    return *this;
  }
  ~BlobWriter() { let_go(); }

  /// Throws Error 413 "blobs.too_large", 507 "blobs.disk_full" or "blobs.quota", 503 "blobs.io".
  void write(std::string_view bytes) {
    require_open();
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_blobs, write, writer_, detail::span(bytes), &error),
                  error);
  }

  /// The blob, whole and on disk, claimed by nobody yet. Once.
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
  void let_go() noexcept {
    if (writer_ == 0) return;
    const tenon_blobs* blobs = link_->find<tenon_blobs>();
    if (blobs != nullptr && blobs->size >= TENON_NEED(tenon_blobs, abort))
      blobs->abort(link_->host(), writer_);
  }
  void require_open() const {
    if (writer_ == 0) throw Misuse("a blob written to after it was finished");
  }

  detail::Link* link_;
  tenon_handle writer_;
};

/// A blob that is open; it stays readable when it is removed meanwhile. Movable.
class BlobReader {
 public:
  BlobReader(BlobReader&& other) noexcept
      : link_(other.link_),
        reader_(std::exchange(other.reader_, 0)),
        blob_(std::move(other.blob_)) {}
  BlobReader& operator=(BlobReader&& other) noexcept {
    if (this != &other) {
      let_go();
      link_ = other.link_;
      reader_ = std::exchange(other.reader_, 0);
      blob_ = std::move(other.blob_);
    }
    return *this;
  }
  ~BlobReader() { let_go(); }

  const Blob& blob() const noexcept { return blob_; }

  /// Fills the buffer from `offset` on, at most 16 MiB at once; how many bytes came, fewer than it
  /// holds only at the end.
  std::size_t read(std::uint64_t offset, std::span<char> buffer) {
    tenon_error error = detail::empty_error();
    std::uint64_t size = 0;
    detail::check(TENON_CALL(*link_, tenon_blobs, read, reader_, offset, buffer.data(),
                             buffer.size(), &size, &error),
                  error);
    return static_cast<std::size_t>(size);
  }

  /// The whole content. Throws Error 413 "blobs.too_large" for more than `most` bytes.
  std::string read_all(std::size_t most = std::size_t{16} << 20) {
    if (blob_.bytes > most) throw Error(413, "blobs.too_large", "This file is too large for this.");
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
  void let_go() noexcept {
    if (reader_ == 0) return;
    const tenon_blobs* blobs = link_->find<tenon_blobs>();
    if (blobs != nullptr && blobs->size >= TENON_NEED(tenon_blobs, close))
      blobs->close(link_->host(), reader_);
  }

  detail::Link* link_;
  tenon_handle reader_;
  Blob blob_;
};

/// What may be uploaded: `{.max_bytes = 20 << 20, .types = {"image/png", "image/jpeg"}}`.
struct UploadOptions {
  std::uint64_t max_bytes = 0;            ///< of one upload; 0: as many as the host takes
  std::vector<std::string_view> types{};  ///< what Blob::type must be one of; none: any content
};

/// Files of the plugin, named by the SHA-256 of their content. A blob that nothing claims is
/// removed after a day, so claim what is to stay: claim first, then write the row that refers to
/// it; delete the row first, then release. From start on; every function blocks. Thread-safe.
class Blobs {
 public:
  explicit Blobs(detail::Link& link) noexcept : link_(&link) {}

  /// Begins a blob that is written piece by piece.
  [[nodiscard]] BlobWriter create() {
    require("a blob");
    tenon_error error = detail::empty_error();
    tenon_handle writer = 0;
    detail::check(TENON_CALL(*link_, tenon_blobs, create, &writer, &error), error);
    return {*link_, writer};
  }
  /// A blob of a content that is in memory.
  Blob put(std::string_view content) {
    BlobWriter writer = create();
    writer.write(content);
    return writer.finish();
  }

  /// Throws Error 404 "blobs.not_found".
  [[nodiscard]] BlobReader open(std::string_view id) {
    require("a blob");
    tenon_error error = detail::empty_error();
    tenon_handle reader = 0;
    tenon_blob raw = detail::empty_blob();
    detail::check(TENON_CALL(*link_, tenon_blobs, open, detail::span(id), &reader, &raw, &error),
                  error);
    return {*link_, reader, detail::to_blob(raw)};
  }

  /// Empty when there is no such blob.
  std::optional<Blob> find(std::string_view id) {
    require("a blob");
    tenon_error error = detail::empty_error();
    tenon_blob raw = detail::empty_blob();
    const tenon_code code = TENON_CALL(*link_, tenon_blobs, stat, detail::span(id), &raw, &error);
    if (code == TENON_E_NOT_FOUND) return std::nullopt;
    detail::check(code, error);
    return detail::to_blob(raw);
  }

  /// Keeps the blob for `key`, such as "notes/17"; durable at the return. Throws Error 404
  /// "blobs.not_found".
  void claim(std::string_view id, std::string_view key) {
    require("a claim");
    tenon_error error = detail::empty_error();
    detail::check(
        TENON_CALL(*link_, tenon_blobs, claim, detail::span(id), detail::span(key), &error), error);
  }
  /// Ends that claim, where there is one.
  void release(std::string_view id, std::string_view key) {
    if (id.empty()) throw Misuse("a claim released without a blob");
    end_claims(id, key);
  }
  /// Ends all claims of the key.
  void release_all(std::string_view key) { end_claims({}, key); }

  /// Whether that user uploaded that content within a day. To be asked before what a browser names
  /// is claimed.
  bool has_uploaded(std::string_view id, std::string_view user_id) {
    require("an upload");
    tenon_error error = detail::empty_error();
    const tenon_code code = TENON_CALL(*link_, tenon_blobs, check_uploader, detail::span(id),
                                       detail::span(user_id), &error);
    if (code == TENON_E_DENIED) return false;
    detail::check(code, error);
    return true;
  }

  /// Has the host take resumable uploads at /api/<plugin>/blobs. In the plugin's constructor or
  /// start, once; not for everybody.
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
