#include "installer/upgrade_watch.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace tenon::plugins {

namespace {

// Of a hundred requests.
double rate(const Answers& answers) noexcept {
  return answers.requests == 0
             ? 0
             : 100 * static_cast<double>(answers.faults) / static_cast<double>(answers.requests);
}

}  // namespace

UpgradeWatch::UpgradeWatch(Count count, Meet meet, std::chrono::milliseconds between)
    : count_(std::move(count)),
      meet_(std::move(meet)),
      rounds_(between, [this] { look(base::monotonic_nanoseconds()); }) {}

bool UpgradeWatch::fails_more(const Answers& before, const Answers& since) noexcept {
  if (since.requests < min_requests) return false;
  constexpr double rounding = 1e-9;
  return rate(since) - rate(before) >= static_cast<double>(rise) - rounding;
}

// Counters only ever grow, but are not read at one moment.
Answers UpgradeWatch::since(const std::string& plugin) const {
  const Answers now = count_(plugin);
  const auto at = taken_over_.find(plugin);
  const Answers then = at == taken_over_.end() ? Answers{} : at->second;
  return {now.requests - then.requests, now.faults - then.faults};
}

Answers UpgradeWatch::take_over(const std::string& plugin) {
  const std::lock_guard lock(mutex_);
  const Answers before = since(plugin);
  taken_over_[plugin] = count_(plugin);
  watched_.erase(plugin);
  return before;
}

void UpgradeWatch::begin(const WatchedUpgrade& upgrade, std::int64_t now) {
  {
    const std::lock_guard lock(mutex_);
    watched_[upgrade.plugin] = {upgrade, now + std::chrono::nanoseconds(lasts).count()};
  }
  rounds_.start();
}

void UpgradeWatch::look(std::int64_t now) {
  std::vector<std::pair<WatchedUpgrade, Answers>> met;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = watched_.begin(); at != watched_.end();) {
      const Answers answers = since(at->first);
      const bool is_met = fails_more(at->second.upgrade.before, answers);
      if (is_met) met.emplace_back(at->second.upgrade, answers);
      at = is_met || now >= at->second.until ? watched_.erase(at) : std::next(at);
    }
  }
  for (const auto& [upgrade, answers] : met)
    meet_(upgrade, answers);
}

}  // namespace tenon::plugins
