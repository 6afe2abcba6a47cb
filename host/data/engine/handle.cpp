#include "data/engine/handle.hpp"

#include <algorithm>
#include <exception>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/database.hpp"
#include "data/errors.hpp"

namespace tenon::data {

namespace {

void refuse(std::deque<Handle::DeferredWrite>& refused, const base::Error& error) noexcept {
  for (Handle::DeferredWrite& one : refused)
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
  if (word_.fetch_add(1) < paused_bit) return true;
  leave();
  return false;
}

void Handle::leave() noexcept {
  const std::uint64_t before = word_.fetch_sub(1);
  if (before < paused_bit || (before & count_mask) != 1) return;
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void Handle::refuse_if_unusable() const {
  require_open();
  if (failure_) throw base::Error(*failure_);
}

void Handle::require_capacity() const {
  if (waiting_ + deferred_.size() >= waits_.waiting) throw busy_error();
}

Handle::WriteGuard Handle::enter(std::int64_t deadline) {
  if (try_enter()) return WriteGuard(shared_from_this());
  std::unique_lock lock(mutex_);
  const std::int64_t now = base::monotonic_nanoseconds();
  const std::int64_t queue_timeout = std::chrono::nanoseconds(waits_.queue).count();
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::nanoseconds(std::min(deadline - now, queue_timeout));
  refuse_if_unusable();
  require_capacity();
  ++waiting_;
  const bool has_timed_out = !changed_.wait_until(
      lock, until, [&] { return word_.load() < paused_bit || failure_ || is_closed(); });
  --waiting_;
  refuse_if_unusable();
  if (has_timed_out) throw busy_error();
  word_.fetch_add(1);
  return WriteGuard(shared_from_this());
}

std::optional<Handle::WriteGuard> Handle::enter_or_defer(DeferredWrite& write) {
  if (try_enter()) return WriteGuard(shared_from_this());
  const std::lock_guard lock(mutex_);
  refuse_if_unusable();
  if (word_.load() < paused_bit) {
    word_.fetch_add(1);
    return WriteGuard(shared_from_this());
  }
  require_capacity();
  deferred_.push_back(std::move(write));
  return std::nullopt;
}

bool Handle::pause_writes(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  refuse_if_unusable();
  word_.fetch_or(paused_bit);
  const bool is_idle_now =
      changed_.wait_for(lock, timeout, [&] { return is_idle() || is_closed(); });
  require_open();
  return is_idle_now;
}

void Handle::resume_writes(const std::function<void(DeferredWrite&, WriteGuard)>& queue) {
  for (;;) {
    std::deque<DeferredWrite> batch;
    {
      const std::lock_guard lock(mutex_);
      failure_.reset();
      if (deferred_.empty()) {
        word_.fetch_and(~paused_bit);
        changed_.notify_all();
        return;
      }
      batch.swap(deferred_);
    }
    for (DeferredWrite& one : batch) {
      word_.fetch_add(1);
      queue(one, WriteGuard(shared_from_this()));
    }
  }
}

void Handle::reject_writes(const base::Error& error) {
  std::deque<DeferredWrite> refused;
  {
    const std::lock_guard lock(mutex_);
    word_.fetch_or(paused_bit);
    failure_ = error;
    refused.swap(deferred_);
    changed_.notify_all();
  }
  refuse(refused, error);
}

std::size_t Handle::expire(std::int64_t now, bool& has_more) noexcept {
  std::deque<DeferredWrite> refused;
  {
    const std::lock_guard lock(mutex_);
    while (!deferred_.empty() && deferred_.front().latest < now) {
      refused.push_back(std::move(deferred_.front()));
      deferred_.pop_front();
    }
    has_more |= !deferred_.empty();
  }
  const std::size_t count = refused.size();
  refuse(refused, busy_error());
  return count;
}

bool Handle::close() noexcept {
  std::deque<DeferredWrite> refused;
  {
    const std::lock_guard lock(mutex_);
    if ((word_.fetch_or(closed_bit) & closed_bit) != 0) return false;
    refused.swap(deferred_);
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
  // The former listener is destroyed after the lock is released.
  const std::lock_guard lock(fault_mutex_);
  on_fault_.swap(on_fault);
}

void Handle::report_fault(Fault fault, std::string_view path, std::string_view reason) noexcept {
  const std::lock_guard lock(fault_mutex_);
  if (on_fault_) on_fault_(fault, path, reason);
}

}  // namespace tenon::data
