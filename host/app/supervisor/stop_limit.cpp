#include "app/supervisor/stop_limit.hpp"

#include <unistd.h>

#include "crash/crash_record.hpp"
#include "observability/log.hpp"

namespace tenon::app {

StopLimit::StopLimit(std::chrono::milliseconds limit, int exit_code)
    : thread_([this, limit, exit_code] { watch(limit, exit_code); }) {}

StopLimit::~StopLimit() {
  {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StopLimit::watch(std::chrono::milliseconds limit, int exit_code) {
  {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, limit, [this] { return is_finished_; })) return;
  }
  for (const plugins::NamedCall& call : plugins::running_calls()) {
    observability::log_error("a call of a plugin did not return and is abandoned",
                             {{"plugin", call.plugin}, {"in", plugins::to_text(call)}});
  }
  observability::log_error("stopped without closing all, for it took too long",
                           {{"limit_ms", limit.count()}});
  observability::log().flush();
  ::_exit(exit_code);
}

}  // namespace tenon::app
