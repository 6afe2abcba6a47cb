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

/// What is known of a registry at one moment.
struct RegistryState {
  std::shared_ptr<const PackageIndex> index;  ///< the last good one; null: there was none yet
  std::int64_t read_ms = 0;     ///< when it was read in good order, by this process; 0: not yet
  std::int64_t tried_ms = 0;    ///< when that was tried last; 0: not yet
  std::optional<Reason> error;  ///< of the last try
};

/// The index of one registry: read when it is asked for and the last try is older than `patience`,
/// and kept in a file, so that it outlives the process with the serial below which no index is
/// taken. Thread-safe.
class IndexCache {
 public:
  struct Options {
    RegistryLocation place;
    std::string key_file;                ///< with the public key of the registry
    std::string folder;                  ///< for the last good index; made when it is needed
    std::chrono::milliseconds patience;  ///< between two tries that nobody asked for
  };

  explicit IndexCache(Options options);

  const RegistryLocation& place() const noexcept { return options_.place; }

  /// What is known; reads the index first where that is due and nobody else is at it. Blocks for at
  /// most RegistryLimits::refresh then. Does not throw for a registry that cannot be read.
  RegistryState current();
  /// Reads the index now, or waits for who is at it and reads it then.
  RegistryState refresh();

  /// A picture of the registry, fetched each time. Throws as fetch_picture().
  std::string picture(const Screenshot& screenshot) const;

  /// Ends what is under way; later calls read nothing.
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
