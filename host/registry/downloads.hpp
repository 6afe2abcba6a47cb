#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "packages/reason.hpp"
#include "registry/package_index.hpp"

namespace tenon::plugins {

class IndexCache;

enum class DownloadState : std::uint8_t { running, done, failed, stopped };

/// "running", "done", "failed", "stopped".
std::string_view to_string(DownloadState state) noexcept;

/// The state of a download at one moment.
struct Download {
  std::uint64_t number = 0;  ///< from 1 on, for one run of the server
  std::string id;
  std::string version;
  DownloadState state = DownloadState::running;
  std::uint64_t done = 0;       ///< bytes that are here
  std::uint64_t total = 0;      ///< bytes that the index says
  std::string package;          ///< the name that `keep` was given; empty until it is done
  std::optional<Reason> error;  ///< where it failed
};

/// Downloads packages from the registry of an IndexCache, each on a thread of its own, and keeps
/// only those that match the signed index. Thread-safe.
class Downloads {
 public:
  static constexpr std::size_t max_running = 2;
  static constexpr std::size_t max_known = 16;  ///< those that ended longest ago are forgotten

  /// Takes a package; `name` is the hash of its list of files (hexadecimal). Called on any thread;
  /// what it throws is the download's error.
  using Keep = std::function<void(const std::string& name, std::string_view bytes)>;

  /// `cache` outlives it; null: no registry is configured. `folder` has the files on their way; it
  /// is made when it is needed, and what an earlier process left in it is removed then.
  Downloads(IndexCache* cache, std::string folder, Keep keep);
  ~Downloads();
  Downloads(const Downloads&) = delete;
  Downloads& operator=(const Downloads&) = delete;

  /// Begins one; an empty version means the latest. Returns at once where the index is not due.
  /// Throws Refusal 404 "plugins.registry_unknown", 503 "plugins.registry_busy" where max_running
  /// are under way.
  Download start(const std::string& id, const std::string& version);
  /// Throws Refusal 404 "plugins.registry_unknown", as for one that is forgotten.
  Download find(std::uint64_t number) const;
  /// Ends one that runs; nothing where it ended already. Throws as find().
  void cancel(std::uint64_t number);

  /// Downloads one package before it returns. Returns the name that was passed to `keep`. Ends
  /// early with stop(). Throws as start(), fetch_package() and Archive, and Refusal
  /// "plugins.registry_damaged".
  std::string fetch_and_keep(const std::string& id, const std::string& version);

  /// Ends all that is under way and waits for it; what is begun later ends at once.
  void stop();

 private:
  struct Entry;

  // Returns the index, and the version in it.
  std::shared_ptr<const PackageIndex> look_up(const std::string& id, const std::string& version,
                                              const IndexedVersion*& found) const;
  std::string fetch(const std::string& id, const IndexedVersion& version, std::stop_token stop,
                    const std::function<void(std::uint64_t)>& progress);
  void run(Entry& entry, const IndexedVersion& version, const std::stop_token& stop);
  void prepare_folder();

  IndexCache* const cache_;
  const std::string folder_;
  const Keep keep_;
  mutable std::mutex mutex_;  // for all below
  std::condition_variable ended_;
  std::stop_source stop_;
  std::list<Entry> entries_;
  std::uint64_t last_ = 0;
  bool is_prepared_ = false;
};

}  // namespace tenon::plugins
