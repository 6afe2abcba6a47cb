#include "http/loop/timers.hpp"

#include <algorithm>

namespace tenon::http {

Timers::Timers(std::int64_t now) noexcept : tick_(now >> grain_bits), first_(tick_ + 1) {}

void Timers::link(Timer& timer) noexcept {
  // A timer beyond the wheel's horizon is looked at and scheduled again.
  const std::int64_t wanted = (timer.due_ >> grain_bits) + 1;
  timer.tick_ = std::clamp(wanted, tick_ + 1, tick_ + static_cast<std::int64_t>(slots) - 1);
  first_ = std::min(first_, timer.tick_);
  Timer*& head = slot(timer.tick_);
  timer.previous_ = nullptr;
  timer.next_ = head;
  if (head != nullptr) head->previous_ = &timer;
  head = &timer;
  const std::size_t index = static_cast<std::size_t>(timer.tick_) % slots;
  occupied_[index / 64] |= std::uint64_t{1} << (index % 64);
  ++count_;
}

void Timers::unlink(Timer& timer) noexcept {
  Timer*& head = slot(timer.tick_);
  if (timer.previous_ != nullptr)
    timer.previous_->next_ = timer.next_;
  else
    head = timer.next_;
  if (timer.next_ != nullptr) timer.next_->previous_ = timer.previous_;
  if (head == nullptr) {
    const std::size_t index = static_cast<std::size_t>(timer.tick_) % slots;
    occupied_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  }
  timer.previous_ = timer.next_ = nullptr;
  timer.tick_ = -1;
  --count_;
}

void Timers::schedule(Timer& timer, std::int64_t due) noexcept {
  timer.due_ = due;
  if (timer.tick_ >= 0) {
    if (timer.tick_ <= (due >> grain_bits) + 1) return;
    unlink(timer);
  }
  link(timer);
}

void Timers::cancel(Timer& timer) noexcept {
  if (timer.tick_ >= 0) unlink(timer);
}

void Timers::run(std::int64_t now) noexcept {
  const std::int64_t target = now >> grain_bits;
  if (count_ == 0) {
    tick_ = std::max(tick_, target);
    return;
  }
  // After a long sleep every slot is looked at once.
  if (target - tick_ > static_cast<std::int64_t>(slots))
    tick_ = target - static_cast<std::int64_t>(slots);
  while (tick_ < target) {
    ++tick_;
    while (Timer* timer = slot(tick_)) {
      const std::int64_t due = timer->due_;
      unlink(*timer);
      if (due > now)
        link(*timer);
      else
        timer->on_timer();
    }
  }
}

int Timers::next_timeout(std::int64_t now) noexcept {
  if (count_ == 0) return -1;
  for (std::int64_t tick = std::max(first_, tick_ + 1);
       tick < tick_ + static_cast<std::int64_t>(slots);) {
    const std::size_t index = static_cast<std::size_t>(tick) % slots;
    const std::uint64_t rest = occupied_[index / 64] >> (index % 64);
    if (rest == 0) {
      tick += static_cast<std::int64_t>(64 - index % 64);
      continue;
    }
    tick += __builtin_ctzll(rest);
    first_ = tick;
    const std::int64_t wait = (tick << grain_bits) - now;
    return wait <= 0 ? 0 : static_cast<int>(wait / 1'000'000 + 1);
  }
  return 0;
}

}  // namespace tenon::http
