#include "base/work_queue.hpp"

#include <utility>

namespace tenon::base {

WorkQueue::~WorkQueue() {
  stop();
}

void WorkQueue::add(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (is_stopping_) return;
  tasks_.push_back(std::move(task));
  changed_.notify_one();
}

void WorkQueue::start() {
  const std::lock_guard lock(mutex_);
  if (!is_stopping_ && !thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void WorkQueue::stop() {
  std::thread ending;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    ending = std::move(thread_);
    changed_.notify_one();
  }
  if (ending.joinable()) ending.join();
}

void WorkQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_stopping_ || !tasks_.empty(); });
    if (is_stopping_) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it holds is released without the lock
    lock.lock();
  }
}

}  // namespace tenon::base
