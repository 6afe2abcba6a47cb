#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>

namespace tenon::data::test {

/// A disk that fails on demand, put between SQLite and the file system: while one lives, files
/// opened through SQLite go through it. One at a time.
class FaultyDisk {
 public:
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  std::atomic<bool> fails_syncs{false};   ///< every sync returns EIO
  std::atomic<bool> fails_writes{false};  ///< every write returns EIO
  /// Every read at or after this offset of a file, in bytes, returns EIO.
  std::atomic<std::int64_t> fails_reads_from{std::numeric_limits<std::int64_t>::max()};
  std::atomic<int> refused_reads{0};  ///< so far
  std::atomic<bool> is_full{false};   ///< every write that makes a file longer returns ENOSPC
  std::atomic<int> writes{0};         ///< writes and syncs so far
  /// A checkpoint calls it once on its own thread, after it has read the header of the WAL index
  /// and before it reads how many frames are copied. Set it while no checkpoint runs.
  std::function<void()> at_checkpoint;
  /// The process kills itself (SIGKILL) before the write or sync of this number; negative: never.
  std::atomic<int> dies_at{-1};
};

}  // namespace tenon::data::test
