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

/// A change that is delivered to a plugin.
struct DeliveredChange {
  std::uint32_t operation = 0;  ///< TENON_TABLES_…
  std::int64_t sequence = 0;
  std::string id;
};

/// Delivers the changes in a plugin's change log to the plugin, in order and at least once, on a
/// thread of its own. Stores its checkpoint in the plugin's database (host_made_tables.hpp).
class ChangeConsumer {
 public:
  static constexpr std::size_t max_changes = 100;                 ///< in one call
  static constexpr std::chrono::milliseconds first_pause{1'000};  ///< after a failure; doubles
  static constexpr std::chrono::milliseconds max_pause{60'000};
  /// Changes of other tables after which the checkpoint is saved again.
  static constexpr std::int64_t max_unsaved_changes = 5'000;

  /// Delivers consecutive changes of one table. False: the plugin failed, deliver them again.
  /// Called inside the gate.
  using Deliver =
      std::function<bool(const std::string& table, const std::vector<DeliveredChange>&)>;

  /// Starts at the stored checkpoint, else at the end of the change log. `gate` outlives the
  /// consumer; once it is closed nothing is delivered. Throws the errors of the database.
  ChangeConsumer(std::string plugin, std::shared_ptr<data::Database> database,
                 routing::LeaseGate& gate, std::vector<std::string> tables, Deliver deliver);
  /// Calls stop().
  ~ChangeConsumer();
  ChangeConsumer(const ChangeConsumer&) = delete;
  ChangeConsumer& operator=(const ChangeConsumer&) = delete;

  void start();
  /// Delivers no further changes; does not wait for the delivery that is running.
  void stop_soon() noexcept;
  /// Waits until no delivery is running; false if `until` came first.
  bool wait_idle(std::chrono::steady_clock::time_point until);
  /// Calls stop_soon(), waits for the delivery that is running, saves the checkpoint and ends the
  /// thread.
  void stop() noexcept;

 private:
  void load_checkpoint();
  void run();
  bool may_continue() const;
  /// Delivers some changes; returns whether more wait.
  bool deliver_next();
  /// Reports a gap in the log; false if the plugin failed.
  bool deliver_gap();
  /// Delivers consecutive changes of one table in one call. False if the plugin failed or the
  /// consumer stops.
  bool deliver_batch(const std::vector<realtime::Change>& changes);
  void save_checkpoint();

  const std::string plugin_;
  const std::shared_ptr<data::Database> database_;
  routing::LeaseGate& gate_;
  const std::vector<std::string> tables_;
  const Deliver deliver_;

  mutable std::mutex mutex_;
  std::condition_variable wakes_;
  bool is_due_ = true;
  bool is_stopping_ = false;
  bool is_delivering_ = false;

  // Used by the thread only.
  std::string log_;
  std::int64_t position_ = 0;     ///< delivered so far
  std::int64_t checkpoint_ = -1;  ///< as stored
  bool has_gap_ = false;          ///< reported before further changes
  bool has_delivered_ = false;    ///< since the checkpoint was saved
  bool has_failed_ = false;
  std::chrono::milliseconds pause_{first_pause};
  std::thread thread_;
};

}  // namespace tenon::plugins
