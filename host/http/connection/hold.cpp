#include "http/connection/hold.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"

namespace tenon::http {

Hold::Entry Hold::enter(Waiter& waiter) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_finished_) return Entry::over;
  if (statistics_.waiting >= max_) {
    ++statistics_.refused;
    return Entry::full;
  }
  waiter.waiting_since_ = base::monotonic_nanoseconds();
  waiter.previous_waiter_ = last_;
  waiter.next_waiter_ = nullptr;
  (last_ == nullptr ? first_ : last_->next_waiter_) = &waiter;
  last_ = &waiter;
  ++statistics_.waiting;
  ++statistics_.waited;
  return Entry::waits;
}

bool Hold::leave(Waiter& waiter) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_finished_) return false;
  note_end_of(waiter);
  Waiter* const previous = waiter.previous_waiter_;
  Waiter* const next = waiter.next_waiter_;
  (previous == nullptr ? first_ : previous->next_waiter_) = next;
  (next == nullptr ? last_ : next->previous_waiter_) = previous;
  --statistics_.waiting;
  return true;
}

void Hold::release() noexcept {
  Waiter* waiter = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_finished_, true)) return;
    waiter = std::exchange(first_, nullptr);
    last_ = nullptr;
    statistics_.waiting = 0;
    // The first one that came has waited longest.
    if (waiter != nullptr) note_end_of(*waiter);
  }
  while (waiter != nullptr) {
    // One that was resumed may enter another hold at once, or be gone.
    Waiter* const next = waiter->next_waiter_;
    waiter->resume();
    waiter = next;
  }
}

Hold::Statistics Hold::statistics() const noexcept {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

void Hold::note_end_of(const Waiter& waiter) noexcept {
  statistics_.max_wait =
      std::max(statistics_.max_wait, base::monotonic_nanoseconds() - waiter.waiting_since_);
}

}  // namespace tenon::http
