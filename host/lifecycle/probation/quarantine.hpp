#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "crash/crash_record.hpp"
#include "lifecycle/probation/death.hpp"
#include "lifecycle/probation/loading_record.hpp"
#include "lifecycle/probation/quarantine_store.hpp"

namespace tenon::plugins {

struct PluginStatus;
enum class State : std::uint8_t;

inline constexpr std::string_view crashed_code = "plugins.crashed";
inline constexpr std::string_view safe_mode_code = "plugins.safe_mode";

/// How this process came to be started.
struct Restart {
  std::optional<ProcessExit> death;  ///< of the process before; nothing where nobody waited for it
  bool is_safe_mode = false;         ///< start without plugins
  CrashReport report = {};           ///< what that ran; empty unless it ended by a fault
  std::chrono::milliseconds lived{0};  ///< that process, from its start
  std::string cause = {};              ///< why the supervisor ended that; empty: it ended by itself
};

/// Which of those that were left is to blame: what was loaded or started last, else what was young
/// last. Null where nothing was left.
const ProbationEntry* suspect_of(const LeftRecord& left);

/// What is answered under the prefix of a plugin that is not active: 503 "plugins.quarantined",
/// else 404 "plugins.not_active".
base::Error unanswered(State state);

/// Keeps plugins out that brought an earlier process of the host down. `judge` comes first, before
/// plugins are loaded; then thread-safe. Blocks on the database and on the disk.
///
/// A fault or an exit (is_fault) is held against the plugin whose call it came from, where the
/// report names that, else against what was loaded, started or young last:
///
///  - at once when it was that, or within the first minute of the process;
///  - at the second one within ten minutes otherwise;
///  - in a job at the third one; at the second one of the same job that fails for good;
///  - at the third one within ten minutes where several may be to blame, against each that may be
///    for all of them.
///
/// Of any other death, and of one that nobody saw, the suspect is only told apart: when the process
/// ends once more before the plugin has proved itself, it goes into quarantine. A version that a
/// change tried, and that is not the one that is installed now, is logged, and nothing is held
/// against the plugin.
class Quarantine {
 public:
  static constexpr std::chrono::minutes counted{10};
  static constexpr std::chrono::seconds first_minute{60};
  static constexpr std::int64_t max_crashes = 2;          ///< within `counted`: out
  static constexpr std::int64_t max_crashes_in_jobs = 3;  ///< the same when the last is in a job
  static constexpr std::int64_t max_suspicions = 3;       ///< the same where others may be to blame
  static constexpr std::int64_t max_crashes_of_a_job = 2;

  Quarantine(data::Database& database, const std::string& data);

  /// The version of a plugin that is there; empty: none is.
  using VersionOf = std::function<std::string(const std::string& plugin)>;

  /// Reads what an earlier process left and begins the record of this one.
  void judge(const Restart& restart, const VersionOf& version_of);
  /// A job that is not to be run again: it brought the server down for the second time. Empty:
  /// there is none.
  const std::string& crashing_job() const noexcept { return crashing_job_; }

  /// A plugin that is to be kept out gets the state and the reason; true then. One that is
  /// disabled, or is refused already, stays as it is.
  bool hold(PluginStatus& status) const;

  /// An admin wants this plugin: lift(), and watch().
  void admit(const std::string& plugin);
  /// It is no longer kept out; durable at the return.
  void lift(const std::string& plugin);
  /// Has it watched for a minute when it is active, for an admin has another version tried.
  void watch(const std::string& plugin);

  /// It is closed: nothing of it runs any more.
  void closed(std::string_view plugin) { record_.forget(plugin); }

  /// From the load of a plugin until it is active or has failed.
  class Watch {
   public:
    /// `tried`: the version that a change puts in the place of the one that is there.
    Watch(Quarantine& quarantine, std::string plugin, std::string tried = {});
    /// Unless it is active: it has failed, and nothing of it runs.
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// What the activation calls when the library is open.
    std::function<void()> on_loaded(std::function<void()> then);
    void active();

   private:
    void note(StartStage doing);

    Quarantine& quarantine_;
    const std::string plugin_;
    const std::string tried_;
    bool is_admitted_ = false;
    bool is_suspect_ = false;
    bool is_active_ = false;
  };

  /// The process ends in order.
  void end() { record_.end(); }

 private:
  void hold_against(const std::string& plugin, const Reason& reason);
  void judge_call(const NamedCall& call, const Restart& restart);
  void judge_suspects(const Restart& restart);

  QuarantineStore store_;
  CrashJournal record_;
  const std::string data_;
  mutable std::mutex mutex_;
  std::map<std::string, Reason, std::less<>> held_;
  std::map<std::string, bool, std::less<>> admitted_;  // to be watched when active → suspect
  std::string crashing_job_;
  bool is_safe_mode_ = false;
};

}  // namespace tenon::plugins
