#include "lifecycle/rounds.hpp"

#include <utility>

namespace tenon::plugins {

PeriodicTask::~PeriodicTask() {
  stop();
}

void PeriodicTask::start() {
  const std::lock_guard lock(mutex_);
  if (pause_.count() == 0 || is_stopping_ || thread_.joinable()) return;
  thread_ = std::thread([this] { run(); });
}

void PeriodicTask::stop() {
  std::thread ending;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    ending = std::move(thread_);
    changed_.notify_one();
  }
  if (ending.joinable()) ending.join();
}

void PeriodicTask::run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pause_, [this] { return is_stopping_; })) {
    lock.unlock();
    work_();
    lock.lock();
  }
}

}  // namespace tenon::plugins
