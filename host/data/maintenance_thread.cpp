#include "data/maintenance_thread.hpp"

#include <algorithm>

#include "data/engine.hpp"

namespace tenon::data {

std::shared_ptr<Housekeeper> Housekeeper::shared() {
  static std::mutex mutex;
  static std::weak_ptr<Housekeeper> only;
  const std::lock_guard lock(mutex);
  auto housekeeper = only.lock();
  if (!housekeeper) {
    housekeeper = std::make_shared<Housekeeper>();
    only = housekeeper;
  }
  return housekeeper;
}

Housekeeper::Housekeeper() : thread_([this] { run(); }) {}

Housekeeper::~Housekeeper() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Housekeeper::add(OpenEngine* engine) {
  const std::lock_guard lock(mutex_);
  engines_.push_back(engine);
}

void Housekeeper::remove(OpenEngine* engine) noexcept {
  std::unique_lock lock(mutex_);
  std::erase(engines_, engine);
  finished_.wait(lock, [&] { return current_ != engine; });
}

void Housekeeper::start_watching() noexcept {
  const std::lock_guard lock(mutex_);
  is_watching_.store(true, std::memory_order_seq_cst);
  changed_.notify_all();
}

void Housekeeper::hurry() noexcept {
  const std::lock_guard lock(mutex_);
  is_hurried_ = true;
  changed_.notify_all();
}

void Housekeeper::run() {
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
      has_open |= engine->keep_house();
      lock.lock();
      current_ = nullptr;
      finished_.notify_all();
    }
    if (has_open) is_watching_.store(true, std::memory_order_seq_cst);
    changed_.wait_for(lock, house_round, [&] { return is_stopping_ || is_hurried_; });
  }
}

}  // namespace tenon::data
