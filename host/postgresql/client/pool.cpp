#include "postgresql/client/pool.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/errors.hpp"
#include "postgresql/client/server_error.hpp"

namespace tenon::data::postgresql {

void BackOff::check() const {
  const std::lock_guard lock(mutex_);
  if (base::monotonic_nanoseconds() < until_)
    throw lost_error("the server was not there a moment ago");
}

std::unique_ptr<Connection> BackOff::connect(const ConnectionOptions& options) {
  check();
  try {
    auto connection = std::make_unique<Connection>(options);
    succeeded();
    return connection;
  } catch (...) {
    failed();
    throw;
  }
}

void BackOff::failed() noexcept {
  const std::lock_guard lock(mutex_);
  pause_ = std::clamp(pause_ * 2, first_back_off, max_back_off);
  until_ = base::monotonic_nanoseconds() +
           std::chrono::duration_cast<std::chrono::nanoseconds>(pause_).count();
}

void BackOff::succeeded() noexcept {
  const std::lock_guard lock(mutex_);
  pause_ = std::chrono::milliseconds(0);
  until_ = 0;
}

std::unique_ptr<Connection> Pool::take(std::int64_t deadline) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (is_closed_) throw closed_error();
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      if (!connection->is_stale()) return connection;
      // The others are of the same age.
      open_ -= 1 + idle_.size();
      idle_.clear();
      continue;
    }
    if (open_ < limit_) break;
    const std::int64_t left = deadline - base::monotonic_nanoseconds();
    if (left <= 0) {
      Counters::add(counters_.busy);
      throw busy_error();
    }
    changed_.wait_for(lock, std::chrono::nanoseconds(left));
  }
  ++open_;
  lock.unlock();
  try {
    return back_off_.connect(options_);
  } catch (...) {
    lock.lock();
    --open_;
    lock.unlock();
    changed_.notify_one();
    throw;
  }
}

void Pool::give(std::unique_ptr<Connection> connection) noexcept {
  std::vector<std::unique_ptr<Connection>> gone;
  {
    const std::lock_guard lock(mutex_);
    if (connection->is_broken()) {
      gone.swap(idle_);
      open_ -= gone.size();
    }
    if (connection->is_broken() || is_closed_) {
      --open_;
      gone.push_back(std::move(connection));
    } else {
      idle_.push_back(std::move(connection));
    }
  }
  changed_.notify_one();
}

void Pool::close() noexcept {
  std::vector<std::unique_ptr<Connection>> gone;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    gone.swap(idle_);
    open_ -= gone.size();
  }
  changed_.notify_all();
}

std::size_t Pool::open() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

}  // namespace tenon::data::postgresql
