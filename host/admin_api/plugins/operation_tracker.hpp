#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "http/connection/application.hpp"
#include "http/workers/worker_pool.hpp"
#include "routing/route.hpp"

namespace tenon::console {

/// Tracks changes that may take longer than a request. A change that does not finish in time gets
/// the response 202 with its address, and continues; its result is read there. Thread-safe.
/// Finished changes are kept until `max_kept` later ones finish, or the process ends.
class OperationTracker {
 public:
  /// Shorter than the HTTP server waits for a response.
  static constexpr std::chrono::milliseconds max_wait{20'000};
  static constexpr std::size_t max_kept = 32;

  /// `share` runs the requests for results; it outlives every RouteSet made with the route.
  explicit OperationTracker(http::WorkerShare& share, std::chrono::milliseconds wait = max_wait);
  /// No change may run any more when this is called.
  ~OperationTracker();
  OperationTracker(const OperationTracker&) = delete;
  OperationTracker& operator=(const OperationTracker&) = delete;

  /// Runs `work` on the calling thread, and responds with its result or its exception.
  void run(const http::ExchangePtr& exchange, const std::function<http::Response()>& work);

  /// {"id","state":"running"|"done"|"failed","status","answer"}: the response that the request
  /// would have received, once the change has finished. Throws 404 "console.change_unknown".
  std::string describe(std::string_view id) const;

  /// GET /api/core/changes/{id}, for admins.
  routing::Route route();

 private:
  struct Change;
  using Position = std::list<Change>::iterator;
  class Description;

  Position begin(const http::ExchangePtr& exchange);
  void end(Position change, http::Response response);
  void respond_to_slow();

  const std::chrono::milliseconds wait_;
  http::WorkerShare& share_;
  const std::unique_ptr<http::Handler> description_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Change> changes_;  // in the order in which they began
  bool is_stopping_ = false;
  std::thread timer_;  // from the first change on
};

}  // namespace tenon::console
