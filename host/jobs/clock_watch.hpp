#pragma once

#include <chrono>
#include <cstdint>

#include "jobs/store.hpp"

namespace tenon::jobs {

/// Notices that the wall clock was set back, or was ahead when an earlier process wrote times. What
/// was due by such times would wait until they come again. Of one thread.
class ClockWatch {
 public:
  /// The clock may go back by this much unnoticed: it soon is where it was.
  static constexpr std::chrono::milliseconds tolerated{120'000};

  ClockWatch(Store& store, std::chrono::milliseconds lease) : store_(store), lease_(lease) {}

  /// Call at each look for due jobs. Returns true when the clock went back since the look before:
  /// the caller must compute the schedules again. Adjusts and logs the jobs itself. Blocks on the
  /// database then, and at the first look; throws as it does, and notices the change again the next
  /// time.
  bool went_back(std::int64_t now_ms);

 private:
  Store& store_;
  const std::chrono::milliseconds lease_;
  std::int64_t newest_ms_ = 0;
};

}  // namespace tenon::jobs
