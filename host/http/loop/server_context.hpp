#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "http/loop/server.hpp"
#include "http/parser/forwarded.hpp"
#include "http/workers/worker_pool.hpp"

namespace tenon::http {

class Application;

/// The state that all I/O threads of one HTTP server share. Outlives every exchange's use of it:
/// the server ends only after its threads, and exchanges that live longer touch nothing but their
/// own memory.
struct ServerContext {
  ServerContext(ServerOptions http_options, Application& layer_above, WorkerPool& pool)
      : options(std::move(http_options)),
        application(layer_above),
        workers(pool),
        own_share(pool.make_share("http")),
        proxies(std::make_shared<const AddressBlocks>(options.trusted_proxies)) {}

  /// Returns what deadlines are measured by, in nanoseconds. Thread-safe.
  std::int64_t now() const noexcept {
    const std::int64_t now = base::monotonic_nanoseconds();
    return options.clock_lead == nullptr
               ? now
               : now + options.clock_lead->load(std::memory_order_relaxed);
  }

  const ServerOptions options;
  Application& application;
  WorkerPool& workers;
  std::shared_ptr<WorkerShare>
      own_share;  ///< for the calls of routes without a share that belong on a worker
  std::shared_ptr<const AddressBlocks> proxies;
  std::atomic<std::uint64_t> body_memory{0};  ///< bytes of whole bodies in memory
};

}  // namespace tenon::http
