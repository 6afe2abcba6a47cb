#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace tenon::observability {

class Counter;
class Histogram;
class Metrics;

/// Counts the requests of one route: tenon_http_requests_total{plugin,route,method,status} with the
/// status class "2xx" and tenon_http_request_duration_seconds{plugin,route,method}. Made once a
/// route, then used from any thread without locks.
class RequestMetrics {
 public:
  /// `plugin` is "core" for the host's own routes, `route` the pattern, never the path, `method`
  /// that of the route ("GET" counts HEAD too).
  RequestMetrics(Metrics& metrics, std::string_view plugin, std::string_view route,
                 std::string_view method);

  void observe(int status, std::int64_t duration_ns) noexcept;

  std::uint64_t requests() const noexcept;
  /// Responses of class 5xx.
  std::uint64_t errors() const noexcept;
  /// The errors but 503 and 507: neither "not now" nor "disk full" is a fault of the route's code.
  std::uint64_t faults() const noexcept;

 private:
  std::array<Counter*, 5> by_class_{};
  Histogram* durations_ = nullptr;
  std::atomic<std::uint64_t> excused_{0};  ///< of class 5xx, no faults
};

}  // namespace tenon::observability
