#pragma once

namespace tenon::observability {

class Metrics;

/// Adds the metrics that Prometheus clients report of their process: process_resident_memory_bytes,
/// process_virtual_memory_bytes, process_virtual_memory_max_bytes, process_cpu_seconds_total,
/// process_open_fds, process_max_fds, process_threads, process_start_time_seconds. Read from /proc
/// at each scrape.
void add_process_metrics(Metrics& metrics);

}  // namespace tenon::observability
