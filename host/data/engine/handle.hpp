#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/limits.hpp"

namespace tenon::data {

class QueuedWrite;
enum class Fault : std::uint8_t;

/// One user of an engine: the part of a Database that is its own if several share a file or a
/// schema. Counts the writes under way through it, and can pause later ones. Any thread; only one
/// thread at a time pauses, resumes and rejects writes.
class Handle : public std::enable_shared_from_this<Handle> {
 public:
  using OnFault = std::function<void(Fault, std::string_view path, std::string_view reason)>;

  /// Counts one write as under way, from its first wait until it is on disk, undone, or its done()
  /// returned.
  class WriteGuard {
   public:
    WriteGuard() = default;
    WriteGuard(WriteGuard&&) noexcept = default;
    WriteGuard& operator=(WriteGuard&& other) noexcept {
      if (this == &other) return *this;
      leave();
      handle_ = std::move(other.handle_);
      return *this;
    }
    ~WriteGuard() { leave(); }
    WriteGuard(const WriteGuard&) = delete;
    WriteGuard& operator=(const WriteGuard&) = delete;

   private:
    friend class Handle;
    explicit WriteGuard(std::shared_ptr<Handle> handle) noexcept : handle_(std::move(handle)) {}
    void leave() noexcept {
      if (const auto handle = std::move(handle_)) handle->leave();
    }

    std::shared_ptr<Handle> handle_;
  };

  /// A queued write that waits until writes resume.
  struct DeferredWrite {
    std::unique_ptr<QueuedWrite> write;
    std::int64_t deadline = 0;
    std::int64_t latest = 0;  ///< it does not begin after this; monotonic nanoseconds
  };

  Handle(const WaitLimits& waits, OnFault on_fault);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  bool is_closed() const noexcept {
    return (word_.load(std::memory_order_acquire) & closed_bit) != 0;
  }
  /// Throws 503 data.closed.
  void require_open() const;

  /// Begins a write. Waits while writes are paused, until `deadline` and WaitLimits::queue at most.
  /// Throws 503 data.busy, data.closed, and the error of reject_writes().
  WriteGuard enter(std::int64_t deadline);
  /// Begins a write that no thread waits for. While writes are paused, takes `write`, queues it for
  /// resume_writes() and returns nothing. Throws as enter().
  std::optional<WriteGuard> enter_or_defer(DeferredWrite& write);

  /// Makes later writes wait. Returns true once no write is under way. Returns false after
  /// `timeout`; the caller must then call resume_writes().
  bool pause_writes(std::chrono::milliseconds timeout);
  /// Resumes writes. Calls `queue` for each deferred write, in their order, before any later write
  /// begins.
  void resume_writes(const std::function<void(DeferredWrite&, WriteGuard)>& queue);
  /// Refuses waiting and later writes with `error`, until resume_writes().
  void reject_writes(const base::Error& error);
  /// Refuses the deferred writes past their `latest` with 503 data.busy. Returns their number; sets
  /// `has_more` if others still wait.
  std::size_t expire(std::int64_t now, bool& has_more) noexcept;

  /// Refuses waiting and later writes. Returns false if the handle was closed before.
  bool close() noexcept;
  /// Waits until no write is under way.
  void wait_idle() noexcept;

  /// Sets the listener. Once this returns, the former one does not run and will not run.
  void set_on_fault(OnFault on_fault) noexcept;
  void report_fault(Fault fault, std::string_view path, std::string_view reason) noexcept;

 private:
  // The number of writes under way in the low bits; above it the bits that stop further writes.
  static constexpr std::uint64_t paused_bit = std::uint64_t{1} << 32;
  static constexpr std::uint64_t closed_bit = std::uint64_t{1} << 33;
  static constexpr std::uint64_t count_mask = paused_bit - 1;

  bool try_enter() noexcept;
  void leave() noexcept;
  bool is_idle() const noexcept { return (word_.load() & count_mask) == 0; }
  /// Requires the mutex. Throws if the handle is closed or writes are rejected.
  void refuse_if_unusable() const;
  void require_capacity() const;

  const WaitLimits waits_;
  std::atomic<std::uint64_t> word_{0};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<base::Error> failure_;
  std::deque<DeferredWrite> deferred_;
  std::size_t waiting_ = 0;  ///< threads

  std::mutex fault_mutex_;
  OnFault on_fault_;
};

}  // namespace tenon::data
