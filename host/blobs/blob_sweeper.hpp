#pragma once

#include "base/periodic_task.hpp"

namespace tenon::blobs {

class Blobs;
class Uploads;

/// Runs a thread that sweeps: strays once, then what is due, at an interval of a quarter of the
/// shorter of Limits::grace_period and Limits::upload, between 1 s and 10 min. Both arguments
/// outlive it.
class BlobSweeper {
 public:
  BlobSweeper(Blobs& blobs, Uploads& uploads);

 private:
  void sweep() noexcept;

  Blobs& blobs_;
  Uploads& uploads_;
  bool has_swept_strays_ = false;
  base::PeriodicTask task_;
};

}  // namespace tenon::blobs
