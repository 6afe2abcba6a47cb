#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tenon::data {
enum class Fault : std::uint8_t;
}

namespace tenon::plugins {

/// What the database of one generation of a plugin told.
struct StorageFault {
  data::Fault fault;
  std::string plugin;
  std::uint64_t generation = 0;
  std::string detail;
};

/// Hands faults over to a thread of its own: whoever meets one may be inside the plugin, or hold
/// what closing it waits for. In order, one at a time. Thread-safe.
class FaultQueue {
 public:
  explicit FaultQueue(std::function<void(const StorageFault&)> handle)
      : handle_(std::move(handle)) {}
  /// stop()
  ~FaultQueue();
  FaultQueue(const FaultQueue&) = delete;
  FaultQueue& operator=(const FaultQueue&) = delete;

  void add(StorageFault fault);
  /// Begins to handle what was added. Once.
  void start();
  /// Waits for what is being handled; what is left, and what comes later, is dropped.
  void stop();

 private:
  void run();

  const std::function<void(const StorageFault&)> handle_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<StorageFault> faults_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace tenon::plugins
