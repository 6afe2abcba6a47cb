#include "base/periodic_task.hpp"

namespace tenon::base {

PeriodicTask::~PeriodicTask() {
  stop();
}

void PeriodicTask::start() {
  if (pause_.count() != 0) start(false);
}

void PeriodicTask::start_now() {
  start(true);
}

void PeriodicTask::start(bool is_woken) {
  const std::lock_guard lock(mutex_);
  if (is_stopping_ || thread_.joinable()) return;
  is_woken_ = is_woken_ || is_woken;
  thread_ = std::thread([this] { run(); });
}

void PeriodicTask::wake() {
  const std::lock_guard lock(mutex_);
  is_woken_ = true;
  changed_.notify_one();
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
  const auto is_due = [this] { return is_stopping_ || is_woken_; };
  while (true) {
    if (pause_.count() == 0)
      changed_.wait(lock, is_due);
    else
      changed_.wait_for(lock, pause_, is_due);
    if (is_stopping_) return;
    is_woken_ = false;
    lock.unlock();
    work_();
    lock.lock();
  }
}

}  // namespace tenon::base
