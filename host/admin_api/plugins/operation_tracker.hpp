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

/// Changes that may take longer than a request may: one that is not over in time is answered 202
/// with its address, goes on, and is asked for there. Thread-safe; what is over is remembered until
/// `max_kept` others are, or the process ends.
class OperationTracker {
 public:
  /// Shorter than the front waits for an answer.
  static constexpr std::chrono::milliseconds max_wait{20'000};
  static constexpr std::size_t max_kept = 32;

  /// `share` is where they are asked for; it outlives every RouteSet made with the route.
  explicit OperationTracker(http::WorkerShare& share, std::chrono::milliseconds wait = max_wait);
  /// No change may run any more.
  ~OperationTracker();
  OperationTracker(const OperationTracker&) = delete;
  OperationTracker& operator=(const OperationTracker&) = delete;

  /// Runs `work`, and answers with what it gives or throws; by the thread that calls.
  void run(const http::ExchangePtr& exchange, const std::function<http::Response()>& work);

  /// {"id","state":"running"|"done"|"failed","status","answer"}: what the request would have been
  /// answered with, once it is over. Throws 404 "console.change_unknown".
  std::string describe(std::string_view id) const;

  /// GET /api/core/changes/{id}, for admins.
  routing::Route route();

 private:
  struct Change;
  using Place = std::list<Change>::iterator;
  class Description;

  Place begin(const http::ExchangePtr& exchange);
  void end(Place change, http::Response response);
  void tell_slow();

  const std::chrono::milliseconds wait_;
  http::WorkerShare& share_;
  const std::unique_ptr<http::Handler> description_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Change> changes_;  // in the order in which they began
  bool is_over_ = false;
  std::thread teller_;  // from the first change on
};

}  // namespace tenon::console
