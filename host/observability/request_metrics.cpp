#include "observability/request_metrics.hpp"

#include <algorithm>

#include "observability/metrics.hpp"

namespace tenon::observability {

RequestMetrics::RequestMetrics(Metrics& metrics, std::string_view plugin, std::string_view route,
                               std::string_view method) {
  static constexpr std::array<std::string_view, 5> classes{"1xx", "2xx", "3xx", "4xx", "5xx"};
  for (std::size_t i = 0; i < classes.size(); ++i) {
    by_class_[i] = &metrics.counter(
        "tenon_http_requests_total", "Finished requests by the class of their status.",
        {{"plugin", plugin}, {"route", route}, {"method", method}, {"status", classes[i]}});
  }
  durations_ =
      &metrics.histogram("tenon_http_request_duration_seconds",
                         "From the first byte of a request to the last byte of its response.",
                         {{"plugin", plugin}, {"route", route}, {"method", method}});
}

void RequestMetrics::observe(int status, std::int64_t duration_ns) noexcept {
  by_class_[static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1)]->add();
  durations_->observe(static_cast<double>(duration_ns) * 1e-9);
  if (status == 503 || status == 507) excused_.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t RequestMetrics::requests() const noexcept {
  std::uint64_t sum = 0;
  for (const Counter* counter : by_class_)
    sum += counter->value();
  return sum;
}

std::uint64_t RequestMetrics::errors() const noexcept {
  return by_class_[4]->value();
}

std::uint64_t RequestMetrics::faults() const noexcept {
  // It is counted after its class: read first, it is never larger.
  const std::uint64_t excused = excused_.load(std::memory_order_relaxed);
  const std::uint64_t all = errors();
  return all > excused ? all - excused : 0;
}

}  // namespace tenon::observability
