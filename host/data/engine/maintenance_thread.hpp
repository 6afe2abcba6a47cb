#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tenon::data {

class OpenEngine;

/// How late an abandoned transaction may be undone after its deadline.
inline constexpr std::chrono::milliseconds maintenance_interval{50};

/// One thread for all databases of the process: it ends transactions at their deadlines and copies
/// logs. It sleeps while no transaction is open. Starts with the first database, ends with the
/// last.
class MaintenanceThread {
 public:
  static std::shared_ptr<MaintenanceThread> shared();

  MaintenanceThread();
  ~MaintenanceThread();
  MaintenanceThread(const MaintenanceThread&) = delete;
  MaintenanceThread& operator=(const MaintenanceThread&) = delete;

  void add(OpenEngine* engine);
  /// Returns when no round of this engine runs.
  void remove(OpenEngine* engine) noexcept;

  /// A transaction was opened. Cheap while rounds are made.
  void watch() noexcept {
    if (!is_watching_.load(std::memory_order_seq_cst)) start_watching();
  }
  /// There is something to do now.
  void wake() noexcept;

 private:
  void run();
  void start_watching() noexcept;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable finished_;
  std::vector<OpenEngine*> engines_;
  OpenEngine* current_ = nullptr;
  std::atomic<bool> is_watching_{false};
  bool is_hurried_ = false;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace tenon::data
