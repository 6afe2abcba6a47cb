#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <tenon/blobs.h>

#include "blobs/blobs.hpp"
#include "bridge/handle_table.hpp"

namespace tenon::plugins {

class Bridge;

/// A blob that a plugin writes, by number.
struct OpenWriter {
  std::unique_ptr<blobs::BlobWriter> writer;
  std::atomic<bool> is_in_use{false};  ///< one call at a time

  /// Aborted when it was not finished.
  std::unique_ptr<blobs::BlobWriter> finish() noexcept { return std::move(writer); }
};

/// A blob that a plugin reads, by number.
struct OpenReader {
  std::shared_ptr<const blobs::Content> content;

  std::shared_ptr<const blobs::Content> finish() noexcept { return std::move(content); }
};

/// tenon.blobs/1 of one activation, over the plugin's own blobs.
class BlobsInterface {
 public:
  static constexpr std::uint32_t max_writers = 64;   ///< open at once; beyond: TENON_E_BUSY
  static constexpr std::uint32_t max_readers = 256;  ///< open at once; beyond: TENON_E_BUSY
  static constexpr std::uint64_t max_read = std::uint64_t{16} * 1024 * 1024;  ///< bytes at once
  static constexpr std::uint32_t max_types = 16;  ///< media types of uploads

  static const tenon_blobs table;

  explicit BlobsInterface(Bridge& bridge);

  /// Returns whether the plugin set its own rules for uploads.
  bool takes_uploads() const noexcept { return takes_uploads_; }
  /// Ends everything that is open.
  void close_all() noexcept;

 private:
  tenon_code create(tenon_handle* writer, tenon_error* error);
  tenon_code write(tenon_handle writer, tenon_span bytes, tenon_error* error);
  tenon_code finish(tenon_handle writer, tenon_blob* blob, tenon_error* error);
  tenon_code abort(tenon_handle writer);
  tenon_code open(tenon_span id, tenon_handle* reader, tenon_blob* blob, tenon_error* error);
  tenon_code read(tenon_handle reader, std::uint64_t offset, char* buffer, std::uint64_t capacity,
                  std::uint64_t* size, tenon_error* error);
  tenon_code close(tenon_handle reader);
  tenon_code claim(tenon_span id, tenon_span key, tenon_error* error);
  tenon_code release(tenon_span id, tenon_span key, tenon_error* error);
  tenon_code stat(tenon_span id, tenon_blob* blob, tenon_error* error);
  tenon_code respond(tenon_handle request, tenon_span id, tenon_span name, std::uint32_t flags,
                     tenon_error* error);
  tenon_code accept_uploads(const tenon_blobs_uploads* uploads, tenon_error* error);
  tenon_code check_uploader(tenon_span id, tenon_span user_id, tenon_error* error);

  blobs::Blobs& blobs() const noexcept;
  const std::string& plugin() const noexcept;

  Bridge& bridge_;
  HandleTable<OpenWriter> writers_;
  HandleTable<OpenReader> readers_;
  bool takes_uploads_ = false;

  friend struct BlobsFunctions;
};

}  // namespace tenon::plugins
