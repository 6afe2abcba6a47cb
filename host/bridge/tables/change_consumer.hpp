#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tenon::data {
class Database;
class Transaction;
}  // namespace tenon::data
namespace tenon::realtime {
struct Change;
}
namespace tenon::routing {
class LeaseGate;
}

namespace tenon::plugins {

/// A change that is told.
struct DeliveredChange {
  std::uint32_t operation = 0;  ///< TENON_TABLES_…
  std::int64_t sequence = 0;
  std::string id;
};

/// Tells one plugin of the changes in its log, in order and at least once, by a thread of its own.
/// How far it is stands in the plugin's file, in the table tenon_bookmarks.
class ChangeConsumer {
 public:
  static constexpr std::size_t max_changes = 100;                 ///< told at once
  static constexpr std::chrono::milliseconds first_pause{1'000};  ///< behind what failed; doubles
  static constexpr std::chrono::milliseconds max_pause{60'000};
  /// Changes of other tables after which the bookmark is kept anew.
  static constexpr std::int64_t kept_every = 5'000;

  /// Changes of one table, one behind the other; false: it failed, they are to come again. Called
  /// inside the gate.
  using Tell = std::function<bool(const std::string& table, const std::vector<DeliveredChange>&)>;

  /// Finds its place: that of the bookmark, else the end of the log. `gate` outlives it; once that
  /// is closed nothing is told. Throws what the database fails with.
  ChangeConsumer(std::string plugin, std::shared_ptr<data::Database> database,
                 routing::LeaseGate& gate, std::vector<std::string> tables, Tell tell);
  /// stop()
  ~ChangeConsumer();
  ChangeConsumer(const ChangeConsumer&) = delete;
  ChangeConsumer& operator=(const ChangeConsumer&) = delete;

  void start();
  /// Tells no further changes; does not wait for those that are told now.
  void stop_soon() noexcept;
  /// Waits until nothing is told; false when the moment came first.
  bool wait_idle(std::chrono::steady_clock::time_point until);
  /// stop_soon(), keeps the bookmark, and ends the thread. Waits for what is told now.
  void stop() noexcept;

 private:
  void find_place();
  void run();
  bool may_go_on() const;
  /// Tells some; whether more wait.
  bool tell_round();
  /// False where the plugin failed.
  bool tell_gap();
  /// Those of one table that none of another stands between together; false where the plugin
  /// failed, or is to stop.
  bool tell_runs(const std::vector<realtime::Change>& changes);
  void keep_place();

  const std::string plugin_;
  const std::shared_ptr<data::Database> database_;
  routing::LeaseGate& gate_;
  const std::vector<std::string> tables_;
  const Tell tell_;

  mutable std::mutex mutex_;
  std::condition_variable wakes_;
  bool is_due_ = true;
  bool is_stopping_ = false;
  bool is_telling_ = false;

  // The thread's.
  std::string log_;
  std::int64_t position_ = 0;  ///< told so far
  std::int64_t kept_ = -1;     ///< of the bookmark
  bool has_gap_ = false;       ///< to be told first
  bool is_any_told_ = false;   ///< since the bookmark was kept
  bool has_failed_ = false;
  std::chrono::milliseconds pause_{first_pause};
  std::thread thread_;
};

}  // namespace tenon::plugins
