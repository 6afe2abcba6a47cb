#include "bridge/bounded_call.hpp"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

namespace tenon::plugins {

struct BoundedThread::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> work;
  bool is_last = false;

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return work || is_last; });
      if (!work) return;
      lock.unlock();
      work();
      lock.lock();
      work = nullptr;
      const bool was_last = is_last;
      lock.unlock();
      changed.notify_one();
      if (was_last) return;
      lock.lock();
    }
  }
};

BoundedThread::~BoundedThread() {
  end();
}

bool BoundedThread::run(std::function<void()> work, std::chrono::milliseconds timeout) {
  return run(std::move(work), timeout, false);
}

bool BoundedThread::run_last(std::function<void()> work, std::chrono::milliseconds timeout) {
  return run(std::move(work), timeout, true);
}

bool BoundedThread::run(std::function<void()> work, std::chrono::milliseconds timeout,
                        bool is_last) {
  if (!shared_) shared_ = std::make_shared<Shared>();
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->work = std::move(work);
    shared_->is_last = is_last;
  }
  if (thread_.joinable()) {
    shared_->changed.notify_one();
  } else {
    try {
      thread_ = std::thread([shared = shared_] { shared->serve(); });
    } catch (const std::system_error&) {
      std::exchange(shared_->work, nullptr)();
      return true;
    }
  }
  std::unique_lock lock(shared_->mutex);
  const bool is_done = shared_->changed.wait_for(lock, timeout, [this] { return !shared_->work; });
  // No longer owned by this object; the thread ends if its work ever returns.
  if (!is_done) shared_->is_last = true;
  lock.unlock();
  if (!is_done)
    thread_.detach();
  else if (is_last)
    thread_.join();
  return is_done;
}

void BoundedThread::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->is_last = true;
  }
  shared_->changed.notify_one();
  thread_.join();
}

bool run_bounded(std::function<void()> work, std::chrono::milliseconds timeout) {
  return BoundedThread().run_last(std::move(work), timeout);
}

}  // namespace tenon::plugins
