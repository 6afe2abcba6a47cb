#include "data/engine/handle.hpp"

#include <algorithm>
#include <exception>

#include "base/clock.hpp"
#include "data/database.hpp"
#include "data/errors.hpp"

namespace tenon::data {

namespace {

void refuse(std::deque<Handle::Kept>& refused, const base::Error& error) noexcept {
  for (Handle::Kept& one : refused)
    one.write->done(std::make_exception_ptr(error));
  refused.clear();
}

}  // namespace

Handle::Handle(const WaitLimits& waits, OnFault on_fault)
    : waits_(waits), on_fault_(std::move(on_fault)) {}

Handle::~Handle() = default;

void Handle::require_open() const {
  if (is_closed()) throw closed_error();
}

bool Handle::try_enter() noexcept {
  if (word_.fetch_add(1) < held_bit) return true;
  leave();
  return false;
}

void Handle::leave() noexcept {
  const std::uint64_t before = word_.fetch_sub(1);
  if (before < held_bit || (before & count_mask) != 1) return;
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void Handle::refuse_if_over() const {
  require_open();
  if (failure_) throw base::Error(*failure_);
}

void Handle::require_room() const {
  if (waiting_ + kept_.size() >= waits_.waiting) throw busy_error();
}

Handle::Entry Handle::enter(std::int64_t deadline) {
  if (try_enter()) return Entry(shared_from_this());
  std::unique_lock lock(mutex_);
  const std::int64_t now = base::monotonic_nanoseconds();
  const std::int64_t longest = std::chrono::nanoseconds(waits_.queue).count();
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::nanoseconds(std::min(deadline - now, longest));
  refuse_if_over();
  require_room();
  ++waiting_;
  const bool is_over = !changed_.wait_until(
      lock, until, [&] { return word_.load() < held_bit || failure_ || is_closed(); });
  --waiting_;
  refuse_if_over();
  if (is_over) throw busy_error();
  word_.fetch_add(1);
  return Entry(shared_from_this());
}

std::optional<Handle::Entry> Handle::enter_or_keep(Kept& kept) {
  if (try_enter()) return Entry(shared_from_this());
  const std::lock_guard lock(mutex_);
  refuse_if_over();
  if (word_.load() < held_bit) {
    word_.fetch_add(1);
    return Entry(shared_from_this());
  }
  require_room();
  kept_.push_back(std::move(kept));
  return std::nullopt;
}

bool Handle::hold(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  refuse_if_over();
  word_.fetch_or(held_bit);
  const bool is_held = changed_.wait_for(lock, patience, [&] { return is_idle() || is_closed(); });
  require_open();
  return is_held;
}

void Handle::release(const std::function<void(Kept&, Entry)>& queue) {
  for (;;) {
    std::deque<Kept> batch;
    {
      const std::lock_guard lock(mutex_);
      failure_.reset();
      if (kept_.empty()) {
        word_.fetch_and(~held_bit);
        changed_.notify_all();
        return;
      }
      batch.swap(kept_);
    }
    for (Kept& one : batch) {
      word_.fetch_add(1);
      queue(one, Entry(shared_from_this()));
    }
  }
}

void Handle::fail(const base::Error& error) {
  std::deque<Kept> refused;
  {
    const std::lock_guard lock(mutex_);
    word_.fetch_or(held_bit);
    failure_ = error;
    refused.swap(kept_);
    changed_.notify_all();
  }
  refuse(refused, error);
}

std::size_t Handle::expire(std::int64_t now, bool& has_more) noexcept {
  std::deque<Kept> refused;
  {
    const std::lock_guard lock(mutex_);
    while (!kept_.empty() && kept_.front().latest < now) {
      refused.push_back(std::move(kept_.front()));
      kept_.pop_front();
    }
    has_more |= !kept_.empty();
  }
  const std::size_t count = refused.size();
  refuse(refused, busy_error());
  return count;
}

bool Handle::close() noexcept {
  std::deque<Kept> refused;
  {
    const std::lock_guard lock(mutex_);
    if ((word_.fetch_or(closed_bit) & closed_bit) != 0) return false;
    refused.swap(kept_);
    changed_.notify_all();
  }
  refuse(refused, closed_error());
  return true;
}

void Handle::wait_idle() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_idle(); });
}

void Handle::set_on_fault(OnFault on_fault) noexcept {
  // What the former one holds ends outside the lock.
  const std::lock_guard lock(fault_mutex_);
  on_fault_.swap(on_fault);
}

void Handle::tell(Fault fault, std::string_view path, std::string_view reason) noexcept {
  const std::lock_guard lock(fault_mutex_);
  if (on_fault_) on_fault_(fault, path, reason);
}

}  // namespace tenon::data
