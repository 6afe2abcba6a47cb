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

/// Who uses an engine: what stands behind one Database where several share a file or a schema. It
/// counts the writes that are under way through it, and can hold those to come. Any thread, but one
/// at a time holds, releases and fails.
class Handle : public std::enable_shared_from_this<Handle> {
 public:
  using OnFault = std::function<void(Fault, std::string_view path, std::string_view reason)>;

  /// One write under way, from its first wait until it is on disk, undone, or told.
  class Entry {
   public:
    Entry() = default;
    Entry(Entry&&) noexcept = default;
    Entry& operator=(Entry&& other) noexcept {
      if (this == &other) return *this;
      leave();
      handle_ = std::move(other.handle_);
      return *this;
    }
    ~Entry() { leave(); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    friend class Handle;
    explicit Entry(std::shared_ptr<Handle> handle) noexcept : handle_(std::move(handle)) {}
    void leave() noexcept {
      if (const auto handle = std::move(handle_)) handle->leave();
    }

    std::shared_ptr<Handle> handle_;
  };

  /// A queued write that is held.
  struct Kept {
    std::unique_ptr<QueuedWrite> write;
    std::int64_t deadline = 0;
    std::int64_t latest = 0;  ///< it is not begun after this; monotonic nanoseconds
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

  /// Begins a write; waits while they are held, until `deadline` and WaitLimits::queue at most.
  /// Throws 503 data.busy, data.closed, and what fail() was given.
  Entry enter(std::int64_t deadline);
  /// The same for a write that nobody waits for: nothing when it is held, and was put into `kept`'s
  /// place among those that wait.
  std::optional<Entry> enter_or_keep(Kept& kept);

  /// From now on writes wait; true once none is under way. After `patience` false: nothing is held
  /// then, and what was kept meanwhile is for release().
  bool hold(std::chrono::milliseconds patience);
  /// Lets writes go on; calls `queue` for each that was kept, in their order, before any that comes
  /// later.
  void release(const std::function<void(Kept&, Entry)>& queue);
  /// Refuses those that wait and those to come with `error`, until release().
  void fail(const base::Error& error);
  /// Refuses the kept whose time is over with 503 data.busy. How many; `has_more`: others stay.
  std::size_t expire(std::int64_t now, bool& has_more) noexcept;

  /// Refuses all from now on, waiting ones too; false when that was so before.
  bool close() noexcept;
  /// Waits until no write is under way.
  void wait_idle() noexcept;

  /// Once this returns, what was set before is not running and will not run.
  void set_on_fault(OnFault on_fault) noexcept;
  void tell(Fault fault, std::string_view path, std::string_view reason) noexcept;

 private:
  // The number of writes under way, and behind it what keeps the next from being one.
  static constexpr std::uint64_t held_bit = std::uint64_t{1} << 32;
  static constexpr std::uint64_t closed_bit = std::uint64_t{1} << 33;
  static constexpr std::uint64_t count_mask = held_bit - 1;

  bool try_enter() noexcept;
  void leave() noexcept;
  bool is_idle() const noexcept { return (word_.load() & count_mask) == 0; }
  /// Under the mutex: what a write that is held is refused with at once.
  void refuse_if_over() const;
  void require_room() const;

  const WaitLimits waits_;
  std::atomic<std::uint64_t> word_{0};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<base::Error> failure_;
  std::deque<Kept> kept_;
  std::size_t waiting_ = 0;  ///< threads

  std::mutex fault_mutex_;
  OnFault on_fault_;
};

}  // namespace tenon::data
