#include "app/server/server_metrics.hpp"

#include <string>

#include "app/version.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "sqlite/connection/version.hpp"

namespace tenon::app {

void write_build_info(observability::MetricsSink& sink) {
  const std::string abi = std::to_string(abi_major) + "." + std::to_string(abi_minor);
  sink.gauge("tenon_build_info", "What runs; always 1.",
             {{"version", host_version}, {"abi", abi}, {"sqlite", data::sqlite::sqlite_version()}},
             1);
}

void write_server_metrics(observability::MetricsSink& sink, const http::ServerStatistics& front,
                          const http::WorkerPool::Statistics& workers) {
  const auto number = [](auto count) { return static_cast<double>(count); };
  sink.counter("tenon_http_connections_accepted_total", "Connections accepted.", {},
               front.accepted);
  sink.gauge("tenon_http_connections", "Connections open.", {}, number(front.open));
  sink.gauge("tenon_http_event_streams", "Event streams open.", {}, number(front.event_streams));
  sink.counter("tenon_http_refused_total",
               "Refused: what was no valid request, and requests that found the queue full.",
               {{"reason", "invalid"}}, front.refused);
  sink.counter("tenon_http_refused_total", "", {{"reason", "overloaded"}}, workers.refused);
  sink.counter("tenon_http_received_bytes_total", "Bytes received.", {}, front.bytes_received);
  sink.counter("tenon_http_sent_bytes_total", "Bytes sent.", {}, front.bytes_sent);
  sink.gauge("tenon_http_queue_requests", "Requests that wait for a worker.", {},
             number(workers.waiting));
  sink.gauge("tenon_http_workers", "Worker threads that were started.", {},
             number(workers.threads));
  sink.gauge("tenon_http_workers_busy", "Workers that run a request.", {}, number(workers.running));
  sink.counter("tenon_log_dropped_lines_total", "Log lines dropped because the log was not taken.",
               {}, observability::log().dropped());
}

}  // namespace tenon::app
