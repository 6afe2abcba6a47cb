#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tenon::blobs {

class Blobs;
class Uploads;

/// A thread that sweeps: strays once, then what is due, every so often (a quarter of the shorter of
/// Limits::grace and Limits::upload, between 1 s and 10 min). Both outlive it.
class Keeper {
 public:
  Keeper(Blobs& blobs, Uploads& uploads);
  /// Waits for a sweep that runs.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

 private:
  void run();

  Blobs& blobs_;
  Uploads& uploads_;
  const std::chrono::milliseconds pause_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace tenon::blobs
