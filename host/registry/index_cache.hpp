#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "packages/reason.hpp"
#include "registry/fetch.hpp"

namespace tenon::plugins {

/// The state of a registry at one moment.
struct RegistryState {
  std::shared_ptr<const PackageIndex> index;  ///< the last good one; null: there was none yet
  std::int64_t read_ms = 0;     ///< when this process last read it without a fault; 0: not yet
  std::int64_t tried_ms = 0;    ///< when this process last tried; 0: not yet
  std::optional<Reason> error;  ///< of the last try
};

/// The index of one registry. It is read when it is requested and the last try is older than
/// `refresh_interval`. It is kept in a file, so that it survives the process, together with its
/// serial; an index with a lower serial is refused. Thread-safe.
class IndexCache {
 public:
  struct Options {
    RegistryLocation location;
    std::string key_file;  ///< with the public key of the registry
    std::string folder;    ///< for the last good index; made when it is needed
    std::chrono::milliseconds refresh_interval;  ///< between two automatic tries
  };

  explicit IndexCache(Options options);

  const RegistryLocation& location() const noexcept { return options_.location; }

  /// Returns the state; first reads the index if that is due and no other thread reads it. Then
  /// blocks for at most RegistryLimits::refresh. Does not throw for a registry that cannot be read.
  RegistryState current();
  /// Reads the index now; waits first for a thread that reads it already.
  RegistryState refresh();

  /// A picture of the registry, fetched each time. Throws as fetch_picture().
  std::string picture(const Screenshot& screenshot) const;

  /// Ends a read in progress; later calls read nothing.
  void stop();

 private:
  RegistryState known() const;
  FetchBounds bounds() const;
  bool is_due() const;
  // Under refreshing_.
  void read();
  std::shared_ptr<const PackageIndex> take(const PublicKey& key);

  const Options options_;
  std::stop_source stop_;
  std::mutex refreshing_;
  mutable std::mutex mutex_;  // for state_
  RegistryState state_;
};

}  // namespace tenon::plugins
