#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tenon::data {

/// Upper bounds of the buckets of statement_time, in microseconds; one more bucket holds what is
/// slower.
inline constexpr std::array<std::uint32_t, 14> statement_time_bounds = {
    10, 25, 50, 100, 250, 500, 1'000, 2'500, 5'000, 10'000, 50'000, 250'000, 1'000'000, 5'000'000};

/// Upper bounds of the buckets of group_size; one more bucket holds what is larger.
inline constexpr std::array<std::uint32_t, 8> group_size_bounds = {1, 2, 4, 8, 16, 32, 64, 128};

/// Counts by the bounds of statement times, and their sum.
struct TimeBuckets {
  std::array<std::uint64_t, statement_time_bounds.size() + 1> counts{};
  std::uint64_t nanoseconds = 0;
};

/// Counters since the database was opened.
struct Statistics {
  std::uint64_t reads = 0;   ///< read transactions begun, single queries too
  std::uint64_t writes = 0;  ///< write transactions acknowledged
  std::uint64_t groups =
      0;  ///< COMMITs that made them durable; writes / groups is the average group
  std::uint64_t max_group_size = 0;
  std::uint64_t rolled_back = 0;        ///< write transactions undone by their owner or by an error
  std::uint64_t group_rolled_back = 0;  ///< members undone because another member failed
  std::uint64_t expired = 0;            ///< transactions undone at their deadline
  std::uint64_t busy = 0;               ///< refused because too many waited, or waited too long
  std::uint64_t timeouts = 0;           ///< statements cancelled
  std::uint64_t disk_full = 0;
  std::uint64_t checkpoints = 0;
  std::uint64_t waiting = 0;  ///< writers in the queue now
  std::uint64_t open = 0;     ///< transactions open now
  std::uint64_t readers = 0;  ///< reader connections open now
  std::uint64_t statements = 0;
  TimeBuckets statement_time;    ///< to the first row, or to the end of a batch or a change
  TimeBuckets commit_time;       ///< of COMMITs
  TimeBuckets write_queue_time;  ///< waits of writers that did not get the write lock at once
  std::array<std::uint64_t, group_size_bounds.size() + 1> group_size{};  ///< of COMMITs
};

/// Sizes for `tenon doctor` and the metrics.
struct FileFacts {
  std::uint64_t bytes = 0;       ///< of the database file
  std::uint64_t wal_bytes = 0;   ///< of its write-ahead log
  std::uint64_t free_bytes = 0;  ///< free on the file system for this process
};

}  // namespace tenon::data
