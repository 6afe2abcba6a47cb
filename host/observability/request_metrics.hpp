#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace tenon::observability {

class MetricsSink;

/// Counts the requests of one route: tenon_http_requests_total{plugin,route,method,status} with the
/// status class "2xx" and tenon_http_request_duration_seconds{plugin,route,method}. Thread-safe,
/// without locks. Takes no memory for counts, and adds no samples, before the first request.
class RequestMetrics {
 public:
  RequestMetrics() noexcept = default;
  ~RequestMetrics();
  RequestMetrics(const RequestMetrics&) = delete;
  RequestMetrics& operator=(const RequestMetrics&) = delete;

  void observe(int status, std::int64_t duration_ns) noexcept;

  std::uint64_t requests() const noexcept;
  /// Responses of class 5xx.
  std::uint64_t errors() const noexcept;
  /// The errors but 503 and 507: neither "not now" nor "disk full" is a fault of the route's code.
  std::uint64_t faults() const noexcept;

  /// Adds the samples. `plugin` is "core" for the host's own routes, `route` the pattern, never the
  /// path, `method` that of the route ("GET" counts HEAD too).
  void collect(MetricsSink& sink, std::string_view plugin, std::string_view route,
               std::string_view method) const;

 private:
  struct Counts;
  Counts& counts() noexcept;

  std::atomic<Counts*> counts_{nullptr};
};

}  // namespace tenon::observability
