#include "observability/request_metrics.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "observability/metrics.hpp"

namespace tenon::observability {

namespace {

constexpr std::array<std::string_view, 5> classes{"1xx", "2xx", "3xx", "4xx", "5xx"};
constexpr std::size_t class_5xx = 4;

}  // namespace

struct RequestMetrics::Counts {
  std::array<Counter, classes.size()> by_class;
  Histogram durations{duration_bounds()};
  std::atomic<std::uint64_t> excused{0};  ///< of class 5xx, no faults
};

RequestMetrics::~RequestMetrics() {
  delete counts_.load(std::memory_order_relaxed);
}

RequestMetrics::Counts& RequestMetrics::counts() noexcept {
  Counts* known = counts_.load(std::memory_order_acquire);
  if (known == nullptr) {
    auto made = std::make_unique<Counts>();
    if (counts_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
      known = made.release();
  }
  return *known;
}

void RequestMetrics::observe(int status, std::int64_t duration_ns) noexcept {
  Counts& all = counts();
  all.by_class[static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1)].add();
  all.durations.observe(static_cast<double>(duration_ns) * 1e-9);
  if (status == 503 || status == 507) all.excused.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t RequestMetrics::requests() const noexcept {
  const Counts* all = counts_.load(std::memory_order_acquire);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; all != nullptr && i < classes.size(); ++i)
    sum += all->by_class[i].value();
  return sum;
}

std::uint64_t RequestMetrics::errors() const noexcept {
  const Counts* all = counts_.load(std::memory_order_acquire);
  return all == nullptr ? 0 : all->by_class[class_5xx].value();
}

std::uint64_t RequestMetrics::faults() const noexcept {
  const Counts* all = counts_.load(std::memory_order_acquire);
  if (all == nullptr) return 0;
  // It is counted after its class: read first, it is never larger.
  const std::uint64_t excused = all->excused.load(std::memory_order_relaxed);
  const std::uint64_t failed = all->by_class[class_5xx].value();
  return failed > excused ? failed - excused : 0;
}

void RequestMetrics::collect(MetricsSink& sink, std::string_view plugin, std::string_view route,
                             std::string_view method) const {
  const Counts* all = counts_.load(std::memory_order_acquire);
  if (all == nullptr) return;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    sink.counter("tenon_http_requests_total", "Finished requests by the class of their status.",
                 {{"plugin", plugin}, {"route", route}, {"method", method}, {"status", classes[i]}},
                 all->by_class[i].value());
  }
  const Histogram::Snapshot now = all->durations.snapshot();
  sink.histogram("tenon_http_request_duration_seconds",
                 "From the first byte of a request to the last byte of its response.",
                 {{"plugin", plugin}, {"route", route}, {"method", method}},
                 all->durations.bounds(), now.buckets, now.sum);
}

}  // namespace tenon::observability
