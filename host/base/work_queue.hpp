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

/// A fault that the database of one generation of a plugin reported.
struct StorageFault {
  data::Fault fault;
  std::string plugin;
  std::uint64_t generation = 0;
  std::string detail;
};

/// Handles faults on a thread of its own, in order, one at a time. The reporting thread may be
/// inside the plugin, or hold something that closing the plugin waits for. Thread-safe.
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
