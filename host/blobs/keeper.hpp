#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tenon::blobs {

class Blobs;
class Uploads;

/// Runs a thread that sweeps: strays once, then what is due, at an interval of a quarter of the
/// shorter of Limits::grace_period and Limits::upload, between 1 s and 10 min. Both arguments
/// outlive it.
class BlobSweeper {
 public:
  BlobSweeper(Blobs& blobs, Uploads& uploads);
  /// Waits for a sweep that runs.
  ~BlobSweeper();
  BlobSweeper(const BlobSweeper&) = delete;
  BlobSweeper& operator=(const BlobSweeper&) = delete;

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
