#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "http/limits.hpp"

namespace tenon::http {

class Application;
class WorkerPool;

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;   ///< 0 picks a free one
  int listening = -1;          ///< a socket that listens on them already, taken over; -1: none
  std::size_t io_threads = 0;  ///< 0: one a core
  std::vector<std::string>
      trusted_proxies;  ///< addresses or CIDR blocks whose Forwarded/X-Forwarded-* headers count
  /// Runs handlers that measured as quick on I/O threads instead of workers.
  bool runs_quick_handlers = true;
  /// Nanoseconds that the clock of deadlines is ahead of the monotonic one, so that tests can let
  /// time pass; outlives the server. Null: none.
  const std::atomic<std::int64_t>* clock_lead = nullptr;
  /// Each I/O thread counts in one of them, in order, at its start and when a connection is
  /// accepted anywhere, at most once a second. A supervisor connects to see whether they count.
  /// They outlive the server.
  std::span<std::atomic<std::uint64_t>> beats = {};
  Limits limits;
};

/// Counters since the start; read without a lock, each for itself.
struct ServerStatistics {
  std::uint64_t accepted = 0;
  std::uint64_t open = 0;
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;  ///< heads that were no valid request
  std::uint64_t event_streams = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
};

/// The HTTP/1.1 server on the public port: I/O threads that own connections and do not block.
/// Handlers of routes with a share run on workers; one that has measured as quick runs on an I/O
/// thread, which loses its connections to another thread when the handler keeps it after all.
/// `application` and `workers` must live until the pool is stopped, which comes after the server's
/// end.
class Server {
 public:
  /// Binds at once, unless there is ServerOptions::listening; throws base::Error 500
  /// "http.listen_failed" naming the address and the reason. Serves after start().
  Server(ServerOptions options, Application& application, WorkerPool& workers);
  ~Server();

  void start();
  std::uint16_t port() const noexcept;

  /// Stops accepting, lets requests in flight finish and idle connections close, then cuts what is
  /// left at the deadline. Returns when all threads ended.
  void stop(std::chrono::milliseconds deadline);

  ServerStatistics statistics() const noexcept;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::http
