#include "jobs/clock_watch.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "observability/log.hpp"

namespace tenon::jobs {

bool ClockWatch::went_back(std::int64_t now_ms) {
  const bool is_first = newest_ms_ == 0;
  const bool is_back = !is_first && now_ms < newest_ms_ - tolerated.count();
  if (is_first || is_back) {
    const std::size_t changed = store_.set_back(now_ms, lease_.count(), tolerated.count());
    if (is_back || changed != 0) {
      observability::log_warning(
          "the clock went back; jobs and schedules go by what it shows now",
          {{"before", is_first ? "an earlier process" : base::rfc3339(newest_ms_)},
           {"now", base::rfc3339(now_ms)},
           {"jobs", changed}});
    }
    newest_ms_ = now_ms;
  }
  newest_ms_ = std::max(newest_ms_, now_ms);
  return is_back;
}

}  // namespace tenon::jobs
