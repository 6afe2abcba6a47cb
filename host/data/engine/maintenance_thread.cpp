#include "data/engine/maintenance_thread.hpp"

#include <algorithm>

#include "data/engine/engine.hpp"

namespace tenon::data {

std::shared_ptr<MaintenanceThread> MaintenanceThread::shared() {
  static std::mutex mutex;
  static std::weak_ptr<MaintenanceThread> only;
  const std::lock_guard lock(mutex);
  auto maintenance = only.lock();
  if (!maintenance) {
    maintenance = std::make_shared<MaintenanceThread>();
    only = maintenance;
  }
  return maintenance;
}

MaintenanceThread::MaintenanceThread() : thread_([this] { run(); }) {}

MaintenanceThread::~MaintenanceThread() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void MaintenanceThread::add(OpenEngine* engine) {
  const std::lock_guard lock(mutex_);
  engines_.push_back(engine);
}

void MaintenanceThread::remove(OpenEngine* engine) noexcept {
  std::unique_lock lock(mutex_);
  std::erase(engines_, engine);
  finished_.wait(lock, [&] { return current_ != engine; });
}

void MaintenanceThread::start_watching() noexcept {
  const std::lock_guard lock(mutex_);
  is_watching_.store(true, std::memory_order_seq_cst);
  changed_.notify_all();
}

void MaintenanceThread::wake() noexcept {
  const std::lock_guard lock(mutex_);
  is_hurried_ = true;
  changed_.notify_all();
}

void MaintenanceThread::run() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    changed_.wait(lock, [&] { return is_stopping_ || is_hurried_ || is_watching_.load(); });
    // Cleared before the look: what opens during it watches again.
    is_watching_.store(false, std::memory_order_seq_cst);
    is_hurried_ = false;
    bool has_open = false;
    const std::vector<OpenEngine*> engines = engines_;
    for (OpenEngine* engine : engines) {
      if (std::find(engines_.begin(), engines_.end(), engine) == engines_.end()) continue;
      current_ = engine;
      lock.unlock();
      has_open |= engine->run_maintenance();
      lock.lock();
      current_ = nullptr;
      finished_.notify_all();
    }
    if (has_open) is_watching_.store(true, std::memory_order_seq_cst);
    changed_.wait_for(lock, maintenance_interval, [&] { return is_stopping_ || is_hurried_; });
  }
}

}  // namespace tenon::data
