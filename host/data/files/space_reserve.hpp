#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace tenon::data {

/// A file that holds disk space back, so that an admin can sign in and free space on a full disk.
/// The first write that fails for want of space empties ("releases") it. Until there is space again
/// only admins and the host itself may write; EngineCore::require_space() and blobs::DiskStore see
/// to that. An empty file says that the reserve is released, so that a restart keeps it so.
/// Thread-safe. No error of the file system is thrown: nothing is reserved then.
class SpaceReserve {
 public:
  /// The reserved bytes, or this share of the file system if that is less.
  static constexpr std::uint64_t max_bytes = std::uint64_t{16} * 1024 * 1024;
  static constexpr std::uint64_t disk_share = 20;

  /// Reads the state of the file at `path`; releases it when the disk is full, because a start
  /// writes too. allocate() makes the file.
  explicit SpaceReserve(std::string path);
  SpaceReserve(const SpaceReserve&) = delete;
  SpaceReserve& operator=(const SpaceReserve&) = delete;

  bool is_released() const noexcept { return is_released_.load(std::memory_order_relaxed); }
  /// Empties the file when less than a quarter of the reserve is free, as when a write found no
  /// space; a write that reached a limit of one file alone does not count.
  void release_if_full() noexcept;
  /// Ends the release when twice the reserve is free, and returns whether it did. One system call.
  bool has_space_again() noexcept;
  /// The file is to be allocated: at a start and after a release.
  bool is_allocation_due() const noexcept {
    return is_allocation_due_.load(std::memory_order_relaxed);
  }
  /// Allocates the file when that is due and twice the reserve is free. Not for I/O threads.
  void allocate() noexcept;

 private:
  std::uint64_t allocated_bytes() const noexcept;
  std::uint64_t free_bytes() const noexcept;

  const std::string path_;
  const std::string folder_;
  std::uint64_t bytes_ = 0;
  std::atomic<bool> is_released_{false};
  std::atomic<bool> is_allocation_due_{true};
  std::mutex mutex_;  ///< for changes of the file
};

}  // namespace tenon::data
