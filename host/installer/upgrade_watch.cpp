#include "installer/upgrade_watch.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace tenon::plugins {

namespace {

// Returns the faults in a hundred requests.
double rate(const ResponseCounts& counts) noexcept {
  return counts.requests == 0
             ? 0
             : 100 * static_cast<double>(counts.faults) / static_cast<double>(counts.requests);
}

}  // namespace

UpgradeWatch::UpgradeWatch(Count count, OnFailing on_failing, std::chrono::milliseconds between)
    : count_(std::move(count)),
      on_failing_(std::move(on_failing)),
      task_(between, [this] { look(base::monotonic_nanoseconds()); }) {}

bool UpgradeWatch::fails_more(const ResponseCounts& before, const ResponseCounts& since) noexcept {
  if (since.requests < min_requests) return false;
  constexpr double rounding = 1e-9;
  return rate(since) - rate(before) >= static_cast<double>(rise) - rounding;
}

// Counters only ever grow, but are not read at one moment.
ResponseCounts UpgradeWatch::since(const std::string& plugin) const {
  const ResponseCounts now = count_(plugin);
  const auto at = taken_over_.find(plugin);
  const ResponseCounts then = at == taken_over_.end() ? ResponseCounts{} : at->second;
  return {now.requests - then.requests, now.faults - then.faults};
}

ResponseCounts UpgradeWatch::take_over(const std::string& plugin) {
  const std::lock_guard lock(mutex_);
  const ResponseCounts before = since(plugin);
  taken_over_[plugin] = count_(plugin);
  watched_.erase(plugin);
  return before;
}

void UpgradeWatch::begin(const WatchedUpgrade& upgrade, std::int64_t now) {
  {
    const std::lock_guard lock(mutex_);
    watched_[upgrade.plugin] = {upgrade, now + std::chrono::nanoseconds(lasts).count()};
  }
  task_.start();
}

void UpgradeWatch::look(std::int64_t now) {
  std::vector<std::pair<WatchedUpgrade, ResponseCounts>> failing;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = watched_.begin(); at != watched_.end();) {
      const ResponseCounts counts = since(at->first);
      const bool is_failing = fails_more(at->second.upgrade.before, counts);
      if (is_failing) failing.emplace_back(at->second.upgrade, counts);
      at = is_failing || now >= at->second.until ? watched_.erase(at) : std::next(at);
    }
  }
  for (const auto& [upgrade, counts] : failing)
    on_failing_(upgrade, counts);
}

}  // namespace tenon::plugins
