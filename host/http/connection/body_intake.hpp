#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "http/connection/exchange.hpp"
#include "http/workers/worker_pool.hpp"

namespace tenon::http {

class ActiveExchange;

/// Carries a streamed request body from the I/O thread to its sink, one call at a time, on workers.
class BodyIntake final : public WorkerJob {
 public:
  explicit BodyIntake(ActiveExchange& exchange) noexcept : exchange_(exchange) {}

  /// Called by the handler, on any thread. Further sinks are dropped.
  void set_sink(std::unique_ptr<BodySink> sink);
  bool has_sink() const noexcept { return has_sink_.load(std::memory_order_acquire); }

  // The connection's thread.
  /// True when nothing is under way, so that add() and send() may be called.
  bool is_free() const noexcept { return has_sink() && !is_busy_.load(std::memory_order_acquire); }
  void add(std::string_view bytes) {
    if (!is_finished_) bytes_.append(bytes);
  }
  bool has_bytes() const noexcept { return !bytes_.empty(); }
  /// Makes a worker hand over what was added, then the end if `is_end`.
  void send(bool is_end);
  /// Reports that no more bytes will come, with `status` as for BodySink::on_abort. Queued after
  /// the bytes that wait; ignored after end().
  void abort(int status) noexcept;

  void run() noexcept override;

 private:
  enum class Call : std::uint8_t { data, end, abort };
  void schedule() noexcept;
  bool make(Call call) noexcept;

  ActiveExchange& exchange_;
  std::atomic<bool> has_sink_{false};
  std::atomic<bool> is_busy_{false};
  std::mutex mutex_;
  std::unique_ptr<BodySink> sink_;
  ExchangePtr handle_;  // while the sink lives: it may still respond, by throwing
  std::string bytes_;   // the I/O thread's while nothing is under way, else the worker's
  int abort_status_ = 0;
  bool must_end_ = false;
  bool must_abort_ = false;
  bool is_finished_ = false;  // end or abort was handed to the sink
};

}  // namespace tenon::http
