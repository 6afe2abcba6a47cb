#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/error_fwd.hpp"
#include "crash/crash_record.hpp"
#include "lifecycle/probation/crash_journal.hpp"
#include "lifecycle/probation/process_exit.hpp"
#include "lifecycle/probation/quarantine_store.hpp"

namespace tenon::plugins {

struct PluginStatus;
enum class State : std::uint8_t;

inline constexpr std::string_view crashed_code = "plugins.crashed";
inline constexpr std::string_view safe_mode_code = "plugins.safe_mode";

/// How this process came to be started.
struct Restart {
  std::optional<ProcessExit>
      process_exit;           ///< of the process before; nothing if no parent waited for it
  bool is_safe_mode = false;  ///< start without plugins
  CrashReport report = {};    ///< the calls that it ran; empty unless it ended by a fault
  std::chrono::milliseconds lived{0};  ///< how long that process ran
  std::string cause = {};  ///< why the supervisor ended that process; empty: it ended by itself
};

/// Returns the entry to blame: the one loaded or started last, else the one on probation last. Null
/// if there is no entry.
const ProbationEntry* suspect_of(const PreviousRecord& left);

/// Returns the error for requests to the prefix of a plugin that is not active: 503
/// "plugins.quarantined", else 404 "plugins.not_active".
base::Error inactive_error(State state);

/// Keeps out plugins that crashed an earlier process of the host. check_last_run() comes first,
/// before plugins are loaded; then thread-safe. Blocks on the database and on the disk.
///
/// A fault or an exit (is_fault) counts against the plugin whose call it came from, if the report
/// names it, else against the one loaded, started or on probation last:
///
///  - at once when it was that, or within the first minute of the process;
///  - at the second one within ten minutes otherwise;
///  - in a job at the third one; at the second one of the same job that fails for good;
///  - at the third one within ten minutes if several may be to blame, against each that may be to
///  blame for all of them.
///
/// After any other end, or one that no parent saw, the suspect is only marked: if the process ends
/// once more before the plugin has proved itself, the plugin goes into quarantine. A version that a
/// change tried, and that is not the installed one now, is logged, and does not count against the
/// plugin.
class Quarantine {
 public:
  static constexpr std::chrono::minutes counted{10};
  static constexpr std::chrono::seconds first_minute{60};
  static constexpr std::int64_t max_crashes = 2;  ///< within `counted`
  static constexpr std::int64_t max_crashes_in_jobs =
      3;  ///< within `counted`, when the last is in a job
  static constexpr std::int64_t max_suspicions =
      3;  ///< within `counted`, if others may be to blame
  static constexpr std::int64_t max_crashes_of_a_job = 2;

  Quarantine(data::Database& database, const std::string& data);

  /// Returns the present version of a plugin; empty: there is none.
  using VersionOf = std::function<std::string(const std::string& plugin)>;

  /// Reads the record of the earlier process, blames a plugin if one is to blame, and begins the
  /// record of this process.
  void check_last_run(const Restart& restart, const VersionOf& version_of);
  /// Returns the job that must not run again, because it crashed the server for the second time.
  /// Empty: there is none.
  const std::string& crashing_job() const noexcept { return crashing_job_; }

  /// Sets the state and the reason of a plugin that must be kept out, and returns true. One that is
  /// disabled, or refused already, stays as it is.
  bool hold(PluginStatus& status) const;

  /// Admits a plugin that an admin wants: lift(), and watch().
  void admit(const std::string& plugin);
  /// Ends the quarantine of the plugin; durable at the return.
  void lift(const std::string& plugin);
  /// Puts the plugin on probation for a minute once it is active, because an admin tries another
  /// version.
  void watch(const std::string& plugin);

  /// Forgets a plugin that is closed: nothing of it runs any more.
  void closed(std::string_view plugin) { record_.forget(plugin); }

  /// Keeps the entry of a plugin from its load until it is active or has failed.
  class Watch {
   public:
    /// `tried`: the new version, if a change replaces the present one.
    Watch(Quarantine& quarantine, std::string plugin, std::string tried = {});
    /// Forgets the plugin unless it is active: it has failed, and nothing of it runs.
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// Returns the function that the activation calls when the library is open.
    std::function<void()> on_loaded(std::function<void()> then);
    void active();

   private:
    void note(StartStage stage);

    Quarantine& quarantine_;
    const std::string plugin_;
    const std::string tried_;
    bool is_admitted_ = false;
    bool is_suspect_ = false;
    bool is_active_ = false;
  };

  /// Removes the record, because the process ends cleanly.
  void end() { record_.end(); }

 private:
  void hold_against(const std::string& plugin, const Reason& reason);
  void blame_call(const NamedCall& call, const Restart& restart);
  void blame_suspects(const Restart& restart);

  QuarantineStore store_;
  CrashJournal record_;
  const std::string data_;
  mutable std::mutex mutex_;
  std::map<std::string, Reason, std::less<>> held_;
  std::map<std::string, bool, std::less<>>
      admitted_;  // to be put on probation when active → suspect
  std::string crashing_job_;
  bool is_safe_mode_ = false;
};

}  // namespace tenon::plugins
