#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_slot.hpp"

namespace tenon::observability {

/// The shards of a counter, so that threads that count rarely share a cache line. Each of the first
/// `own` shards belongs to one thread, by its base::ThreadSlot: it counts there without a locked
/// operation. All other threads share the rest. As many of each as the next power of two of the
/// number of cores, at most 16.
class MetricShards {
 public:
  MetricShards() noexcept;

  struct Mine {
    std::size_t shard;
    bool is_own;  ///< no other thread writes there
  };
  Mine mine() const noexcept {
    const std::size_t slot = base::ThreadSlot::mine();
    if (slot < own_) return {slot, true};
    return {own_ + (slot & (own_ - 1)), false};
  }
  std::size_t count() const noexcept { return 2 * own_; }

 private:
  std::size_t own_;
};

/// Only grows.
class Counter {
 public:
  Counter();
  void add(std::uint64_t count = 1) noexcept {
    const MetricShards::Mine mine = slots_.mine();
    std::atomic<std::uint64_t>& value = shards_[mine.shard].value;
    if (mine.is_own)
      value.store(value.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    else
      value.fetch_add(count, std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept;

 private:
  struct alignas(64) Shard {
    std::atomic<std::uint64_t> value{0};
  };
  const MetricShards slots_;
  std::unique_ptr<Shard[]> shards_;
};

/// Goes up and down.
class Gauge {
 public:
  void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(double value) noexcept { value_.fetch_add(value, std::memory_order_relaxed); }
  double value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

/// Bounds of request durations, seconds.
std::span<const double> duration_bounds() noexcept;

/// Counts observations in buckets (upper bounds, inclusive, ascending; the last bucket is +Inf) and
/// their sum.
class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds);
  void observe(double value) noexcept;

  struct Snapshot {
    std::vector<std::uint64_t> buckets;  ///< not cumulative; one more than bounds
    double sum = 0;
  };
  Snapshot snapshot() const;
  std::span<const double> bounds() const noexcept { return bounds_; }

 private:
  // A shard is whole cache lines: one word a bucket, then the sum as the bits of a double.
  struct alignas(64) Line {
    std::array<std::atomic<std::uint64_t>, 8> words{};
  };
  std::atomic<std::uint64_t>& word(std::size_t shard, std::size_t index) const noexcept;

  const MetricShards slots_;
  std::vector<double> bounds_;
  std::size_t lines_per_shard_;
  std::unique_ptr<Line[]> lines_;
};

struct Label {
  std::string_view name;
  std::string_view value;
};
using Labels = std::initializer_list<Label>;

/// Takes the samples that a collector adds while /metrics is written.
class MetricsSink {
 public:
  virtual void counter(std::string_view name, std::string_view help, Labels labels,
                       std::uint64_t value) = 0;
  /// A counter of what is no whole number: seconds.
  virtual void fractional_counter(std::string_view name, std::string_view help, Labels labels,
                                  double value) = 0;
  virtual void gauge(std::string_view name, std::string_view help, Labels labels, double value) = 0;
  /// `buckets` are not cumulative and one more than `bounds`.
  virtual void histogram(std::string_view name, std::string_view help, Labels labels,
                         std::span<const double> bounds, std::span<const std::uint64_t> buckets,
                         double sum) = 0;

 protected:
  ~MetricsSink() = default;
};

/// All metrics of the process. Asking twice for one name and labels gives the same object, which
/// lives as long as the registry; look it up once, not in the hot path. Names follow Prometheus:
/// tenon_<room>_<what>_<unit>, counters end in _total. Misuse (a malformed name, one name for two
/// kinds) is a std::logic_error. A family holds at most `max_series` series; further ones share a
/// series whose labels are all "other". Thread-safe.
class Metrics {
 public:
  static constexpr std::size_t max_series = 2000;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter& counter(std::string_view name, std::string_view help, Labels labels = {});
  Gauge& gauge(std::string_view name, std::string_view help, Labels labels = {});
  Histogram& histogram(std::string_view name, std::string_view help, Labels labels = {},
                       std::span<const double> bounds = duration_bounds());

  /// `collector` is called at every write; for values that are kept elsewhere. It must be
  /// thread-safe and must not use this registry.
  void add_collector(std::function<void(MetricsSink&)> collector);

  /// The whole text of /metrics (Prometheus exposition format 0.0.4), families and series sorted by
  /// name.
  std::string prometheus() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Media type of Metrics::prometheus().
inline constexpr std::string_view prometheus_media_type =
    "text/plain; version=0.0.4; charset=utf-8";

}  // namespace tenon::observability
