#include "postgresql/roles/host_lock.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "postgresql/client/connection.hpp"
#include "postgresql/client/result_rows.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr std::int64_t claim_timeout = 5'000'000'000;

// A server releases the locks of a process a moment after the process ended.
constexpr std::int64_t retry_time = 1'000'000'000;
constexpr std::chrono::milliseconds pause{50};

}  // namespace

HostLock::HostLock(std::string url) : url_(std::move(url)) {
  const std::int64_t end = base::monotonic_nanoseconds() + retry_time;
  while (!take()) {
    if (base::monotonic_nanoseconds() >= end) refuse();
    std::this_thread::sleep_for(pause);
  }
}

void HostLock::refuse() {
  throw base::Error(409, "data.in_use",
                    "Another Tenon server uses this database. Stop it, or name another database; "
                    "several servers on one are not supported yet.");
}

HostLock::~HostLock() = default;

bool HostLock::take() {
  ConnectionOptions options;
  options.url = url_;
  options.schema = "pg_catalog";
  options.is_trusted = true;
  auto connection = std::make_unique<Connection>(options);
  Rows rows = ResultRows::to_rows(
      connection->run_alone("SELECT pg_try_advisory_lock(hashtextextended('tenon host', 0))", {},
                            base::monotonic_nanoseconds() + claim_timeout));
  if (!rows.next() || !rows.boolean(0)) return false;
  connection_ = std::move(connection);
  return true;
}

HostLock::State HostLock::refresh() noexcept {
  try {
    if (connection_ && !connection_->is_stale()) {
      connection_->run_alone("SELECT 1", {}, base::monotonic_nanoseconds() + claim_timeout);
      return State::held;
    }
    connection_.reset();
    return take() ? State::held : State::taken;
  } catch (const std::exception&) {
    connection_.reset();
    return State::away;
  }
}

}  // namespace tenon::data::postgresql
