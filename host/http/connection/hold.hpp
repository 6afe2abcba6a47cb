#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace tenon::http {

/// Requests that wait for a change and are planned again when it ends. Thread-safe.
///
/// The code that makes the change plans requests with the hold, makes the change, has requests
/// planned without the hold, and then releases it. The change must end by itself: a request that
/// waits longer than Limits::hold gets 503.
class Hold {
 public:
  static constexpr std::size_t max_waiting = 10'000;

  /// A request that waits, in at most one hold and once. The code that enters it keeps it alive
  /// until resume() ran or leave() returned true.
  class Waiter {
   public:
    /// Called when the change has ended. Runs on the thread that releases the hold; must not block.
    virtual void resume() noexcept = 0;

   protected:
    virtual ~Waiter() = default;

   private:
    friend class Hold;
    Waiter* previous_waiter_ = nullptr;
    Waiter* next_waiter_ = nullptr;
    std::int64_t waiting_since_ = 0;  // monotonic nanoseconds
  };

  /// `max` is how many may wait at one time.
  explicit Hold(std::size_t max = max_waiting) noexcept : max_(max) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  enum class Entry : std::uint8_t {
    waits,  ///< resume() will be called, perhaps before this returns
    over,   ///< the change has ended already: no one waits
    full    ///< too many wait
  };
  Entry enter(Waiter& waiter) noexcept;
  /// Waits no more. False when resume() was called or is about to be.
  bool leave(Waiter& waiter) noexcept;

  /// Resumes all waiters in the order in which they came. Only the first call has an effect. The
  /// caller holds its own reference to this until it returns.
  void release() noexcept;

  struct Statistics {
    std::size_t waiting = 0;    ///< now
    std::uint64_t waited = 0;   ///< in all, with those who left
    std::uint64_t refused = 0;  ///< because too many waited
    std::int64_t max_wait = 0;  ///< nanoseconds, of those who wait no more
  };
  Statistics statistics() const noexcept;

 private:
  void note_end_of(const Waiter& waiter) noexcept;

  const std::size_t max_;
  mutable std::mutex mutex_;
  bool is_finished_ = false;  // from then on the waiters' links are release()'s
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
  Statistics statistics_;
};

}  // namespace tenon::http
