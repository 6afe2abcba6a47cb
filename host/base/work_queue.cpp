#include "lifecycle/fault_queue.hpp"

#include <utility>

namespace tenon::plugins {

FaultQueue::~FaultQueue() {
  stop();
}

void FaultQueue::add(StorageFault fault) {
  const std::lock_guard lock(mutex_);
  if (is_stopping_) return;
  faults_.push_back(std::move(fault));
  changed_.notify_one();
}

void FaultQueue::start() {
  const std::lock_guard lock(mutex_);
  if (!is_stopping_ && !thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void FaultQueue::stop() {
  std::thread ending;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    ending = std::move(thread_);
    changed_.notify_one();
  }
  if (ending.joinable()) ending.join();
}

void FaultQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_stopping_ || !faults_.empty(); });
    if (is_stopping_) return;
    const StorageFault fault = std::move(faults_.front());
    faults_.pop_front();
    lock.unlock();
    handle_(fault);
    lock.lock();
  }
}

}  // namespace tenon::plugins
