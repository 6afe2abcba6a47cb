#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "data/engine/statistics.hpp"

namespace tenon::data {

/// Bucket of a time among statement_time_bounds.
inline std::size_t time_bucket(std::int64_t nanoseconds) noexcept {
  const auto microseconds = static_cast<std::uint64_t>(nanoseconds) / 1000;
  const auto* bound =
      std::lower_bound(statement_time_bounds.begin(), statement_time_bounds.end(), microseconds);
  return static_cast<std::size_t>(bound - statement_time_bounds.begin());
}

/// Times that any thread may count.
class SharedTimes {
 public:
  void record(std::int64_t nanoseconds) noexcept {
    buckets_[time_bucket(nanoseconds)].fetch_add(1, std::memory_order_relaxed);
    total_.fetch_add(static_cast<std::uint64_t>(nanoseconds), std::memory_order_relaxed);
  }
  TimeBuckets read() const noexcept {
    TimeBuckets read;
    for (std::size_t i = 0; i < buckets_.size(); ++i)
      read.counts[i] = buckets_[i].load(std::memory_order_relaxed);
    read.nanoseconds = total_.load(std::memory_order_relaxed);
    return read;
  }

 private:
  std::array<std::atomic<std::uint64_t>, statement_time_bounds.size() + 1> buckets_{};
  std::atomic<std::uint64_t> total_{0};
};

/// The statistics as they are counted; every member may be changed by any thread.
struct Counters {
  using Count = std::atomic<std::uint64_t>;
  Count reads{0};
  Count writes{0};
  Count groups{0};
  Count max_group_size{0};
  Count rolled_back{0};
  Count group_rolled_back{0};
  Count expired{0};
  Count busy{0};
  Count timeouts{0};
  Count disk_full{0};
  Count checkpoints{0};
  SharedTimes commit_time;
  SharedTimes write_queue_time;
  std::array<Count, group_size_bounds.size() + 1> group_size{};

  static void add(Count& count, std::uint64_t amount = 1) noexcept {
    count.fetch_add(amount, std::memory_order_relaxed);
  }
};

/// The counters as they are now.
Statistics read(const Counters& counters) noexcept;

/// Times of the statements of one connection. Written by the one thread that has the connection,
/// read by any.
class StatementTimes {
 public:
  void record(std::int64_t nanoseconds) noexcept {
    bump(buckets_[time_bucket(nanoseconds)], 1);
    bump(total_, static_cast<std::uint64_t>(nanoseconds));
  }
  void add_to(Statistics& sum) const noexcept {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      const auto count = buckets_[i].load(std::memory_order_relaxed);
      sum.statement_time.counts[i] += count;
      sum.statements += count;
    }
    sum.statement_time.nanoseconds += total_.load(std::memory_order_relaxed);
  }

 private:
  // One writer: a plain load and store, no locked instruction.
  static void bump(Counters::Count& count, std::uint64_t amount) noexcept {
    count.store(count.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  std::array<Counters::Count, statement_time_bounds.size() + 1> buckets_{};
  Counters::Count total_{0};
};

}  // namespace tenon::data
