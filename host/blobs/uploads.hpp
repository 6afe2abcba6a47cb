#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/blob.hpp"
#include "blobs/content_store.hpp"
#include "blobs/sha256.hpp"

namespace tenon::blobs {

class Blobs;
class UploadSession;

/// Describes one resumable upload at the time of the call.
struct Upload {
  std::string id;
  std::string plugin;
  std::string user;          ///< id of the one whom it belongs to
  std::uint64_t bytes = 0;   ///< of the whole
  std::uint64_t offset = 0;  ///< bytes that are there
  std::string name;          ///< of the file, as the client said it
  std::string metadata;      ///< as the client sent it
  std::int64_t expires_ms = 0;
  std::optional<Blob> blob;  ///< once it is finished
};

/// Uploads that come in several requests and survive restarts: a draft on the store for the bytes,
/// a row in the host's database for the rest. An upload is found by the plugin and the user that
/// made it only. It ends after Limits::upload, finished or not; its blob does not. Thread-safe.
class Uploads {
 public:
  /// `types`: media types as image_type_of() finds them, of which the content must have one; empty:
  /// any content.
  struct Request {
    std::string plugin;
    std::string user;
    std::uint64_t bytes = 0;
    std::string name;
    std::string metadata;
  };

  /// Counts what unfinished uploads have taken and removes drafts that belong to none. `boot` names
  /// the run of the kernel. `blobs` outlives it.
  explicit Uploads(Blobs& blobs);
  Uploads(Blobs& blobs, std::string boot);
  ~Uploads();
  Uploads(const Uploads&) = delete;
  Uploads& operator=(const Uploads&) = delete;

  /// Throws 413 "blobs.too_large", 429 "blobs.too_many_uploads", 507 "blobs.quota".
  Upload create(const Request& request);
  /// Throws 404 "blobs.no_upload".
  Upload find(const std::string& plugin, const std::string& user, const std::string& id);
  /// Takes more of it from `offset` on, which must be its current offset: 409 "blobs.wrong_offset".
  /// One session at a time: 423 "blobs.upload_busy". `types` as Request has them.
  std::unique_ptr<UploadSession> append(const std::string& plugin, const std::string& user,
                                        const std::string& id, std::uint64_t offset,
                                        std::vector<std::string> types);
  /// Throws 404, 423. The blob of a finished one stays.
  void remove(const std::string& plugin, const std::string& user, const std::string& id);
  /// True when this user finished an upload of that content within Limits::upload.
  bool has_uploaded(const std::string& plugin, const std::string& user, std::string_view blob);

  /// Removes those that expired; how many.
  std::size_t sweep();

 private:
  friend class UploadSession;
  struct Row;
  /// Kept between the requests of an upload.
  struct OpenUpload {
    bool is_busy = false;
    std::uint64_t offset = 0;  ///< bytes that `hash` has seen
    Sha256 hash;
    std::string head;
  };
  /// Keeps others from an upload; gives way when it goes.
  class Hold {
   public:
    Hold(Uploads& uploads, std::string id);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    OpenUpload& live() const noexcept { return *live_; }
    /// Forgets the upload, which has ended.
    void forget() noexcept { must_forget_ = true; }

   private:
    Uploads& uploads_;
    const std::string id_;
    OpenUpload* live_;
    bool must_forget_ = false;
  };

  std::optional<Row> row_of(const std::string& id);
  Row own_row(const std::string& plugin, const std::string& user, const std::string& id);
  void drop(const Row& row);
  void sweep_drafts();

  Blobs& blobs_;
  const std::string boot_;
  std::mutex mutex_;
  std::map<std::string, OpenUpload> live_;
};

/// Receives more of an upload. Written bytes stay, on disk too, if the session is destroyed
/// without end(). One thread at a time.
class UploadSession {
 public:
  ~UploadSession();
  UploadSession(const UploadSession&) = delete;
  UploadSession& operator=(const UploadSession&) = delete;

  /// Throws 413 "blobs.too_long" for more than was announced; 507, 503 as the store does.
  void write(std::string_view bytes);
  /// Syncs the upload to disk, and makes it a blob when it is complete. Throws 415
  /// "blobs.type_refused", which ends the upload. Once.
  Upload end();

 private:
  friend class Uploads;
  UploadSession(Uploads& uploads, Upload upload, std::unique_ptr<Draft> draft,
                std::unique_ptr<Uploads::Hold> hold, std::vector<std::string> types);
  void catch_up();
  void note_synced();
  Blob finish();

  Uploads& uploads_;
  Upload upload_;
  std::unique_ptr<Draft> draft_;
  std::unique_ptr<Uploads::Hold> hold_;
  const std::vector<std::string> types_;
  bool is_ended_ = false;
};

}  // namespace tenon::blobs
