#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "base/periodic_task.hpp"

namespace tenon::plugins {

/// Counts of the responses of a plugin's routes, over any span of time.
struct ResponseCounts {
  std::uint64_t requests = 0;
  std::uint64_t faults = 0;  ///< of class 5xx, but 503 and 507: see observability::RequestMetrics
};

/// An upgrade of a plugin that served.
struct WatchedUpgrade {
  std::string plugin;
  std::string from;
  std::string to;
  std::uint64_t generation = 0;  ///< of `to`
  ResponseCounts before = {};    ///< of `from`, as far as this process saw it
  bool is_all_kept = false;      ///< the snapshot has all writes that `from` acknowledged
};

/// Watches the responses of plugins in the minutes after an upgrade. Nothing is kept over a
/// restart. Thread-safe.
class UpgradeWatch {
 public:
  static constexpr std::chrono::minutes lasts{5};
  static constexpr std::uint64_t min_requests = 50;  ///< fewer say nothing
  /// So many more of a hundred requests than before must fail.
  static constexpr std::uint64_t rise = 10;
  static constexpr std::chrono::milliseconds pause{1'000};  ///< between two looks

  /// Returns the counts of a plugin's responses since the server started.
  using Count = std::function<ResponseCounts(const std::string& plugin)>;
  /// Called once for an upgrade that fails more often, by a thread of this object; must not throw,
  /// and may call anything here but stop().
  using OnFailing = std::function<void(const WatchedUpgrade& upgrade, const ResponseCounts& since)>;

  /// `between` two looks; 0: look() is called by others.
  UpgradeWatch(Count count, OnFailing on_failing, std::chrono::milliseconds between = pause);

  /// Ends the watch of the present version, because another one is about to take over. Returns the
  /// counts of its responses.
  ResponseCounts take_over(const std::string& plugin);
  /// Begins the watch after the take-over. `now`: monotonic nanoseconds, as everywhere here.
  void begin(const WatchedUpgrade& upgrade, std::int64_t now);
  /// Checks the watched upgrades, as the thread does.
  void look(std::int64_t now);
  /// Stops the thread. Waits for a running callback.
  void stop() { task_.stop(); }

  static bool fails_more(const ResponseCounts& before, const ResponseCounts& since) noexcept;

 private:
  struct Watched {
    WatchedUpgrade upgrade;
    std::int64_t until = 0;
  };
  ResponseCounts since(const std::string& plugin) const;

  const Count count_;
  const OnFailing on_failing_;
  mutable std::mutex mutex_;
  std::map<std::string, ResponseCounts, std::less<>>
      taken_over_;  ///< counts when the last one took over
  std::map<std::string, Watched, std::less<>> watched_;
  base::PeriodicTask task_;
};

}  // namespace tenon::plugins
