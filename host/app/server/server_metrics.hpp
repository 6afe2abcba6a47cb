#pragma once

#include "http/loop/server.hpp"
#include "http/workers/worker_pool.hpp"

namespace tenon::observability {
class MetricsSink;
}

namespace tenon::app {

/// tenon_build_info, whose labels say what runs.
void write_build_info(observability::MetricsSink& sink);

/// Writes connections, bytes, queue and refusals of the HTTP server, and the log.
void write_server_metrics(observability::MetricsSink& sink, const http::ServerStatistics& front,
                          const http::WorkerPool::Statistics& workers);

}  // namespace tenon::app
