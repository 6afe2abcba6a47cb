#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "lifecycle/rounds.hpp"

namespace tenon::plugins {

/// What the routes of a plugin answered, in any span of time.
struct Answers {
  std::uint64_t requests = 0;
  std::uint64_t faults = 0;  ///< of class 5xx, but 503 and 507: see observability::RequestMetrics
};

/// Another version that took the place of one that served.
struct WatchedUpgrade {
  std::string plugin;
  std::string from;
  std::string to;
  std::uint64_t generation = 0;  ///< of `to`
  Answers before = {};           ///< of `from`, as far as this process saw it
  bool is_all_kept = false;      ///< what `from` acknowledged is in what was kept of its data
};

/// Looks at what plugins answer in the minutes behind an upgrade. Nothing of it is kept over a
/// restart. Thread-safe.
class UpgradeWatch {
 public:
  static constexpr std::chrono::minutes lasts{5};
  static constexpr std::uint64_t min_requests = 50;  ///< fewer say nothing
  /// As many of a hundred requests more than before have to fail.
  static constexpr std::uint64_t rise = 10;
  static constexpr std::chrono::milliseconds pause{1'000};  ///< between two looks

  /// What a plugin answered since the server started.
  using Count = std::function<Answers(const std::string& plugin)>;
  /// Told once of an upgrade that fails more, by a thread of this object; must not throw, and may
  /// call anything here but stop().
  using Meet = std::function<void(const WatchedUpgrade& upgrade, const Answers& since)>;

  /// `between` two looks; 0: look() is called by others.
  UpgradeWatch(Count count, Meet meet, std::chrono::milliseconds between = pause);

  /// A version is about to take over: ends the watch of the one that is there, and returns what
  /// that one answered.
  Answers take_over(const std::string& plugin);
  /// It did. `now`: monotonic nanoseconds, as everywhere here.
  void begin(const WatchedUpgrade& upgrade, std::int64_t now);
  /// As the thread does.
  void look(std::int64_t now);
  /// Waits for what is being met.
  void stop() { rounds_.stop(); }

  static bool fails_more(const Answers& before, const Answers& since) noexcept;

 private:
  struct Watched {
    WatchedUpgrade upgrade;
    std::int64_t until = 0;
  };
  Answers since(const std::string& plugin) const;

  const Count count_;
  const Meet meet_;
  mutable std::mutex mutex_;
  std::map<std::string, Answers, std::less<>> taken_over_;  ///< counts when the last one took over
  std::map<std::string, Watched, std::less<>> watched_;
  PeriodicTask rounds_;
};

}  // namespace tenon::plugins
