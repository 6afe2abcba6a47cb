#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/blob.hpp"
#include "blobs/content_store.hpp"
#include "blobs/limits.hpp"
#include "blobs/sha256.hpp"
#include "blobs/usage.hpp"

namespace tenon::data {
class Database;
class Transaction;
}  // namespace tenon::data

namespace tenon::blobs {

class BlobWriter;

/// Keeps the blobs of all plugins: the content on a ContentStore, their descriptions and claims in
/// the host's database. A plugin reaches only its own blobs: every function takes its id.
///
///   written → on disk → in the database, and acknowledged → claimed … released → swept
///
/// Content without a row in the database is no blob; a blob in the database is complete. A blob is
/// removed after it had no claim for Limits::grace_period. Functions block on the disk and throw
/// what the store and the database throw, and as they say. Thread-safe.
class Blobs {
 public:
  /// Milliseconds since 1970.
  using Clock = std::function<std::int64_t()>;

  /// Makes the room's tables and removes drafts that an earlier process left. `database` outlives
  /// it.
  Blobs(data::Database& database, std::unique_ptr<ContentStore> store, Limits limits);
  Blobs(data::Database& database, std::unique_ptr<ContentStore> store, Limits limits, Clock clock);
  ~Blobs();
  Blobs(const Blobs&) = delete;
  Blobs& operator=(const Blobs&) = delete;

  /// Begins a blob.
  std::unique_ptr<BlobWriter> create(const std::string& plugin);

  /// Empty when there is no such blob; also for what is no id.
  std::optional<Blob> find(const std::string& plugin, std::string_view id);

  struct Opened {
    Blob blob;
    std::shared_ptr<const Content> content;
  };
  /// Throws 404 "blobs.not_found", and 503 "blobs.damaged" when the file is missing or has another
  /// size than what was acknowledged.
  Opened open(const std::string& plugin, std::string_view id);

  /// From now on `key` claims the blob; durable at the return. Claiming twice is claiming once.
  /// Throws 404 "blobs.not_found", 422 "blobs.key_invalid" (1 to max_key_bytes bytes of UTF-8
  /// without control characters), 422 "blobs.too_many_claims".
  void claim(const std::string& plugin, std::string_view id, std::string_view key);
  /// Ends that claim, where there is one.
  void release(const std::string& plugin, std::string_view id, std::string_view key);
  /// Ends every claim of the key.
  void release_all(const std::string& plugin, std::string_view key);

  struct Claim {
    std::string blob;
    std::string key;
  };
  /// Ends every claim and upload of the plugin; its blobs go with the next sweep. Durable at the
  /// return.
  void forget(const std::string& plugin);
  /// How many claims of the plugin have keys that begin with `prefix`, which is not empty.
  std::size_t count_claims(const std::string& plugin, std::string_view prefix);
  /// Returns these claims, in order, that follow `after`; at most `limit`.
  std::vector<Claim> claims(const std::string& plugin, std::string_view prefix, const Claim& after,
                            std::size_t limit);
  /// Returns claims of the plugin with any key, in order, that follow `after`; at most `limit`.
  std::vector<Claim> all_claims(const std::string& plugin, const Claim& after, std::size_t limit);
  /// Adds all of them in one transaction; throws as claim(), and then adds none.
  void claim_all(const std::string& plugin, const std::vector<Claim>& claims);
  /// Returns ids of claimed blobs, in order, that follow `after`; at most `limit`.
  std::vector<std::string> claimed(const std::string& plugin, std::string_view after,
                                   std::size_t limit);
  struct Total {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  /// Counts the claimed blobs.
  Total total_claimed(const std::string& plugin);
  /// Ends those of the claims that exist, soon after the call, which does not wait for the disk. If
  /// that fails, the claims stay and a warning is logged.
  void release_later(const std::string& plugin, std::vector<Claim> claims) noexcept;

  /// Removes what has been without a claim for too long; how many.
  std::size_t sweep();
  /// Removes files that no acknowledged blob has, left by a process that ended between the two; how
  /// many. Looks at every file.
  std::size_t sweep_strays();

  /// Bytes that a plugin has taken, with those of unfinished uploads.
  std::uint64_t used(const std::string& plugin) const { return usage_.of(plugin); }

  // For the room.
  /// Makes a draft that is on disk a blob, whose bytes were taken from usage(); they are given back
  /// when the plugin has that content already. `also` runs in the same transaction.
  Blob keep(const std::string& plugin, const Draft& draft, const std::string& id,
            std::string_view type, const std::function<void(data::Transaction&)>& also);
  data::Database& database() noexcept { return database_; }
  ContentStore& store() noexcept { return *store_; }
  Usage& usage() noexcept { return usage_; }
  const Limits& limits() const noexcept { return limits_; }
  std::int64_t now() const { return clock_(); }

 private:
  std::mutex& mutex_of(std::string_view plugin, std::string_view id) noexcept;
  bool is_acknowledged(const std::string& plugin, const std::string& id);
  bool remove_if_due(const std::string& plugin, const std::string& id, std::int64_t before);

  data::Database& database_;
  const std::unique_ptr<ContentStore> store_;
  const Limits limits_;
  const Clock clock_;
  Usage usage_;
  /// Each guards the file and the row of the blobs whose hash selects it.
  std::array<std::mutex, 64> mutexes_;
};

/// Writes one blob. Destroying the writer discards what was written, unless it is finished.
/// One thread at a time.
class BlobWriter {
 public:
  BlobWriter(Blobs& blobs, std::string plugin);
  ~BlobWriter();
  BlobWriter(const BlobWriter&) = delete;
  BlobWriter& operator=(const BlobWriter&) = delete;

  /// Throws 413 "blobs.too_large", 507 "blobs.quota", 507 "blobs.disk_full", 503 "blobs.io". After
  /// an error it can only go.
  void write(std::string_view bytes);
  /// The blob, whole and on disk. Once; nothing may be written afterwards.
  Blob finish();

 private:
  Blobs& blobs_;
  const std::string plugin_;
  std::unique_ptr<Draft> draft_;
  Sha256 hash_;
  std::string head_;
  std::uint64_t taken_ = 0;
  bool has_failed_ = false;
};

}  // namespace tenon::blobs
