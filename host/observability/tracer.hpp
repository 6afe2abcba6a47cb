#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "observability/trace.hpp"

namespace tenon::observability {

class Metrics;

struct TraceOptions {
  double sample = 0;        ///< part of the requests without a caller's trace, 0 to 1
  std::size_t rate = 100;   ///< traces begun in a second; more are not traced
  std::string file;         ///< appended to, an object a line; empty: none
  std::string endpoint;     ///< "http://127.0.0.1:4318/v1/traces"; empty: none
  std::string version;      ///< of the host
  std::size_t queue = 512;  ///< finished traces that wait to be written; more are dropped
  std::uint64_t file_bytes = 64ULL * 1024 * 1024;  ///< then the file is renamed to "<file>.1"
};

/// Decides which requests are traced, and writes what they did as OTLP/JSON on a thread of its own:
/// no request ever waits for it.
/// Thread-safe.
class Tracer {
 public:
  static constexpr std::size_t batch_traces = 64;  ///< in one object

  /// One that exports nothing: its traces are for the recorder (recorder.hpp).
  Tracer() noexcept;
  /// Throws base::Error 500 "observability.trace_file" when the file cannot be written.
  Tracer(TraceOptions options, Metrics& metrics);
  /// Writes what is queued; gives up on an endpoint that does not respond.
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// `traceparent` is the request's only field of that name, or empty. A valid one decides: sampled
  /// or not. Else the ratio does. Null: not traced.
  std::unique_ptr<Trace> begin(std::string_view traceparent) noexcept;

  /// Takes a trace to which nothing is added any more; records it where its plugin is watched.
  void submit(std::unique_ptr<Trace> trace) noexcept;

 private:
  bool is_within_rate() noexcept;

  class Exporter;
  const TraceOptions options_{};
  std::atomic<std::uint64_t> second_{0};  ///< the current second, and how many began in it
  std::unique_ptr<Exporter> exporter_;    // null: exports nothing
};

}  // namespace tenon::observability
